package cfile

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Metadata of Arrow schemas and fields that the reader of tables and sets makes.
const (
	metaTable   = "kudu.table"
	metaKey     = "kudu.key"
	metaComment = "kudu.comment"
)

// planner makes a plan.
type planner struct {
	format  string
	set     settings
	schema  *arrow.Schema
	d       *driver
	planned []arrowio.PlannedColumn
	refused []string
	misused []misuse
}

// misuse is a column of which an option asks for what cannot be.
type misuse struct{ option, text string }

func plan(format string, s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if err := plans.NoRowGroups(o); err != nil {
		return nil, err
	}
	set, err := parseSettings(format, s, o)
	if err != nil {
		return nil, err
	}
	return planWith(format, s, o, set)
}

// StoredColumn says how a set stores a column.
type StoredColumn struct {
	Name        string
	Key         bool   // the column is part of the key
	Encoding    string // a value of the option kudu-encoding
	Compression string // a value of the option kudu-compression; "default" = none
	BlockSize   int32  // bytes; 0 = the default
}

// PlanLike plans rowsets for rows that were read from a set: with the same key, encodings, codecs and block sizes. Of the
// options it uses those that are not specific to the format.
func PlanLike(table string, columns []StoredColumn, s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	like := settings{table: table}
	like.encoding.some, like.compression.some, like.blockSize.some = map[string]cfilewire.Encoding{}, map[string]cfilewire.Compression{}, map[string]int32{}
	for _, c := range columns {
		if c.Key {
			like.key = append(like.key, c.Name)
		}
		encoding, ok := parseEncoding(c.Encoding)
		if !ok {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "the encoding %s is not written", c.Encoding), errs.At{Format: KuduName, Column: c.Name})
		}
		codec, ok := parseCompression(c.Compression)
		if !ok && c.Compression != cfilewire.DefaultCompression.String() {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "the compression %s is not written", c.Compression), errs.At{Format: KuduName, Column: c.Name})
		}
		like.encoding.some[c.Name], like.compression.some[c.Name], like.blockSize.some[c.Name] = encoding, codec, c.BlockSize
	}
	p, err := planWith(KuduName, s, o, like)
	return p, errs.Locate(err, errs.At{Format: KuduName})
}

func planWith(format string, s *arrow.Schema, o arrowio.WriteOptions, set settings) (*arrowio.WritePlan, error) {
	p := &planner{format: format, schema: s, set: set}
	p.d = &driver{format: format, maxFile: o.MaxFileBytes, maxRows: math.MaxUint32, workers: o.Parallelism, indexed: -1, indexBlock: set.indexBlock}
	if p.d.maxFile <= 0 && format == KuduName {
		p.d.maxFile = DefaultRowSetBytes
	}
	if p.d.workers <= 0 {
		p.d.workers = runtime.GOMAXPROCS(0)
	}
	if s.NumFields() == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "the rows have no columns, and each column would be a file")
	}
	if lim := (arrowio.Limits{}).WithDefaults(); s.NumFields() > lim.Columns {
		return nil, errs.Errorf(errs.ErrLimit, "%d columns, more than the limit Columns = %d", s.NumFields(), lim.Columns)
	}
	order, err := p.order()
	if err != nil {
		return nil, err
	}
	if p.d.keys == 1 {
		p.d.indexed = 0
	}
	for i, field := range order {
		p.column(i, field)
	}
	if len(p.refused) > 0 {
		return nil, errs.Errorf(errs.ErrSchema, "%s has no place for %s", format, strings.Join(p.refused, ", "))
	}
	if err := p.misuses(); err != nil {
		return nil, err
	}
	names := make([]string, len(p.d.columns))
	key := 0
	for i := range names {
		names[i] = p.d.columns[i].wire.Name
		if i < p.d.keys {
			key += p.d.columns[i].wire.Type.Width()
		}
	}
	if key > mostKey {
		return nil, errs.Errorf(errs.ErrSchema, "a key of %d bytes, where %d are the most", key, mostKey)
	}
	for i, file := range fileNames(names) {
		p.d.columns[i].file = file
	}
	w := &arrowio.WritePlan{Format: format, Schema: s, Columns: p.planned, Metadata: p.metadata(), Options: o, Driver: p.d}
	if !p.d.kept {
		for _, c := range p.d.keyColumns() {
			w.Key = append(w.Key, c.wire.Name)
		}
	}
	plans.AddKey(w)
	return w, nil
}

