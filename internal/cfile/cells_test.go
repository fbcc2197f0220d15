package cfile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// columnType is a type of columns, and the encodings that it may have.
type columnType struct {
	typ       cfilewire.DataType
	encodings []cfilewire.Encoding
}

// columnTypes are all of them.
var columnTypes = func() (out []columnType) {
	for t := cfilewire.UInt8; t <= cfilewire.Date; t++ {
		var list []cfilewire.Encoding
		for _, e := range []cfilewire.Encoding{
			cfilewire.EncodingPlain, cfilewire.EncodingPrefix, cfilewire.EncodingGroupVarint, cfilewire.EncodingRLE, cfilewire.EncodingDict, cfilewire.EncodingBitShuffle,
		} {
			if cfilewire.CheckEncoding(&cfilewire.Footer{Type: t, Encoding: e}) == nil {
				list = append(list, e)
			}
		}
		if list != nil {
			out = append(out, columnType{t, list})
		}
	}
	return out
}()

// cellOf returns a value of a type: one of few, so that there are runs and equal words, or an extreme one, or any.
func cellOf(r *rand.Rand, t cfilewire.DataType) []byte {
	var v int64
	switch r.Intn(8) {
	case 0:
		v = int64(r.Uint64())
	case 1:
		v = []int64{math.MinInt64, math.MaxInt64, -1, 0, math.MaxInt32, math.MinInt32}[r.Intn(6)]
	default:
		v = int64(r.Intn(5)) - 2
	}
	return cellFrom(t, v)
}

// cellFrom returns a cell that ascends with v as long as that is small.
func cellFrom(t cfilewire.DataType, v int64) []byte {
	switch t {
	case cfilewire.Bool:
		return []byte{byte(v & 1)}
	case cfilewire.Decimal32:
		v %= 1e9
	case cfilewire.Decimal64:
		v %= 1e18
	case cfilewire.String, cfilewire.Varchar:
		text := []string{"", "a", "äö", "語言", "🙂", "a longer one than sixteen bytes are"}
		return []byte(text[uint64(v)%6] + text[uint64(v)/6%6])
	case cfilewire.Binary:
		b := binary.BigEndian.AppendUint64(nil, uint64(v))
		return b[:uint64(v)%9]
	}
	b := make([]byte, 16)
	binary.LittleEndian.PutUint64(b, uint64(v))
	if v < 0 {
		copy(b[8:], bytes.Repeat([]byte{0xff}, 8))
	}
	return b[:t.Width()]
}

// patterns say which rows are null.
var patterns = []struct {
	name string
	null func(r *rand.Rand, row int) bool
}{
	{"none", nil},
	{"no-nulls", func(*rand.Rand, int) bool { return false }},
	{"some", func(r *rand.Rand, _ int) bool { return r.Intn(5) == 0 }},
	{"most", func(r *rand.Rand, _ int) bool { return r.Intn(40) != 0 }},
	{"all", func(*rand.Rand, int) bool { return true }},
	{"runs", func(_ *rand.Rand, row int) bool { return row/130%2 == 0 }},
}

// cellsOf returns rows of a type, with runs of equal ones.
func cellsOf(r *rand.Rand, t cfilewire.DataType, n int, null func(*rand.Rand, int) bool) [][]byte {
	rows := make([][]byte, n)
	for i := range rows {
		switch {
		case null != nil && null(r, i):
		case i > 0 && rows[i-1] != nil && r.Intn(3) > 0:
			rows[i] = rows[i-1]
		default:
			rows[i] = cellOf(r, t)
		}
	}
	return rows
}

// arraysOf returns rows that are arrays.
func arraysOf(r *rand.Rand, t cfilewire.DataType, n int, null func(*rand.Rand, int) bool) [][][]byte {
	rows := make([][][]byte, n)
	for i := range rows {
		if null == nil || !null(r, i) {
			rows[i] = cellsOf(r, t, r.Intn(4), func(r *rand.Rand, _ int) bool { return r.Intn(6) == 0 })
		}
	}
	return rows
}

// ascending returns n keys of a type, in the order of their encoded form, all different.
func ascending(r *rand.Rand, t cfilewire.DataType, n int) [][]byte {
	seen := map[string][]byte{}
	for tries := 0; len(seen) < n && tries < 50*n; tries++ {
		cell := randomKey(r, t)
		seen[string(encodeKey(t, cell, true))] = cell
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = seen[k]
	}
	return out
}

func randomKey(r *rand.Rand, t cfilewire.DataType) []byte {
	switch t {
	case cfilewire.Binary:
		b := make([]byte, r.Intn(5))
		for i := range b {
			b[i] = []byte{0, 0, 1, 0xff, byte(r.Intn(256))}[r.Intn(5)]
		}
		return b
	case cfilewire.String, cfilewire.Varchar:
		b := []byte{}
		for range r.Intn(6) {
			b = append(b, []string{"a", "b", "\x00", "é", "語", "z"}[r.Intn(6)]...)
		}
		return b
	case cfilewire.Decimal32, cfilewire.Decimal64, cfilewire.Decimal128, cfilewire.Int128:
		return cellFrom(t, (r.Int63()-1<<62)>>uint(r.Intn(63)))
	}
	b := make([]byte, t.Width())
	r.Read(b)
	if r.Intn(2) == 0 { // near to one another
		clear(b[1:])
	}
	return b
}

// expected returns rows as an array of the field's type.
func expected(tb testing.TB, field arrow.Field, f *built) arrow.Record {
	tb.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, field.Type)
	defer b.Release()
	if list, ok := b.(*array.ListBuilder); ok {
		for _, a := range f.arrays {
			list.Append(a != nil)
			for _, v := range a {
				appendCell(tb, list.ValueBuilder(), v)
			}
		}
	} else {
		for _, v := range f.rows {
			appendCell(tb, b, v)
		}
	}
	a := b.NewArray()
	defer a.Release()
	return array.NewRecord(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{a}, int64(a.Len()))
}

func appendCell(tb testing.TB, b array.Builder, cell []byte) {
	tb.Helper()
	if cell == nil {
		b.AppendNull()
		return
	}
	v, high := uint64(0), int64(0)
	if n := len(cell); n == 1 || n == 2 || n == 4 || n == 8 || n == 16 {
		for i := min(n, 8) - 1; i >= 0; i-- {
			v = v<<8 | uint64(cell[i])
		}
		if high = int64(int8(cell[n-1])) >> 7; n == 16 {
			high = int64(binary.LittleEndian.Uint64(cell[8:]))
		}
		if n < 8 && high < 0 {
			v |= ^uint64(0) << (8 * n)
		}
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 != 0)
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(int64(v))
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(v)
	case *array.Float32Builder:
		b.Append(math.Float32frombits(uint32(v)))
	case *array.Float64Builder:
		b.Append(math.Float64frombits(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(high, v))
	case *array.StringBuilder:
		b.Append(string(cell))
	case *array.BinaryBuilder:
		b.Append(cell)
	case *array.FixedSizeBinaryBuilder:
		b.Append(cell)
	default:
		tb.Fatalf("no cells for %T", b)
	}
}
