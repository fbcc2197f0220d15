package view

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// What lies under a null, or in no list, need not convert.
func TestConversionOfWhatDoesNotCount(t *testing.T) {
	const huge = math.MaxInt64
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	leaf := func(v []int64, valid []byte) arrow.ArrayData {
		bufs := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(v))}
		if valid != nil {
			bufs[0] = memory.NewBufferBytes(valid)
		}
		return array.NewData(stamp(arrow.Second, ""), len(v), bufs, nil, -1, 0)
	}
	bits := func(b byte) *memory.Buffer { return memory.NewBufferBytes([]byte{b}) }
	offsets := func(o ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(o)) }
	st := func(t arrow.DataType) arrow.DataType { return arrow.StructOf(opt("x", t)) }
	s, ns := stamp(arrow.Second, ""), stamp(arrow.Nanosecond, "")
	dense := func(t arrow.DataType) arrow.DataType {
		return arrow.DenseUnionOf([]arrow.Field{opt("x", t), opt("i", arrow.Null)}, []int8{4, 7})
	}
	codes := func(c ...byte) *memory.Buffer { return memory.NewBufferBytes(c) }
	nulls := array.NewData(arrow.Null, 3, []*memory.Buffer{nil}, nil, 3, 0)
	for name, c := range map[string]struct {
		d  arrow.ArrayData
		to arrow.DataType
		ok bool
	}{
		"null":               {leaf([]int64{1, huge, 3}, []byte{0b101}), ns, true},
		"value":              {leaf([]int64{1, huge, 3}, []byte{0b111}), ns, false},
		"under a struct":     {array.NewData(st(s), 3, []*memory.Buffer{bits(0b101)}, []arrow.ArrayData{leaf([]int64{1, huge, 3}, nil)}, 1, 0), st(ns), true},
		"in a struct":        {array.NewData(st(s), 3, []*memory.Buffer{bits(0b110)}, []arrow.ArrayData{leaf([]int64{1, huge, 3}, nil)}, 1, 0), st(ns), false},
		"in a slice":         {array.NewData(st(s), 2, []*memory.Buffer{bits(0b1010)}, []arrow.ArrayData{leaf([]int64{huge, 1, huge, huge}, nil)}, -1, 1), st(ns), true},
		"outside of a slice": {array.NewData(st(s), 1, []*memory.Buffer{nil}, []arrow.ArrayData{leaf([]int64{huge, 1, huge}, nil)}, 0, 1), st(ns), true},
		"in no list":         {array.NewData(arrow.ListOf(s), 2, []*memory.Buffer{bits(0b10), offsets(1, 2, 3)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, huge}, nil)}, 1, 0), arrow.ListOf(ns), true},
		"in a list":          {array.NewData(arrow.ListOf(s), 2, []*memory.Buffer{bits(0b01), offsets(1, 2, 3)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, huge}, nil)}, 1, 0), arrow.ListOf(ns), false},
		"in no fixed list":   {array.NewData(arrow.FixedSizeListOf(2, s), 2, []*memory.Buffer{bits(0b10)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, 4, huge}, nil)}, 1, 0), arrow.FixedSizeListOf(2, ns), true},
		"list of structs under null": {array.NewData(arrow.ListOf(st(s)), 2, []*memory.Buffer{bits(0b10), offsets(0, 1, 2)},
			[]arrow.ArrayData{array.NewData(st(s), 2, []*memory.Buffer{nil}, []arrow.ArrayData{leaf([]int64{huge, 1}, nil)}, 0, 0)}, 1, 0), arrow.ListOf(st(ns)), true},
		"in a union":    {array.NewData(dense(s), 2, []*memory.Buffer{nil, codes(4, 7), offsets(1, 0)}, []arrow.ArrayData{leaf([]int64{huge, 2}, nil), nulls}, 0, 0), dense(ns), true},
		"used by union": {array.NewData(dense(s), 2, []*memory.Buffer{nil, codes(4, 7), offsets(0, 0)}, []arrow.ArrayData{leaf([]int64{huge, 2}, nil), nulls}, 0, 0), dense(ns), false},
	} {
		convert, err := (rules{}).conversionOfType(arrow.Field{Type: c.d.DataType()}, arrow.Field{Type: c.to}, "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := convert(c.d, nil, mem)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			out.Release()
		}
	}
}

