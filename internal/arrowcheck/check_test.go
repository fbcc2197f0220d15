package arrowcheck

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func buf(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }

func text(s string) *memory.Buffer { return memory.NewBufferBytes([]byte(s)) }

func i32(v ...int32) *memory.Buffer {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return memory.NewBufferBytes(b)
}

func i64(v ...int64) *memory.Buffer {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return memory.NewBufferBytes(b)
}

func bufs(b ...*memory.Buffer) []*memory.Buffer { return b }

// data is array.NewData with the arguments in reading order; a nil buffer stays nil.
func data(t arrow.DataType, n, nulls, off int, b []*memory.Buffer, k ...arrow.ArrayData) *array.Data {
	return array.NewData(t, n, b, k, nulls, off)
}

// view is one 16-byte view of a value outside.
func view(n int32, prefix string, number, off int32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(n))
	b = append(b, (prefix + "\x00\x00\x00\x00")[:4]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(number))
	return binary.LittleEndian.AppendUint32(b, uint32(off))
}

var (
	ints    = arrow.PrimitiveTypes.Int32
	strs    = arrow.BinaryTypes.String
	three   = data(ints, 3, 0, 0, bufs(nil, i32(1, 2, 3)))
	pair    = arrow.StructOf(arrow.Field{Name: "a", Type: ints, Nullable: true})
	entries = arrow.MapOf(ints, ints)
	dense   = arrow.DenseUnionOf([]arrow.Field{{Name: "x", Type: ints}, {Name: "y", Type: ints}}, []arrow.UnionTypeCode{3, 7})
	sparse  = arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: ints}}, []arrow.UnionTypeCode{3})
	runs    = arrow.RunEndEncodedOf(ints, strs)
	dict    = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: ints}
)

func entryData(keyNulls, nulls int) *array.Data {
	bitmap := func(n int) *memory.Buffer {
		if n == 0 {
			return nil
		}
		return buf(0b11)
	}
	key := data(ints, 3, keyNulls, 0, bufs(bitmap(keyNulls), i32(1, 2, 3)))
	return data(entries.Elem(), 3, nulls, 0, bufs(bitmap(nulls)), key, three)
}

func dictData(n int, indices *memory.Buffer, values *array.Data) *array.Data {
	return array.NewDataWithDictionary(dict, n, bufs(nil, indices), 0, 0, values)
}