// order returns the fields in the order of the set's columns: those of the key first.
func (p *planner) order() ([]int, error) {
	all := make([]int, p.schema.NumFields())
	for i := range all {
		all[i] = i
	}
	if p.format != KuduName {
		return all, nil
	}
	var key []int
	for _, name := range p.set.key {
		key = append(key, p.schema.FieldIndices(name)[0])
	}
	if p.set.key == nil {
		for i, f := range p.schema.Fields() {
			if v, _ := f.Metadata.GetValue(metaKey); v == "true" {
				key = append(key, i)
			}
		}
	}
	if len(key) == 0 {
		return nil, errs.Errorf(errs.ErrOption, "a table has a primary key: say with %w which columns it has", errs.Opt("kudu-key", "COLUMN[,COLUMN…]"))
	}
	p.d.keys = len(key)
	for _, i := range all {
		if !slices.Contains(key, i) {
			key = append(key, i)
		}
	}
	return key, nil
}

// column plans column i of the set, which is the field of that number.
func (p *planner) column(i, field int) {
	f := p.schema.Field(field)
	p.d.columns = append(p.d.columns, column{field: field})
	c := &p.d.columns[i]
	c.wire = kuduwire.Column{ID: int32(i), HasID: true, Name: f.Name, Nullable: f.Nullable, BlockSize: p.set.blockSize.of(f.Name)}
	c.wire.Key = i < p.d.keys
	m := mapper{table: p.format == KuduName, truncate: p.set.truncate, option: p.format + "-timestamps", wire: &c.wire}
	m.varchar = p.set.varchar.of(f.Name)
	refusal := m.choose(f)
	if _, told := p.set.varchar.some[f.Name]; told && refusal == "" && c.wire.Type != cfilewire.Varchar {
		p.misuse("varchar", f, "a VARCHAR is a string")
	}
	c.form = m.form
	c.wire.Encoding = p.set.encoding.of(f.Name).Resolve(c.wire.Type)
	c.wire.Compression = p.set.compression.of(f.Name)
	p.index(i, f)
	if refusal == "" {
		refusal = p.refuse(i, f)
	}
	if refusal != "" {
		if text := fmt.Sprintf("%s (%s: %s)", f.Name, f.Type, refusal); !slices.Contains(p.refused, text) {
			p.refused = append(p.refused, text)
		}
		return
	}
	if v, ok := f.Metadata.GetValue(metaComment); ok && utf8.ValidString(v) {
		c.wire.Comment = v
	}
	c.table, c.indexed = p.format == KuduName, i == p.d.indexed
	losses := p.losses(c, f, m.note)
	if c.wire.Key || i == p.d.indexed && !p.d.kept {
		if f.Nullable {
			losses = append(losses, "comes back as not nullable")
		}
		c.wire.Nullable = false
	} else if c.wire.Nullable && (p.set.allNotNull || p.set.notNull[f.Name]) {
		losses = append(losses, "comes back as not nullable")
		c.wire.Nullable = false
	}
	if i != field {
		losses = append(losses, fmt.Sprintf("comes back as column %d instead of %d: those of the key come first", i+1, field+1))
	}
	refused := m.refused
	if f.Nullable && !c.wire.Nullable {
		refused = plans.Join(refused, "nulls")
	}
	p.planned = append(p.planned, arrowio.PlannedColumn{
		Refused: refused,
		Path:    schemadiff.Path(f.Name), Type: f.Type.String(), Stored: typeName(&c.wire), Loss: strings.Join(losses, "; "),
		Encoding: c.encoding(p.d.kept), Advice: c.advice(p.format),
	})
}

// index decides whether the file of column i gets an index of values.
func (p *planner) index(i int, f arrow.Field) {
	if p.format != Name || p.set.noIndex || p.d.indexed >= 0 {
		return
	}
	if p.set.ascending != "" {
		if f.Name == p.set.ascending {
			p.d.indexed = i
		}
		return
	}
	had := false
	if v, ok := f.Metadata.GetValue(cfilewire.MetaKey); ok {
		had = v == "true"
	} else if md := p.schema.Metadata(); p.schema.NumFields() == 1 { // a lone file
		had = md.FindKey(cfilewire.MetaPrefix+cfilewire.MetaMinKey) >= 0 && md.FindKey(cfilewire.MetaPrefix+cfilewire.MetaMaxKey) >= 0
	}
	c := &p.d.columns[i].wire
	if had && c.Type.IsKey() && (!c.Nullable || p.set.allNotNull || p.set.notNull[f.Name]) {
		p.d.indexed, p.d.kept = i, true
	}
}

