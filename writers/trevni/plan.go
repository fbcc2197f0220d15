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
	p, back, err := planStored(s, s, o)
	if err != nil {
		return nil, err
	}
	if bare, lost := plans.WithoutLost(s, back.Fields()); lost != nil {
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
	d := &driver{rowGroup: o.RowGroupBytes, maxFile: o.MaxFileBytes, memory: o.Memory, workers: o.Parallelism}
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
	if err == nil {
		err = d.describe(stored, opt)
	}
	if err == nil {
		back, err = d.compare(s, p)
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range p.Columns {
		p.Columns[i].Encoding = trevniwire.CodecName(d.codec)
	}
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
	bytes := map[int]bool{}
	collectBytes(s.Fields(), d.tree.Roots, bytes)
	back, err = shown(h, lim, d.avro, func(column, _ int) bool { return !bytes[column] })
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "what would be written could not be read: %w", err)
	}
	p.Metadata = plans.Planned(s.Metadata(), back.Metadata(), "file metadata", "the format has another use for this key, or the key is not UTF-8")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back.Fields()))
	plans.AddRefused(p.Columns, s.Fields(), refused)
	return back, nil
}

// collectBytes finds the columns of decimals whose values are beyond their precision: they were read as bytes, and will be.
func collectBytes(fields []arrow.Field, nodes []*trevniwire.Node, to map[int]bool) {
	for i, n := range nodes[:min(len(nodes), len(fields))] {
		t := fields[i].Type
		if n.Kind == trevniwire.Leaf && arrow.IsDecimal(n.Field.Type.ID()) && (t.ID() == arrow.BINARY || t.ID() == arrow.FIXED_SIZE_BINARY) {
			to[n.Col] = true
		}
		switch t := t.(type) {
		case *arrow.MapType:
			collectBytes([]arrow.Field{t.KeyField(), t.ItemField()}, n.Children, to)
		case arrow.NestedType:
			collectBytes(t.Fields(), n.Children, to)
		}
	}
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
	if text, ok := fileMeta(s, trevniwire.KeyAvro); ok {
		if schema, err := trevniwire.ParseAvro([]byte(text), lim); err == nil {
			tree, columns, err := trevniwire.Shred(schema, lim)
			if err == nil && fits(s.Fields(), tree.Roots) && keepsMetadata(s.Fields(), tree.Schema.Fields()) {
				d.tree, d.columns = tree, columns
				d.meta = append(d.meta, trevniwire.Pair{Key: trevniwire.KeyAvro, Value: []byte(text)})
				for _, f := range s.Fields() {
					p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: "as its avro.schema says"})
				}
				return nil
			}
		}
	}
	schema, mappings, err := trevniwire.AvroOf(s)
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

// keepsMetadata reports whether a given Avro schema keeps the metadata of all fields, beside what their columns keep.
func keepsMetadata(fields, back []arrow.Field) bool {
	return !slices.ContainsFunc(schemadiff.Fields(fields, back), func(d schemadiff.Difference) bool {
		return d.Aspect == schemadiff.Metadata && slices.ContainsFunc(d.Lost, trevniwire.Foreign)
	})
}

// fits reports whether Arrow fields can be written as nodes of a given Avro schema, value for value.
func fits(fields []arrow.Field, nodes []*trevniwire.Node) bool {
	return slices.EqualFunc(fields, nodes, func(f arrow.Field, n *trevniwire.Node) bool {
		if f.Name != n.Field.Name || f.Nullable && !n.Field.Nullable {
			return false
		}
		return fitsType(f.Type, n)
	})
}

func fitsType(t arrow.DataType, n *trevniwire.Node) bool {
	switch n.Kind {
	case trevniwire.Struct, trevniwire.Union:
		nested, ok := t.(arrow.NestedType)
		return ok && t.ID() == n.Field.Type.ID() && fits(nested.Fields(), n.Children)
	case trevniwire.List:
		l, ok := t.(*arrow.ListType)
		return ok && fitsType(l.Elem(), n.Children[0]) && (!l.ElemField().Nullable || n.Children[0].Field.Nullable)
	case trevniwire.Map:
		m, ok := t.(*arrow.MapType)
		return ok && m.KeyType().ID() == arrow.STRING && fitsType(m.ItemType(), n.Children[1]) && (!m.ItemField().Nullable || n.Children[1].Field.Nullable)
	}
	if arrow.TypeEqual(t, n.Field.Type) {
		return true
	}
	// decimals beyond their precision were read as the bytes that they are
	return arrow.IsDecimal(n.Field.Type.ID()) && t.ID() == arrow.BINARY
}

func fileMeta(s *arrow.Schema, key string) (string, bool) {
	md := s.Metadata()
	return md.GetValue(trevniwire.MetaPrefix + key)
}

// describe completes the metadata of file and columns, in the order in which Java writes it.
func (d *driver) describe(s *arrow.Schema, o Options) error {
	sum := trevniwire.CRC32
	if o.Checksum == "null" {
		sum = trevniwire.NoChecksum
	}
	meta := trevniwire.Meta{{Key: trevniwire.KeyCodec, Value: []byte(trevniwire.CodecName(d.codec))}}
	if sum != trevniwire.NoChecksum {
		meta = append(meta, trevniwire.Pair{Key: trevniwire.KeyChecksum, Value: []byte(sum.String())})
		if d.codec == blockcodec.None { // Java stores zeros there
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
		c.Codec, c.Checksum = d.codec, sum
		c.Values = c.Parent < 0 && !c.Array && c.Type != trevniwire.Boolean && c.Type != trevniwire.Null &&
			(slices.Contains(o.Values, c.Name) || slices.Contains(o.Values, "*"))
		c.Meta = d.columnMeta(i, user[i])
	}
	for _, v := range o.Values {
		if v != "*" && !slices.ContainsFunc(d.columns, func(c trevniwire.Column) bool { return c.Name == v && c.Values }) {
			return errs.Errorf(errs.ErrOption, "%w: %q is no column that can have first values (top level, never null, not boolean)", errs.Opt("trevni-values", ""), v)
		}
	}
	return nil
}

func (d *driver) columnMeta(i int, user arrow.Metadata) trevniwire.Meta {
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
	for _, p := range trevniwire.UserMeta(user) {
		if !trevniwire.Reserved(p.Key) && p.Key != trevniwire.KeySorted { // what the format says is for the writer to say
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
