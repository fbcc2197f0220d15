package writertest

import (
	"encoding/binary"
	"math/rand"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
)

// Random makes schemas and batches: types at any depth, with the layouts that Arrow allows. What a format takes of names,
// types and values, its fields say; those that may be nil are marked.
type Random struct {
	*rand.Rand
	Gen conformance.Generator

	Name  func() string                    // of a field
	Flat  func() arrow.DataType            // a type without children
	Key   func() arrow.DataType            // of the keys of a map
	Union func(depth int) arrow.DataType   // types below it are depth-1 deep
	Field func(f arrow.Field) arrow.Field  // may be nil: changes a new field
	Fixed func(t arrow.DataType, b []byte) // changes values of fixed width in place
	// Text may be nil. It returns other buffers, for the caller to release but for the first, or nil, for strings and bytes.
	Text func(d arrow.ArrayData, storage arrow.DataType, f arrow.Field) []*memory.Buffer
}

// NewRandom returns a Random that lacks what a format says.
func NewRandom(src rand.Source, mem memory.Allocator) *Random {
	r := rand.New(src)
	return &Random{Rand: r, Gen: conformance.Generator{Rand: r, Mem: mem}}
}

// OneOf is true once in n times.
func (r *Random) OneOf(n int) bool { return r.Intn(n) == 0 }

// Pick returns one of several.
func Pick[T any](r *Random, of ...T) T { return of[r.Intn(len(of))] }

// Record makes n rows, often a slice of more. The caller releases it.
func (r *Random) Record(s *arrow.Schema, n int) arrow.Record {
	before, after := 0, 0
	if r.OneOf(2) {
		before, after = r.Intn(20), r.Intn(20)
	}
	raw := r.Gen.Record(s, before+n+after)
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

// fit returns d with values that the format takes. Some dictionaries get nulls among their values. The caller releases the
// result.
func (r *Random) fit(d arrow.ArrayData, f arrow.Field) *array.Data {
	dt := d.DataType()
	storage := Storage(dt)
	if ree, ok := storage.(*arrow.RunEndEncodedType); ok {
		runs := d.Children()[1]
		values := r.fresh(arrow.Field{Type: ree.Encoded(), Nullable: f.Nullable}, runs.Len())
		defer values.Release()
		return array.NewData(dt, d.Len(), d.Buffers(), []arrow.ArrayData{d.Children()[0], values}, 0, d.Offset())
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, k := range d.Children() {
		child := arrow.Field{Type: k.DataType()}
		switch t := storage.(type) {
		case *arrow.MapType:
		case arrow.ListLikeType:
			child = t.ElemField()
		case arrow.NestedType:
			child = t.Fields()[i]
		}
		children[i] = r.fit(k, child)
	}
	buffers := d.Buffers()
	switch storage.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		if r.Text == nil {
			break
		}
		if others := r.Text(d, storage, f); others != nil {
			buffers = others
			for _, b := range others[1:] {
				defer b.Release()
			}
		}
	}
	out := array.NewData(dt, d.Len(), buffers, children, d.NullN(), d.Offset())
	for _, k := range children {
		k.Release()
	}
	if t, ok := storage.(*arrow.DictionaryType); ok {
		old := d.(interface{ Dictionary() arrow.ArrayData }).Dictionary()
		values := f
		values.Type = t.ValueType
		dict := r.fresh(values, old.Len())
		out.SetDictionary(dict)
		dict.Release()
		return out
	}
	if fixed, ok := storage.(arrow.FixedWidthDataType); ok && len(d.Buffers()) == 2 && fixed.BitWidth() >= 8 {
		r.Fixed(storage, d.Buffers()[1].Bytes())
	}
	return out
}

// fresh makes n values of their own.
func (r *Random) fresh(f arrow.Field, n int) *array.Data {
	f.Name = "v"
	rec := r.Gen.Record(arrow.NewSchema([]arrow.Field{f}, nil), n)
	defer rec.Release()
	return r.fit(rec.Column(0).Data(), f)
}

// Storage returns the type behind extensions.
func Storage(dt arrow.DataType) arrow.DataType {
	for {
		e, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = e.StorageType()
	}
}

// Fields makes n fields.
func (r *Random) Fields(n, depth int) []arrow.Field {
	out := make([]arrow.Field, n)
	for i := range out {
		out[i] = r.NewField(r.Name(), depth)
	}
	return out
}

// NewField makes a field with a name.
func (r *Random) NewField(name string, depth int) arrow.Field {
	f := arrow.Field{Name: name, Nullable: r.OneOf(2), Type: r.DataType(depth)}
	f.Nullable = f.Nullable || f.Type.ID() == arrow.NULL
	if r.Field != nil {
		f = r.Field(f)
	}
	return f
}

// IndexTypes are those of dictionaries.
var IndexTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
}

// DataType makes a type, up to depth deep.
func (r *Random) DataType(depth int) arrow.DataType {
	if depth <= 0 || r.OneOf(3) {
		return r.Flat()
	}
	elem := func() arrow.Field { return r.NewField("item", depth-1) }
	switch r.Intn(15) {
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
		return arrow.StructOf(r.Fields(r.Intn(5), depth-1)...)
	case 9:
		m := arrow.MapOf(r.Key(), r.DataType(depth-1))
		if m.ItemType().ID() != arrow.NULL && r.OneOf(2) {
			m.SetItemNullable(false)
		}
		return m
	case 10, 11:
		return r.Union(depth)
	case 12:
		return &arrow.DictionaryType{IndexType: Pick(r, IndexTypes...), ValueType: r.DataType(depth - 1)}
	case 13:
		return arrow.RunEndEncodedOf(Pick[arrow.DataType](r, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64), r.DataType(depth-1))
	}
	t := r.DataType(depth - 1)
	if t.ID() == arrow.NULL {
		return t // arrow v15 counts the nulls of a slice of such an extension by a bitmap that is not there
	}
	return conformance.LabelOf(t)
}

// UnionOf makes a union of fields: of either mode, with codes.
func (r *Random) UnionOf(fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.DataType {
	if r.OneOf(2) {
		return arrow.SparseUnionOf(fields, codes)
	}
	return arrow.DenseUnionOf(fields, codes)
}

// FuzzSource is a source of random numbers that a fuzzer chooses; behind the bytes it goes on by itself.
type FuzzSource struct {
	Bytes []byte
	Rest  rand.Source
}

// Int63 implements rand.Source.
func (s *FuzzSource) Int63() int64 {
	if len(s.Bytes) == 0 {
		return s.Rest.Int63()
	}
	var x [8]byte
	// One byte decides little choices: it goes to the highest bits, which rand.Intn looks at, and to the lowest.
	x[7], x[0], x[4] = s.Bytes[0]&0x7f, s.Bytes[0], s.Bytes[0]
	s.Bytes = s.Bytes[1:]
	return int64(binary.LittleEndian.Uint64(x[:]))
}

// Seed implements rand.Source, and does nothing.
func (s *FuzzSource) Seed(int64) {}