// The indices of a dictionary become wider, of a slice too, and the dictionary stays the same.
func TestDictionaryIndices(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	from := &arrow.DictionaryType{IndexType: tI8, ValueType: tStr, Ordered: true}
	b := array.NewDictionaryBuilder(memory.NewGoAllocator(), from).(*array.BinaryDictionaryBuilder)
	for _, v := range []string{"x", "y", "", "x", "z"} {
		if v == "" {
			b.AppendNull()
		} else if err := b.AppendString(v); err != nil {
			t.Fatal(err)
		}
	}
	d := array.NewSlice(b.NewArray(), 1, 5)
	for _, to := range []*arrow.DictionaryType{{IndexType: tI32, ValueType: tStr}, {IndexType: tI8, ValueType: tStr}} {
		convert, err := (rules{}).conversionOfType(opt("a", from), opt("a", to), "a")
		if err != nil {
			t.Fatal(err)
		}
		out, err := convert(d.Data(), nil, mem)
		if err != nil {
			t.Fatal(err)
		}
		got := array.NewDictionaryData(out)
		if !arrow.TypeEqual(got.DataType(), to) || got.ValueStr(0) != "y" || !got.IsNull(1) || got.ValueStr(2) != "x" || got.ValueStr(3) != "z" || got.NullN() != 1 {
			t.Errorf("%s: %s", to, got)
		}
		got.Release()
		out.Release()
	}
}

func TestDecimalDigits(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rec := fromJSON(t, columnsOf("d", dec(38, 0)), `[{"d":"99999"},{"d":"-99999"},{"d":"100000"}]`)
	defer rec.Release()
	whole := rec.Column(0).Data()
	d := array.NewData(dec(5, 0), 3, whole.Buffers(), nil, 0, 0) // the last has too many digits
	defer d.Release()
	convert, err := (rules{}).conversionOfType(arrow.Field{Type: d.DataType()}, arrow.Field{Type: dec256(70, 60)}, "d")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := convert(d, nil, mem); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("six digits in five: %v", err)
	}
	part := array.NewSliceData(d, 0, 2)
	defer part.Release()
	out, err := convert(part, nil, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	arr := array.MakeFromData(out)
	defer arr.Release()
	zeros := strings.Repeat("0", 60)
	for i, want := range []string{"99999" + zeros, "-99999" + zeros} {
		if got := arr.(*array.Decimal256).Value(i).BigInt().String(); got != want {
			t.Errorf("row %d is %s", i, got)
		}
	}
}

// Values of dictionaries are looked up, nulls among them and among the indices.
func TestLookUp(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	values := fromJSON(t, columnsOf("v", tStr), `[{"v":"zero"},{"v":null},{"v":"two"}]`)
	defer values.Release()
	for name, indices := range map[string]string{"null indices": `[2, null, 1, 0, null, 2]`, "none": `[2, 1, 1, 0, 1, 2]`} {
		for _, index := range []arrow.DataType{tI8, tU8, tI16, tU16, tI32, tU32, tI64, tU64} {
			idx, _, err := array.FromJSON(memory.NewGoAllocator(), index, strings.NewReader(indices))
			if err != nil {
				t.Fatal(err)
			}
			dt := &arrow.DictionaryType{IndexType: index, ValueType: tStr}
			arr := array.NewDictionaryArray(dt, idx, values.Column(0))
			convert, err := (rules{}).conversionOfType(arrow.Field{Type: dt}, arrow.Field{Type: tStr}, "x")
			if err != nil {
				t.Fatal(err)
			}
			for from := range 5 {
				part := array.NewSlice(arr, int64(from), 6)
				d, err := convert(part.Data(), nil, mem)
				if err != nil {
					t.Fatal(err)
				}
				got := array.MakeFromData(d)
				for i := range got.Len() {
					want := "(null)"
					if k := arr.IsNull(from + i); !k && !values.Column(0).IsNull(arr.GetValueIndex(from+i)) {
						want = values.Column(0).ValueStr(arr.GetValueIndex(from + i))
					}
					if s := got.ValueStr(i); s != want {
						t.Errorf("%s, %s: row %d is %s, want %s", name, index, from+i, s, want)
					}
				}
				nulls := 0
				for i := range got.Len() {
					if got.IsNull(i) {
						nulls++
					}
				}
				if got.NullN() != nulls {
					t.Errorf("%s: %d nulls, counted %d", name, got.NullN(), nulls)
				}
				got.Release()
				d.Release()
				part.Release()
			}
			arr.Release()
			idx.Release()
		}
	}
}

func TestMatchOption(t *testing.T) {
	for _, v := range []string{"", "name", NameAnyCase, "position"} {
		if m, err := MatchOf(v); err != nil || (m == ByPosition) != (v == "position") {
			t.Errorf("%s: %v, %v", v, m, err)
		}
	}
	if _, err := MatchOf("id"); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}
