package trevni

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	opt, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	stored, err := withoutNulls(s, opt.NotNull)
	if err != nil {
		return nil, err
	}
	p, back, err := planStored(s, stored, o)
	if err != nil {
		return nil, err
	}
	if bare, lost := plans.WithoutLost(stored, back.Fields()); lost != nil {
		were := p.Columns
		if p, _, err = planStored(s, bare, o); err != nil {
			return nil, err
		}
		lost.Tell(p.Columns, were)
	}
	return p, nil
}

// planStored plans for rows of a schema, of which the file says what another schema does. It returns the schema under which the
// file is read.
func planStored(s, stored *arrow.Schema, o arrowio.WriteOptions) (p *arrowio.WritePlan, back *arrow.Schema, err error) {
	opt, err := parseOptions(o.Options)
	if err == nil {
		err = plans.CheckNames(s.Fields())
	}
	if err != nil {
		return nil, nil, err
	}
	d := &driver{rowGroup: o.RowGroupBytes, maxFile: o.MaxFileBytes, memory: o.Memory, workers: o.Parallelism, java: opt.Lengths == "java", statistics: opt.Statistics != "none", block: javaBlock, notNull: len(opt.NotNull) > 0, keep: o.Compression == "", micros: opt.Timestamps == "micros" || opt.Timestamps == "cut", cut: opt.Timestamps == "cut"}
	if opt.BlockBytes > 0 {
		d.block = int(opt.BlockBytes)
	}
	if d.codec, d.level, err = parseCompression(o.Compression); err != nil {
		return nil, nil, err
	}
	if d.memory <= 0 {
		d.memory = 1 << 30
	}
	if d.workers <= 0 {
		d.workers = runtime.GOMAXPROCS(0)
	}
	if o.Allocator == nil {
		o.Allocator = memory.DefaultAllocator
	}
	p = &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: d, Parts: d.parts()}
	if opt.Schema == "columns" || opt.Schema == "" && storedColumns(s) {
		err = d.planColumns(stored, p)
	} else {
		err = d.planAvro(stored, p)
	}
	if err == nil && opt.Integers == "fixed" {
		d.fixIntegers(d.tree.Roots)
	}
	if err == nil {
		err = d.describe(stored, opt)
	}
	if err == nil {
		back, err = d.compare(s, p)
	}
	if err != nil {
		return nil, nil, err
	}
	d.tellCodecs(p.Columns)
	return p, back, nil
}

// parts says when rows become several files; "" = they never do.
func (d *driver) parts() string {
	var limits []string
	if d.rowGroup > 0 {
		limits = append(limits, humanize.IBytes(uint64(d.rowGroup))+" before compression")
	}
	if d.maxFile > 0 {
		limits = append(limits, humanize.IBytes(uint64(d.maxFile))+" stored")
	}
	switch len(limits) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("rows that take more than %s are divided among files in a directory", limits[0])
	}
	return fmt.Sprintf("rows that take more than %s, or %s, are divided among files in a directory", limits[0], limits[1])
}

// storedColumns reports whether a schema came out of the columns view: every field says which column it was. Where
// there are no fields, there is no telling, and nothing to shred.
func storedColumns(s *arrow.Schema) bool {
	if _, avro := fileMeta(s, trevniwire.KeyAvro); avro && s.NumFields() == 0 {
		return false
	}
	for _, f := range s.Fields() {
		if _, ok := f.Metadata.GetValue(trevniwire.MetaName); !ok {
			return false
		}
	}
	return true
}