// refuse says why a column cannot be written as it is, for reasons other than its type.
func (p *planner) refuse(i int, f arrow.Field) string {
	c := &p.d.columns[i].wire
	switch {
	case f.Name == "":
		return "it has no name"
	case !utf8.ValidString(f.Name):
		return "the name is not UTF-8"
	case p.format == KuduName && strings.ContainsRune(f.Name, 0):
		return "the name has a zero byte"
	case len(p.schema.FieldIndices(f.Name)) > 1:
		return fmt.Sprintf("%d columns have this name", len(p.schema.FieldIndices(f.Name)))
	case (c.Key || i == p.d.indexed) && !c.Type.IsKey():
		return c.Type.String() + " is not for keys"
	}
	if encodes(c.Type, c.Encoding) {
		return ""
	}
	var takes []string
	for e := cfilewire.EncodingAuto; e <= cfilewire.EncodingBitShuffle; e++ {
		if _, ok := parseEncoding(e.String()); ok && encodes(c.Type, e.Resolve(c.Type)) {
			takes = append(takes, e.String())
		}
	}
	p.misuse("encoding", f, fmt.Sprintf("%s is no encoding of %s, which takes %s", c.Encoding, c.Type, strings.Join(takes, ", ")))
	return ""
}

func encodes(t cfilewire.DataType, e cfilewire.Encoding) bool {
	return cfilewire.CheckEncoding(&cfilewire.Footer{Type: t, Encoding: e}) == nil
}

// misuse says why an option cannot be for a column.
func (p *planner) misuse(option string, f arrow.Field, why string) {
	p.misused = append(p.misused, misuse{option, fmt.Sprintf("%s (%s: %s)", f.Name, f.Type, why)})
}

