package trevni_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
)

// sample is data for the writer and how to write it.
type sample struct {
	name    string
	schema  *arrow.Schema
	recs    []arrow.Record
	options arrowio.WriteOptions
	plain   bool // trevni-schema=columns
}

func (s *sample) release() { release(s.recs) }

// randomizer makes samples: every type that the writer takes, at any depth, with the layouts that Arrow allows.
type randomizer struct {
	*rand.Rand
	gen conformance.Generator
}

func newRandomizer(src rand.Source, mem memory.Allocator) *randomizer {
	r := rand.New(src)
	return &randomizer{Rand: r, gen: conformance.Generator{Rand: r, Mem: mem}}
}

func (r *randomizer) oneOf(n int) bool { return r.Intn(n) == 0 }

func pick[T any](r *randomizer, of ...T) T { return of[r.Intn(len(of))] }

// sample makes a schema and batches of it; no more rows than most.
func (r *randomizer) sample(most int) *sample {
	s := &sample{plain: r.oneOf(4)}
	n := pick(r, 1, 2, 3, 3, 4, 5, 8)
	if r.oneOf(40) {
		n = 0
	}
	var fields []arrow.Field
	if s.plain {
		used := map[string]bool{}
		for range n {
			fields = append(fields, r.plainField(used, "", 1+r.Intn(3)))
		}
	} else {
		fields = r.fields(n, 1+r.Intn(4))
	}
	md := arrow.NewMetadata(nil, nil)
	if r.oneOf(3) {
		md = arrow.NewMetadata([]string{"trevni.owner", "trevni.", "other"}, []string{"Zoë \"the\\first\"", "", "not for the file"})
	}
	s.schema = arrow.NewSchema(fields, &md)
	r.gen.Nulls = pick(r, 0, 0.1, 0.5, 0.9, 1)
	for range pick(r, 0, 1, 1, 2, 3, 6) {
		s.recs = append(s.recs, r.record(s.schema, r.Intn(pick(r, 1, 2, 10, 100, most)+1)))
	}
	s.options = r.options(s.plain)
	if n == 0 && s.options.Options["trevni-schema"] == "" {
		s.plain = true // nothing to shred
	}
	return s
}

func (r *randomizer) options(plain bool) arrowio.WriteOptions {
	o := arrowio.WriteOptions{
		Compression: pick(r, "none", "null", "snappy", "snappy:3", "deflate", fmt.Sprintf("deflate:%d", r.Intn(10)), ""),
		Parallelism: 1 + r.Intn(2),
		Options:     map[string]string{"trevni-checksum": pick(r, "crc32", "null", "")},
		Allocator:   r.gen.Mem,
	}
	if r.oneOf(4) {
		o.RowGroupBytes = int64(1 + r.Intn(3000))
	}
	if r.oneOf(8) {
		o.MaxFileBytes = int64(1 + r.Intn(3000))
	}
	if r.oneOf(3) {
		o.Memory = int64(1 + r.Intn(1000))
	}
	if r.oneOf(3) {
		o.Options["trevni-values"] = "*"
	}
	if plain {
		o.Options["trevni-schema"] = "columns"
	} else if r.oneOf(2) {
		o.Options["trevni-schema"] = "avro"
	}
	return o
}

// record makes n rows, often a slice of more.
func (r *randomizer) record(s *arrow.Schema, n int) arrow.Record {
	before, after := 0, 0
	if r.oneOf(2) {
		before, after = r.Intn(20), r.Intn(20)
	}
	raw := r.gen.Record(s, before+n+after)
	defer raw.Release()
	cols := make([]arrow.Array, raw.NumCols())
	for i, c := range raw.Columns() {
		d := r.fit(c.Data(), s.Field(i))
		cols[i] = array.MakeFromData(d)
		d.Release()
		defer cols[i].Release()
	}
	whole := array.NewRecord(s, cols, int64(before+n+after))
	defer whole.Release()
	return whole.NewSlice(int64(before), int64(before+n))
}

