package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Generator makes random arrays of any type. They are valid, and use what Arrow allows but writers rarely do: null slots have
// arbitrary values, null lists have elements, children are longer than needed, list views overlap, dictionaries have equal
// entries, floats are NaN, infinite or -0. The same seed makes the same arrays.
type Generator struct {
	Rand  *rand.Rand
	Mem   memory.Allocator
	Nulls float64 // share of null slots, where nulls are allowed
}

// Record returns n rows of schema s. The caller releases it.
func (g *Generator) Record(s *arrow.Schema, n int) arrow.Record {
	cols := make([]arrow.Array, s.NumFields())
	for i, f := range s.Fields() {
		d := g.field(f, n)
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	return array.NewRecord(s, cols, int64(n))
}

// Array returns n values of type dt. The caller releases it.
func (g *Generator) Array(dt arrow.DataType, n int) arrow.Array {
	d := g.data(dt, n, true)
	defer d.Release()
	return array.MakeFromData(d)
}

// Sliced returns n values of type dt as a slice of a longer array. The caller releases it.
func (g *Generator) Sliced(dt arrow.DataType, n int) arrow.Array {
	before, after := g.Rand.Intn(20), g.Rand.Intn(20)
	whole := g.Array(dt, before+n+after)
	defer whole.Release()
	return array.NewSlice(whole, int64(before), int64(before+n))
}

func (g *Generator) field(f arrow.Field, n int) *array.Data { return g.data(f.Type, n, f.Nullable) }

func (g *Generator) data(dt arrow.DataType, n int, nullable bool) *array.Data {
	storage := dt
	for {
		e, ok := storage.(arrow.ExtensionType)
		if !ok {
			break
		}
		storage = e.StorageType()
	}
	switch t := storage.(type) {
	case *arrow.NullType:
		return g.make(dt, n, nil, 0, nil)
	case *arrow.SparseUnionType:
		return g.union(dt, t, n)
	case *arrow.DenseUnionType:
		return g.union(dt, t, n)
	case *arrow.RunEndEncodedType:
		return g.runEnd(dt, t, n)
	}
	valid, nulls := g.validity(n, nullable)
	switch t := storage.(type) {
	case *arrow.BooleanType:
		return g.make(dt, n, valid, nulls, nil, g.bytes((n+7)/8))
	case *arrow.StringType:
		return g.binary(dt, n, valid, nulls, 4, g.text)
	case *arrow.BinaryType:
		return g.binary(dt, n, valid, nulls, 4, g.blob)
	case *arrow.LargeStringType:
		return g.binary(dt, n, valid, nulls, 8, g.text)
	case *arrow.LargeBinaryType:
		return g.binary(dt, n, valid, nulls, 8, g.blob)
	case *arrow.StringViewType:
		return g.view(dt, n, valid, nulls, g.text)
	case *arrow.BinaryViewType:
		return g.view(dt, n, valid, nulls, g.blob)
	case *arrow.ListType:
		return g.list(dt, n, valid, nulls, 4, t.ElemField())
	case *arrow.MapType:
		return g.list(dt, n, valid, nulls, 4, arrow.Field{Type: t.Elem()})
	case *arrow.LargeListType:
		return g.list(dt, n, valid, nulls, 8, t.ElemField())
	case *arrow.ListViewType:
		return g.listView(dt, n, valid, nulls, 4, t.ElemField())
	case *arrow.LargeListViewType:
		return g.listView(dt, n, valid, nulls, 8, t.ElemField())
	case *arrow.FixedSizeListType:
		return g.make(dt, n, valid, nulls, []arrow.ArrayData{g.field(t.ElemField(), n*int(t.Len())+g.Rand.Intn(3))})
	case *arrow.StructType:
		var children []arrow.ArrayData
		for _, f := range t.Fields() {
			children = append(children, g.field(f, n))
		}
		return g.make(dt, n, valid, nulls, children)
	case *arrow.DictionaryType:
		return g.dictionary(dt, t, n, valid, nulls)
	case arrow.FixedWidthDataType:
		return g.make(dt, n, valid, nulls, nil, g.fixed(t, n))
	}
	panic(fmt.Sprintf("no generator for %s", dt)) // a new type in a test's own list
}

// make copies the buffers into memory of g and builds the array's data around them and children, which it releases.
func (g *Generator) make(dt arrow.DataType, n int, valid []byte, nulls int, children []arrow.ArrayData, buffers ...[]byte) *array.Data {
	bufs := make([]*memory.Buffer, 1+len(buffers))
	if valid != nil {
		bufs[0] = g.buffer(valid)
	}
	for i, b := range buffers {
		bufs[1+i] = g.buffer(b)
	}
	if storage := arrowtype.Storage(dt); storage.ID() == arrow.NULL {
		nulls = n
	}
	d := array.NewData(dt, n, bufs, children, nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range children {
		k.Release()
	}
	return d
}

func (g *Generator) buffer(b []byte) *memory.Buffer {
	buf := memory.NewResizableBuffer(g.Mem)
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	return buf
}

func (g *Generator) bytes(n int) []byte {
	b := make([]byte, n)
	g.Rand.Read(b)
	return b
}

func (g *Generator) validity(n int, nullable bool) ([]byte, int) {
	if !nullable || g.Nulls == 0 || g.Rand.Intn(8) == 0 {
		return nil, 0
	}
	b, nulls := make([]byte, (n+7)/8), 0
	for i := range n {
		if g.Rand.Float64() < g.Nulls {
			nulls++
		} else {
			bitutil.SetBit(b, i)
		}
	}
	return b, nulls
}

func (g *Generator) text() []byte {
	parts := []string{"", "a", "é", "語", "🙂", "word ", "longer text than a view holds inline"}
	var b []byte
	for range g.Rand.Intn(4) {
		b = append(b, parts[g.Rand.Intn(len(parts))]...)
	}
	return b
}

func (g *Generator) blob() []byte { return g.bytes(g.Rand.Intn(30)) }

func putInt(b []byte, width int, v int64) []byte {
	var x [8]byte
	binary.LittleEndian.PutUint64(x[:], uint64(v))
	return append(b, x[:width]...)
}

func (g *Generator) binary(dt arrow.DataType, n int, valid []byte, nulls, width int, value func() []byte) *array.Data {
	var data []byte
	offsets := putInt(nil, width, 0)
	for range n {
		data = append(data, value()...)
		offsets = putInt(offsets, width, int64(len(data)))
	}
	return g.make(dt, n, valid, nulls, nil, offsets, append(data, "beyond"...))
}

func (g *Generator) view(dt arrow.DataType, n int, valid []byte, nulls int, value func() []byte) *array.Data {
	data := [][]byte{{}, {}}
	headers := make([]arrow.ViewHeader, n)
	for i := range headers {
		v := value()
		headers[i].SetBytes(v)
		if !headers[i].IsInline() {
			k := g.Rand.Intn(2)
			headers[i].SetIndexOffset(int32(k), int32(len(data[k])))
			data[k] = append(data[k], v...)
		}
	}
	return g.make(dt, n, valid, nulls, nil, append([][]byte{arrow.GetBytes(headers)}, data...)...)
}

func (g *Generator) list(dt arrow.DataType, n int, valid []byte, nulls, width int, elem arrow.Field) *array.Data {
	total := int64(0)
	offsets := putInt(nil, width, 0)
	for range n {
		total += int64(g.Rand.Intn(4))
		offsets = putInt(offsets, width, total)
	}
	return g.make(dt, n, valid, nulls, []arrow.ArrayData{g.field(elem, int(total)+g.Rand.Intn(3))}, offsets)
}

func (g *Generator) listView(dt arrow.DataType, n int, valid []byte, nulls, width int, elem arrow.Field) *array.Data {
	limit := n + 3
	var offsets, sizes []byte
	for range n {
		size := g.Rand.Intn(4)
		offsets = putInt(offsets, width, int64(g.Rand.Intn(limit-size+1)))
		sizes = putInt(sizes, width, int64(size))
	}
	return g.make(dt, n, valid, nulls, []arrow.ArrayData{g.field(elem, limit)}, offsets, sizes)
}

func (g *Generator) union(dt arrow.DataType, t arrow.UnionType, n int) *array.Data {
	codes := make([]byte, n)
	counts := make([]int, len(t.Fields()))
	var places []byte
	for i := range codes {
		k := g.Rand.Intn(len(counts))
		codes[i] = byte(t.TypeCodes()[k])
		if g.Rand.Intn(10) == 0 {
			counts[k]++ // a value that no row uses
		}
		places = putInt(places, 4, int64(counts[k]))
		counts[k]++
	}
	var children []arrow.ArrayData
	for k, f := range t.Fields() {
		m := n
		if t.Mode() == arrow.DenseMode {
			m = counts[k]
		}
		children = append(children, g.field(f, m))
	}
	if t.Mode() == arrow.DenseMode {
		return g.make(dt, n, nil, 0, children, codes, places)
	}
	return g.make(dt, n, nil, 0, children, codes)
}

func (g *Generator) runEnd(dt arrow.DataType, t *arrow.RunEndEncodedType, n int) *array.Data {
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	var ends []byte
	runs := 0
	for at := 0; at < n; runs++ {
		at += 1 + g.Rand.Intn(6)
		ends = putInt(ends, width, int64(at))
	}
	e := g.make(t.RunEnds(), runs, nil, 0, nil, ends)
	return g.make(dt, n, nil, 0, []arrow.ArrayData{e, g.data(t.Encoded(), runs, t.ValueNullable)})
}

func (g *Generator) dictionary(dt arrow.DataType, t *arrow.DictionaryType, n int, valid []byte, nulls int) *array.Data {
	size := 1 + g.Rand.Intn(20)
	dict := g.data(t.ValueType, size, false)
	var indices []byte
	for i := range n {
		x := int64(g.Rand.Intn(size))
		if valid != nil && bitutil.BitIsNotSet(valid, i) && g.Rand.Intn(2) == 0 {
			x = 0x7f // what null slots hold means nothing
		}
		indices = putInt(indices, t.Bytes(), x)
	}
	d := g.make(dt, n, valid, nulls, nil, indices)
	d.SetDictionary(dict)
	dict.Release()
	return d
}

// fixed makes values that are legal for their type.
func (g *Generator) fixed(t arrow.FixedWidthDataType, n int) []byte {
	w := t.Bytes()
	var b []byte
	for range n {
		switch t.ID() {
		case arrow.TIME32, arrow.TIME64:
			b = putInt(b, w, g.Rand.Int63n(86_400))
		case arrow.DATE64:
			b = putInt(b, w, (g.Rand.Int63n(40_000)-20_000)*86_400_000)
		case arrow.FLOAT32:
			b = putInt(b, w, int64(math.Float32bits(float32(g.float()))))
		case arrow.FLOAT64:
			b = putInt(b, w, int64(math.Float64bits(g.float())))
		case arrow.DECIMAL128:
			x := decimal128.FromI64(g.decimal(t.(arrow.DecimalType)))
			b = append(b, arrow.GetBytes([]decimal128.Num{x})...)
		case arrow.DECIMAL256:
			x := decimal256.FromI64(g.decimal(t.(arrow.DecimalType)))
			b = append(b, arrow.GetBytes([]decimal256.Num{x})...)
		default:
			if w > 8 || t.ID() == arrow.FIXED_SIZE_BINARY {
				b = append(b, g.bytes(w)...)
				continue
			}
			b = putInt(b, w, g.int())
		}
	}
	return b
}

// int gives mostly small numbers, so that equal ones occur, and now and then extreme ones.
func (g *Generator) int() int64 {
	switch g.Rand.Intn(10) {
	case 0:
		return math.MinInt64
	case 1:
		return -1 ^ math.MinInt64
	case 2:
		return g.Rand.Int63()
	}
	return g.Rand.Int63n(100) - 50
}

func (g *Generator) float() float64 {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.MaxFloat64}
	if i := g.Rand.Intn(40); i < len(special) {
		return special[i]
	}
	return float64(g.Rand.Intn(100)) / 4
}

func (g *Generator) decimal(t arrow.DecimalType) int64 {
	limit := int64(1)
	for range min(t.GetPrecision(), 18) {
		limit *= 10
	}
	return g.Rand.Int63n(2*limit-1) - limit + 1
}