// misuses returns the error of the first option that asks for what cannot be, with all its columns; nil = none does.
func (p *planner) misuses() error {
	var texts []string
	for _, m := range p.misused {
		if m.option == p.misused[0].option {
			texts = append(texts, m.text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errs.Errorf(errs.ErrOption, "%w does not fit %s", errs.Opt(p.format+"-"+p.misused[0].option, ""), strings.Join(texts, ", "))
}

// losses says what reading the set back will not show of a column.
func (p *planner) losses(c *column, f arrow.Field, note string) (losses []string) {
	back, kuduType, err := cfilewire.ArrowType(c.wire.Type, cfilewire.ArrowOptions{Precision: c.wire.Precision, Scale: c.wire.Scale, Length: c.wire.Length})
	if err != nil {
		return []string{err.Error()} // there is none
	}
	if !arrow.TypeEqual(f.Type, back) {
		losses = append(losses, "comes back as "+back.String()+note)
	}
	if name, storage := schemadiff.Extension(f); name != "" && !schemadiff.Stores(storage, back) {
		f = schemadiff.WithoutExtension(f)
		losses = append([]string{plans.WithoutExtensionType(name)}, losses...)
	}
	md := arrowmeta.OfField(f)
	shown := c.shown(kuduType)
	for i, k := range md.Keys() {
		v := md.Values()[i]
		switch {
		case has(shown, k): // the column says it, in these or other words
			if k == cfilewire.MetaType && v != kuduType && c.wire.Type == cfilewire.Varchar {
				losses = append(losses, "comes back as "+kuduType)
				continue
			}
		case k == metaKey && c.table, k == cfilewire.MetaKey, !utf8.ValidString(k), k == cfilewire.MetaType && v != c.wire.Type.String():
			// it would not be so
		default:
			c.meta = append(c.meta, kuduwire.SetMeta{Key: k, Value: []byte(v)})
		}
	}
	if c.indexed && !c.table {
		c.meta = append(c.meta, kuduwire.SetMeta{Key: cfilewire.MetaKey, Value: []byte("true")})
	}
	shown = append(shown, c.meta...)
	if e, ok := f.Type.(arrow.ExtensionType); ok && len(losses) > 0 && arrow.TypeEqual(arrowtype.Value(e), back) {
		losses = losses[1:] // the metadata keep it
	}
	keys, values := make([]string, len(shown)), make([]string, len(shown))
	for i, m := range shown {
		keys[i], values[i] = m.Key, string(m.Value)
	}
	if lost := schemadiff.Keys(f.Metadata, arrow.NewMetadata(keys, values)); len(lost) > 0 {
		losses = append(losses, schemadiff.WithoutMetadata(lost))
	}
	return losses
}

// shown returns the metadata that readers make of what a column is.
func (c *column) shown(kuduType string) (m []kuduwire.SetMeta) {
	if kuduType != "" {
		m = append(m, kuduwire.SetMeta{Key: cfilewire.MetaType, Value: []byte(kuduType)})
	}
	if c.wire.Key {
		m = append(m, kuduwire.SetMeta{Key: metaKey, Value: []byte("true")})
	}
	if c.wire.Comment != "" {
		m = append(m, kuduwire.SetMeta{Key: metaComment, Value: []byte(c.wire.Comment)})
	}
	return m
}

func has(m []kuduwire.SetMeta, key string) bool {
	return slices.ContainsFunc(m, func(kv kuduwire.SetMeta) bool { return kv.Key == key })
}

// metadata keeps the schema's metadata in schema.json, but for the name of the table, which has a place of its own; and a
// lone file gets what its footer had.
func (p *planner) metadata() (planned []arrowio.PlannedKey) {
	md := p.schema.Metadata()
	for i, k := range md.Keys() {
		v := md.Values()[i]
		name, footer := strings.CutPrefix(k, cfilewire.MetaPrefix)
		key := arrowio.PlannedKey{Key: k, Stored: kuduwire.SetFileName}
		switch {
		case k == metaTable && p.d.table == "" && p.set.table == "" && v != "" && utf8.ValidString(v):
			p.d.table = v
		case k == metaTable && p.set.table == v:
		case k == metaTable:
			key.Loss = "the table has another name"
		case footer && (name == cfilewire.MetaMinKey || name == cfilewire.MetaMaxKey):
			key.Loss = "it would be of other rows"
			if p.d.indexed >= 0 && p.format == Name {
				if key.Loss = "the file of the column has its own"; p.d.kept {
					key.Loss += " as long as the values ascend"
				}
			}
		case !utf8.ValidString(k):
			key.Loss = "the key is not UTF-8"
		default:
			p.d.schemaMeta = append(p.d.schemaMeta, kuduwire.SetMeta{Key: k, Value: []byte(v)})
			if footer && p.format == Name && len(p.d.columns) == 1 && name != cfilewire.MetaDeltaStats {
				p.d.meta = append(p.d.meta, cfilewire.Pair{Key: name, Value: []byte(v)})
			}
		}
		if key.Loss != "" {
			key.Stored = ""
		}
		if k == "" {
			key.Key = `""`
		}
		planned = append(planned, key)
	}
	if p.set.table != "" {
		p.d.table = p.set.table
	}
	return planned
}

// encoding tells how values are stored; kept says that an index is left out where values do not ascend.
func (c *column) encoding(kept bool) string {
	text := fmt.Sprintf("%s, %s blocks, %s", c.wire.Encoding, sizeName(c.wire.BlockSize), c.wire.Compression)
	if c.indexed {
		text += ", index of values"
		if kept {
			text += " as long as they ascend"
		}
	}
	return text
}

// advice says what other options would do better.
func (c *column) advice(format string) string {
	if c.wire.Encoding != cfilewire.EncodingBitShuffle || c.wire.Compression.Codec() == blockcodec.None {
		return ""
	}
	return "bitshuffle has LZ4 inside, and a codec on top rarely makes it smaller: --" + format + "-compression COLUMN=none"
}

// typeName is Kudu's type with what belongs to it.
func typeName(c *kuduwire.Column) string {
	switch {
	case c.Precision > 0:
		return fmt.Sprintf("%s(%d,%d)", c.Type, c.Precision, c.Scale)
	case c.Length > 0:
		return fmt.Sprintf("%s(%d)", c.Type, c.Length)
	}
	return c.Type.String()
}

func sizeName(n int32) string {
	if n == 0 {
		n = cfilewire.DefaultBlockSize
	}
	if n%1024 == 0 {
		return fmt.Sprintf("%d KiB", n/1024)
	}
	return fmt.Sprintf("%d B", n)
}