// fit returns d with values that the writer takes: it refuses what a file could not hold. Some dictionaries get nulls
// among their values, some numbers become extreme. The caller releases the result.
func (r *randomizer) fit(d arrow.ArrayData, f arrow.Field) *array.Data {
	dt := d.DataType()
	storage := dt
	for {
		e, ok := storage.(arrow.ExtensionType)
		if !ok {
			break
		}
		storage = e.StorageType()
	}
	if ree, ok := storage.(*arrow.RunEndEncodedType); ok {
		runs := d.Children()[1]
		values := r.fresh(arrow.Field{Type: ree.Encoded(), Nullable: f.Nullable}, runs.Len())
		defer values.Release()
		return array.NewData(dt, d.Len(), d.Buffers(), []arrow.ArrayData{d.Children()[0], values}, 0, d.Offset())
	}
	kids := make([]arrow.ArrayData, len(d.Children()))
	for i, k := range d.Children() {
		kid := arrow.Field{Type: k.DataType()}
		switch t := storage.(type) {
		case *arrow.MapType:
		case arrow.ListLikeType:
			kid = t.ElemField()
		case arrow.NestedType:
			kid = t.Fields()[i]
		}
		kids[i] = r.fit(k, kid)
	}
	out := array.NewData(dt, d.Len(), d.Buffers(), kids, d.NullN(), d.Offset())
	for _, k := range kids {
		k.Release()
	}
	if t, ok := storage.(*arrow.DictionaryType); ok {
		old := d.(interface{ Dictionary() arrow.ArrayData }).Dictionary()
		dict := r.fresh(arrow.Field{Type: t.ValueType, Nullable: f.Nullable}, old.Len())
		out.SetDictionary(dict)
		dict.Release()
	}
	if fixed, ok := storage.(arrow.FixedWidthDataType); ok && len(d.Buffers()) == 2 {
		r.fitFixed(storage, fixed.BitWidth()/8, d.Buffers()[1].Bytes())
	}
	return out
}

// fresh makes n values of their own.
func (r *randomizer) fresh(f arrow.Field, n int) *array.Data {
	f.Name = "v"
	rec := r.gen.Record(arrow.NewSchema([]arrow.Field{f}, nil), n)
	defer rec.Release()
	return r.fit(rec.Column(0).Data(), f)
}

func (r *randomizer) fitFixed(t arrow.DataType, width int, b []byte) {
	if width == 0 || t.ID() == arrow.DICTIONARY {
		return
	}
	for i := 0; i+width <= len(b); i += width {
		v := b[i : i+width]
		if r.oneOf(12) && (arrow.IsFloating(t.ID()) || arrow.IsInteger(t.ID()) || t.ID() == arrow.DATE32 || t.ID() == arrow.DURATION) {
			switch r.Intn(3) {
			case 0: // the least integer, a negative zero
				clear(v)
				v[width-1] = 0x80
			case 1: // the greatest
				for k := range v {
					v[k] = 0xff
				}
				v[width-1] = 0x7f
			case 2: // any bits, among them NaNs with payloads
				r.Read(v)
				if arrow.IsFloating(t.ID()) {
					v[width-1] = 0x7f | v[width-1]&0x80
				}
			}
		}
		switch t := t.(type) {
		case *arrow.Uint64Type:
			v[7] &= 0x7f
		case *arrow.TimestampType:
			x := int64(binary.LittleEndian.Uint64(v))
			switch t.Unit {
			case arrow.Second:
				x = max(min(x, math.MaxInt64/1000), math.MinInt64/1000)
			case arrow.Nanosecond:
				x -= x % 1000
			}
			binary.LittleEndian.PutUint64(v, uint64(x))
		case *arrow.Time64Type:
			if t.Unit == arrow.Nanosecond {
				binary.LittleEndian.PutUint64(v, binary.LittleEndian.Uint64(v)*1000)
			}
		}
	}
}

// flatTypes are those that the writer takes; intervals it refuses.
func flatTypes() []arrow.DataType {
	var out []arrow.DataType
	for _, t := range conformance.FlatTypes() {
		switch t.ID() {
		case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		default:
			out = append(out, t)
		}
	}
	return append(out,
		&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Nanosecond},
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "America/New_York"}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		arrow.FixedWidthTypes.Duration_ns, &arrow.Decimal128Type{Precision: 18, Scale: 18}, &arrow.Decimal256Type{Precision: 40, Scale: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16})
}

var flats = flatTypes()

// names holds what fields are called: few are Avro names, some are words of Avro's own.
var names = []string{
	"a", "b", "c", "x", "name", "value", "key", "item", "", "Row", "Row_2", "int", "long", "string", "null", "array", "map", "record", "union", "bytes",
	"a.b", "a#b", "a[]", "m>key", "u/int", "Zürich", "語", "9lives", "two words", "quote\"\\", "_", "a_b", "tab\there", "🙂",
}

// fields makes n fields; two may have the same name.
func (r *randomizer) fields(n, depth int) []arrow.Field {
	out := make([]arrow.Field, n)
	for i := range out {
		out[i] = r.field(pick(r, names...), depth)
	}
	return out
}

func (r *randomizer) field(name string, depth int) arrow.Field {
	f := arrow.Field{Name: name, Nullable: r.oneOf(2), Type: r.dataType(depth)}
	f.Nullable = f.Nullable || f.Type.ID() == arrow.NULL
	return f
}