// compare says what reading back will not show, and refuses what could not be read at all. It returns what is read back.
func (d *driver) compare(s *arrow.Schema, p *arrowio.WritePlan) (back *arrow.Schema, err error) {
	lim := arrowio.Limits{}.WithDefaults()
	h := &trevniwire.Header{Columns: d.columns, Meta: d.meta}
	bytes := trevniwire.BeyondPrecision(s.Fields(), d.tree.Roots)
	back, err = shown(h, lim, d.avro, func(column, _ int) bool { return !bytes[column] })
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "what would be written could not be read: %w", err)
	}
	p.Metadata = plans.Planned(s.Metadata(), back.Metadata(), "file metadata", "the format has another use for this key, or the key is not UTF-8")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back.Fields()))
	plans.AddRefused(p.Columns, s.Fields(), d.refused)
	return back, nil
}

// shown returns the schema under which a file is read: of Avro records where it has an avro.schema that describes its
// columns, of what is stored otherwise, which is an error where it has to be Avro records.
func shown(h *trevniwire.Header, lim arrowio.Limits, avro bool, fits func(column, precision int) bool) (*arrow.Schema, error) {
	if text, ok := h.Meta.Get(trevniwire.KeyAvro); ok {
		schema, err := trevniwire.ParseAvro(text, lim)
		if err == nil {
			var tree *trevniwire.Tree
			if tree, err = trevniwire.RecordsView(h, schema, lim, fits); err == nil {
				return tree.Schema, nil
			}
		}
		if avro {
			return nil, err
		}
	}
	tree, err := trevniwire.ColumnsView(h, lim)
	if err != nil {
		return nil, err
	}
	return tree.Schema, nil
}

// planAvro shreds by Avro's rules. A schema that came from an Avro file goes back under the text that it had, unless more of
// its fields' metadata is kept without it.
func (d *driver) planAvro(s *arrow.Schema, p *arrowio.WritePlan) error {
	d.avro = true
	lim := arrowio.Limits{}.WithDefaults()
	if text, ok := avroText(s); ok && !d.notNull {
		if schema, err := trevniwire.ParseAvro([]byte(text), lim); err == nil {
			tree, columns, err := trevniwire.Shred(schema, lim)
			if err == nil && trevniwire.Fits(s.Fields(), tree.Roots) && trevniwire.KeepsMetadata(s.Fields(), tree.Schema.Fields(), trevniwire.Foreign) {
				d.tree, d.columns = tree, columns
				d.meta = append(d.meta, trevniwire.Pair{Key: trevniwire.KeyAvro, Value: []byte(text)})
				for _, f := range s.Fields() {
					p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: "as its avro.schema says"})
				}
				return nil
			}
		}
	}
	schema, mappings, err := trevniwire.AvroFor(s, trevniwire.AvroOptions{Micros: d.micros})
	if err != nil {
		return err
	}
	if d.tree, d.columns, err = trevniwire.Shred(schema, lim); err != nil {
		return err
	}
	d.meta = append(d.meta, trevniwire.Pair{Key: trevniwire.KeyAvro, Value: schema.JSON()})
	for _, m := range mappings {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: m.Path, Type: m.Type, Stored: m.Stored, Loss: m.Loss})
	}
	return nil
}

// avroText returns the Avro schema that the rows had in a Trevni file, or in an Avro container file.
func avroText(s *arrow.Schema) (string, bool) {
	if text, ok := fileMeta(s, trevniwire.KeyAvro); ok {
		return text, true
	}
	md := s.Metadata()
	return md.GetValue("avro." + trevniwire.KeyAvro)
}

func fileMeta(s *arrow.Schema, key string) (string, bool) {
	md := s.Metadata()
	return md.GetValue(trevniwire.MetaPrefix + key)
}