func TestSound(t *testing.T) {
	for name, d := range map[string]arrow.ArrayData{
		"fixed":              three,
		"slice":              data(ints, 1, 0, 2, bufs(nil, i32(1, 2, 3))),
		"nulls":              data(ints, 3, 1, 0, bufs(buf(0b101), i32(1, 2, 3))),
		"unknown null count": data(ints, 3, array.UnknownNullCount, 0, bufs(buf(0b101), i32(1, 2, 3))),
		"bitmap of a slice":  data(ints, 2, 1, 1, bufs(buf(0b101), i32(1, 2, 3))),
		"no rows":            data(strs, 0, 0, 0, bufs(nil, nil, nil)),
		"bool":               data(arrow.FixedWidthTypes.Boolean, 9, 0, 0, bufs(nil, buf(1, 1))),
		"text":               data(strs, 2, 0, 0, bufs(nil, i32(0, 2, 5), text("é€"))),
		"text under a null":  data(strs, 2, 1, 0, bufs(buf(0b10), i32(0, 1, 3), text("\xffab"))),
		"offsets from 2":     data(strs, 1, 0, 0, bufs(nil, i32(2, 3), text("\xff\xffa"))),
		"large binary":       data(arrow.BinaryTypes.LargeBinary, 1, 0, 0, bufs(nil, i64(0, 1), text("\xff"))),
		"short view":         data(arrow.BinaryTypes.StringView, 1, 0, 0, bufs(nil, text("\x02\x00\x00\x00ab\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))),
		"long view":          data(arrow.BinaryTypes.StringView, 1, 0, 0, bufs(nil, memory.NewBufferBytes(view(13, "abcd", 0, 1)), text("xabcdefghijklm"))),
		"list":               data(arrow.ListOf(ints), 2, 0, 0, bufs(nil, i32(0, 2, 3)), three),
		"list view":          data(arrow.ListViewOf(ints), 2, 0, 0, bufs(nil, i32(2, 0), i32(1, 3)), three),
		"fixed list":         data(arrow.FixedSizeListOf(3, ints), 1, 0, 0, bufs(nil), three),
		"struct":             data(pair, 2, 0, 1, bufs(nil), three),
		"map":                data(entries, 1, 0, 0, bufs(nil, i32(0, 3)), entryData(0, 0)),
		"dense union":        data(dense, 3, 0, 0, bufs(nil, buf(3, 7, 3), i32(0, 2, 1)), three, three),
		"sparse union":       data(sparse, 2, 0, 0, bufs(nil, buf(3, 3)), three),
		"runs":               data(runs, 3, 0, 0, bufs(nil), data(ints, 2, 0, 0, bufs(nil, i32(1, 3))), data(strs, 2, 0, 0, bufs(nil, i32(0, 1, 1), text("a")))),
		"dictionary":         dictData(2, buf(2, 0), three),
		"no dictionary":      dictData(0, nil, nil),
		"null":               data(arrow.Null, 5, 5, 0, bufs(nil)),
	} {
		if err := Data(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsound(t *testing.T) {
	for name, d := range map[string]arrow.ArrayData{
		"nothing":                    nil,
		"negative length":            data(ints, -1, 0, 0, bufs(nil, i32())),
		"offset beyond an int":       data(ints, 2, 0, math.MaxInt-1, bufs(nil, i32(1))),
		"too few values":             data(ints, 4, 0, 0, bufs(nil, i32(1, 2, 3))),
		"too few values of a slice":  data(ints, 2, 0, 2, bufs(nil, i32(1, 2, 3))),
		"no values":                  data(ints, 1, 0, 0, bufs(nil, nil)),
		"one buffer":                 data(ints, 0, 0, 0, bufs(nil)),
		"short bitmap":               data(ints, 9, 1, 0, bufs(buf(1), memory.NewBufferBytes(make([]byte, 36)))),
		"wrong null count":           data(ints, 3, 2, 0, bufs(buf(0b101), i32(1, 2, 3))),
		"nulls without a bitmap":     data(ints, 3, 1, 0, bufs(nil, i32(1, 2, 3))),
		"short bools":                data(arrow.FixedWidthTypes.Boolean, 9, 0, 0, bufs(nil, buf(1))),
		"too few offsets":            data(strs, 2, 0, 0, bufs(nil, i32(0, 1), text("abc"))),
		"negative offset":            data(strs, 1, 0, 0, bufs(nil, i32(-1, 1), text("abc"))),
		"falling offsets":            data(strs, 2, 0, 0, bufs(nil, i32(0, 3, 1), text("abc"))),
		"offset past the data":       data(strs, 1, 0, 0, bufs(nil, i32(0, 4), text("abc"))),
		"large offset past the data": data(arrow.BinaryTypes.LargeString, 1, 0, 0, bufs(nil, i64(0, math.MaxInt64), text("abc"))),
		"not UTF-8":                  data(strs, 1, 0, 0, bufs(nil, i32(0, 1), text("\xff"))),
		"a rune cut in two":          data(strs, 2, 0, 0, bufs(nil, i32(0, 1, 2), text("é"))),
		"view of a missing buffer":   data(arrow.BinaryTypes.StringView, 1, 0, 0, bufs(nil, memory.NewBufferBytes(view(13, "abcd", 1, 0)), text("abcdefghijklm"))),
		"view past its buffer":       data(arrow.BinaryTypes.StringView, 1, 0, 0, bufs(nil, memory.NewBufferBytes(view(13, "bcde", 0, 1)), text("abcdefghijklm"))),
		"view of negative length":    data(arrow.BinaryTypes.BinaryView, 1, 0, 0, bufs(nil, memory.NewBufferBytes(view(-1, "", 0, 0)))),
		"view with another prefix":   data(arrow.BinaryTypes.BinaryView, 1, 0, 0, bufs(nil, memory.NewBufferBytes(view(13, "xxxx", 0, 0)), text("abcdefghijklm"))),
		"list past its child":        data(arrow.ListOf(ints), 1, 0, 0, bufs(nil, i32(0, 4)), three),
		"list without a child":       data(arrow.ListOf(ints), 1, 0, 0, bufs(nil, i32(0, 0))),
		"list of another type":       data(arrow.ListOf(strs), 1, 0, 0, bufs(nil, i32(0, 0)), three),
		"list view past its child":   data(arrow.ListViewOf(ints), 1, 0, 0, bufs(nil, i32(2), i32(2)), three),
		"fixed list too long":        data(arrow.FixedSizeListOf(2, ints), 2, 0, 0, bufs(nil), three),
		"struct too long":            data(pair, 4, 0, 0, bufs(nil), three),
		"struct without children":    data(pair, 0, 0, 0, bufs(nil)),
		"map with null keys":         data(entries, 1, 0, 0, bufs(nil, i32(0, 3)), entryData(1, 0)),
		"map with null entries":      data(entries, 1, 0, 0, bufs(nil, i32(0, 3)), entryData(0, 1)),
		"dense union, unknown id":    data(dense, 1, 0, 0, bufs(nil, buf(4), i32(0)), three, three),
		"dense union, negative id":   data(dense, 1, 0, 0, bufs(nil, buf(0xFF), i32(0)), three, three),
		"dense union past its child": data(dense, 1, 0, 0, bufs(nil, buf(7), i32(3)), three, three),
		"dense union, backwards":     data(dense, 2, 0, 0, bufs(nil, buf(7, 7), i32(2, 1)), three, three),
		"sparse union too long":      data(sparse, 4, 0, 0, bufs(nil, buf(3, 3, 3, 3)), three),
		"union with a bitmap":        data(sparse, 1, 0, 0, bufs(buf(1), buf(3)), three),
		"runs that fall":             data(runs, 3, 0, 0, bufs(nil), data(ints, 2, 0, 0, bufs(nil, i32(3, 3))), data(strs, 2, 0, 0, bufs(nil, i32(0, 0, 0), nil))),
		"runs that end early":        data(runs, 3, 0, 0, bufs(nil), data(ints, 1, 0, 0, bufs(nil, i32(2))), data(strs, 1, 0, 0, bufs(nil, i32(0, 0), nil))),
		"runs without values":        data(runs, 3, 0, 0, bufs(nil), data(ints, 1, 0, 0, bufs(nil, i32(3))), data(strs, 0, 0, 0, bufs(nil, nil, nil))),
		"no runs":                    data(runs, 3, 0, 0, bufs(nil), data(ints, 0, 0, 0, bufs(nil, nil)), data(strs, 0, 0, 0, bufs(nil, nil, nil))),
		"index past the dictionary":  dictData(1, buf(3), three),
		"negative index":             dictData(1, buf(0xFF), three),
		"rows without a dictionary":  dictData(1, buf(0), nil),
		"unsound dictionary":         dictData(1, buf(0), data(ints, 4, 0, 0, bufs(nil, i32(1)))),
	} {
		if err := Data(d); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsNameTheirPlace(t *testing.T) {
	bad := data(ints, 3, 0, 0, bufs(nil, i32(1)))
	d := data(arrow.ListOf(pair), 1, 0, 0, bufs(nil, i32(0, 1)), data(pair, 3, 0, 0, bufs(nil), bad))
	err := Data(d)
	var e *errs.Error
	if !errors.As(err, &e) || e.Column != "item.a" {
		t.Errorf("got %v", err)
	}
}

func TestRecord(t *testing.T) {
	good := array.NewInt32Data(three)
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: ints}}, nil)
	if err := Record(array.NewRecord(s, []arrow.Array{good}, 3)); err != nil {
		t.Error(err)
	}
	lying := array.NewInt32Data(data(ints, 3, 2, 0, bufs(nil, i32(1, 2, 3))))
	err := Record(array.NewRecord(s, []arrow.Array{lying}, 3))
	if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "column c") {
		t.Errorf("got %v", err)
	}
}

func TestCheckedDictionariesAreTrusted(t *testing.T) {
	values := data(ints, 4, 0, 0, bufs(nil, i32(1)))
	k := Checker{Checked: map[arrow.ArrayData]bool{values: true}}
	if err := k.Data(dictData(1, buf(3), values)); err != nil {
		t.Error(err)
	}
	if err := k.Data(dictData(1, buf(4), values)); err == nil {
		t.Error("indices must be checked all the same")
	}
}

func BenchmarkStrings(b *testing.B) {
	const n = 1 << 16
	offs := make([]int32, n+1)
	for i := range offs {
		offs[i] = int32(i * 8)
	}
	d := data(strs, n, 0, 0, bufs(nil, i32(offs...), text(strings.Repeat("a string", n))))
	b.SetBytes(12 * n)
	b.ReportAllocs()
	for b.Loop() {
		if err := Data(d); err != nil {
			b.Fatal(err)
		}
	}
}