func (r *randomizer) dataType(depth int) arrow.DataType {
	if depth <= 0 || r.oneOf(3) {
		return pick(r, flats...)
	}
	elem := func() arrow.Field { return r.field("item", depth-1) }
	switch r.Intn(14) {
	case 0, 1:
		return arrow.ListOfField(elem())
	case 2:
		return arrow.LargeListOfField(elem())
	case 3:
		return arrow.FixedSizeListOfField(int32(1+r.Intn(3)), elem())
	case 4:
		return arrow.ListViewOfField(elem())
	case 5:
		return arrow.LargeListViewOfField(elem())
	case 6, 7, 8:
		return arrow.StructOf(r.fields(r.Intn(5), depth-1)...)
	case 9:
		m := arrow.MapOf(pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView), r.dataType(depth-1))
		if m.ItemType().ID() != arrow.NULL && r.oneOf(2) {
			m.SetItemNullable(false)
		}
		return m
	case 10:
		return r.union(depth)
	case 11:
		return &arrow.DictionaryType{IndexType: pick(r, indexTypes...), ValueType: r.dataType(depth - 1)}
	case 12:
		return arrow.RunEndEncodedOf(pick[arrow.DataType](r, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64), r.dataType(depth-1))
	}
	t := r.dataType(depth - 1)
	if t.ID() == arrow.NULL {
		return t // arrow v15 counts the nulls of a slice of such an extension by a bitmap that is not there
	}
	return conformance.LabelOf(t)
}

var indexTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
}

// union makes branches that Avro can tell apart: one of each kind.
func (r *randomizer) union(depth int) arrow.DataType {
	kinds := []func() arrow.DataType{
		func() arrow.DataType { return arrow.Null },
		func() arrow.DataType { return arrow.FixedWidthTypes.Boolean },
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Date32)
		},
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint32)
		},
		func() arrow.DataType { return arrow.PrimitiveTypes.Float32 },
		func() arrow.DataType { return arrow.PrimitiveTypes.Float64 },
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
		},
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.BinaryTypes.Binary, &arrow.Decimal128Type{Precision: 20, Scale: 2})
		},
		func() arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: 3} },
		func() arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: 5} },
		func() arrow.DataType { return arrow.StructOf(r.fields(r.Intn(3), depth-1)...) },
		func() arrow.DataType { return arrow.StructOf(r.fields(r.Intn(3), depth-1)...) },
		func() arrow.DataType { return arrow.ListOfField(r.field("item", depth-1)) },
		func() arrow.DataType { return arrow.MapOf(arrow.BinaryTypes.String, pick(r, flats...)) },
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	n := 1 + r.Intn(5)
	fields := make([]arrow.Field, n)
	codes := make([]arrow.UnionTypeCode, n)
	code := r.Intn(20)
	for i := range fields {
		fields[i] = arrow.Field{Name: pick(r, names...), Type: kinds[i](), Nullable: r.oneOf(2)}
		codes[i] = arrow.UnionTypeCode(code)
		code += 1 + r.Intn(20)
	}
	if r.oneOf(2) {
		return arrow.SparseUnionOf(fields, codes)
	}
	return arrow.DenseUnionOf(fields, codes)
}

// plainField makes a field for trevni-schema=columns: flat values, lists of them, and lists of structs of such.
func (r *randomizer) plainField(used map[string]bool, path string, depth int) arrow.Field {
	f := arrow.Field{Name: pick(r, names...)}
	full := func() string {
		if path == "" {
			return f.Name
		}
		return path + "." + f.Name
	}
	for used[full()] {
		f.Name += "+"
	}
	used[full()] = true
	switch {
	case depth > 0 && r.oneOf(3):
		var kids []arrow.Field
		for range 1 + r.Intn(3) {
			kids = append(kids, r.plainField(used, full(), depth-1))
		}
		f.Type = arrow.ListOfNonNullable(arrow.StructOf(kids...))
	case depth > 0 && r.oneOf(3):
		f.Type = arrow.ListOfNonNullable(r.plainType())
	default:
		f.Type = r.plainType()
		f.Nullable = f.Type.ID() == arrow.NULL
	}
	return f
}

func (r *randomizer) plainType() arrow.DataType {
	for {
		t := pick(r, flats...)
		if arrow.IsDecimal(t.ID()) || t.ID() == arrow.DATE64 {
			continue
		}
		if r.oneOf(8) {
			t = &arrow.DictionaryType{IndexType: pick(r, indexTypes...), ValueType: t}
		}
		return t
	}
}