// describe completes the metadata of file and columns, in the order in which Java writes it.
func (d *driver) describe(s *arrow.Schema, o Options) error {
	codecs, err := d.chooseCodecs(s, o)
	if err != nil {
		return err
	}
	sum := trevniwire.CRC32
	switch o.Checksum {
	case "null":
		sum = trevniwire.NoChecksum
	case "crc-32":
		sum = trevniwire.SpecCRC32
	}
	meta := trevniwire.Meta{{Key: trevniwire.KeyCodec, Value: []byte(trevniwire.CodecName(d.codec))}}
	if sum != trevniwire.NoChecksum {
		meta = append(meta, trevniwire.Pair{Key: trevniwire.KeyChecksum, Value: []byte(sum.String())})
		if slices.ContainsFunc(codecs, func(c codecLevel) bool { return c.codec == blockcodec.None }) || d.codec == blockcodec.None { // Java stores zeros there
			meta = append(meta, trevniwire.Pair{Key: trevniwire.KeySums, Value: []byte("stored")})
		}
	}
	for _, p := range arrowmeta.Store(s.Metadata(), trevniwire.MetaPrefix, func(key string) bool { return key == trevniwire.KeyAvro || trevniwire.Reserved(key) }) {
		meta = append(meta, trevniwire.Pair(p))
	}
	d.meta = append(meta, d.meta...)
	user := map[int]arrow.Metadata{}
	collectUser(s.Fields(), d.tree.Roots, user)
	for i := range d.columns {
		c := &d.columns[i]
		c.Codec, c.Checksum = codecs[i].codec, sum
		d.levels = append(d.levels, codecs[i].level)
		c.Values = c.Parent < 0 && !c.Array && c.Type != trevniwire.Boolean && c.Type != trevniwire.Null &&
			(slices.Contains(o.Values, c.Name) || slices.Contains(o.Values, "*"))
		c.Meta = d.columnMeta(i, user[i], codecs[i].own)
	}
	for _, v := range o.Values {
		if v != "*" && !slices.ContainsFunc(d.columns, func(c trevniwire.Column) bool { return c.Name == v && c.Values }) {
			return errs.Errorf(errs.ErrOption, "%w: %q is no column that can have first values (top level, never null, not boolean)", errs.Opt("trevni-values", ""), v)
		}
	}
	return nil
}

func (d *driver) columnMeta(i int, user arrow.Metadata, ownCodec bool) trevniwire.Meta {
	c := &d.columns[i]
	m := trevniwire.Meta{{Key: trevniwire.KeyName, Value: []byte(c.Name)}, {Key: trevniwire.KeyType, Value: []byte(c.Type.String())}}
	if c.Parent >= 0 {
		m = append(m, trevniwire.Pair{Key: trevniwire.KeyParent, Value: []byte(d.columns[c.Parent].Name)})
	}
	if c.Array {
		m = append(m, trevniwire.Pair{Key: trevniwire.KeyArray})
	}
	if c.Values {
		m = append(m, trevniwire.Pair{Key: trevniwire.KeyValues})
	}
	if ownCodec {
		m = append(m, trevniwire.Pair{Key: trevniwire.KeyCodec, Value: []byte(trevniwire.CodecName(c.Codec))})
	}
	for _, p := range trevniwire.UserMeta(user) {
		if !trevniwire.Reserved(p.Key) && p.Key != trevniwire.KeySorted && p.Key != trevniwire.KeyStats { // what the format says is for the writer to say
			m = append(m, p)
		}
	}
	if !d.avro {
		m = append(m, trevniwire.ForeignMeta(user)...)
	}
	return m
}

// collectUser finds the field metadata that goes to each column.
func collectUser(fields []arrow.Field, nodes []*trevniwire.Node, to map[int]arrow.Metadata) {
	for i, n := range nodes {
		if i >= len(fields) {
			return
		}
		for _, c := range []int{n.Opt, n.Rep, n.Col} {
			if _, ok := to[c]; c >= 0 && !ok {
				to[c] = fields[i].Metadata
			}
		}
		if nested, ok := fields[i].Type.(arrow.NestedType); ok {
			children := nested.Fields()
			if m, ok := fields[i].Type.(*arrow.MapType); ok {
				children = []arrow.Field{m.KeyField(), m.ItemField()}
			}
			collectUser(children, n.Children, to)
		}
	}
}
