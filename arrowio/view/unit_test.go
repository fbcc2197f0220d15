package view

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Expectations are pandas' floor: pd.Timestamp(n).floor("us").
func TestTruncate(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for _, c := range []struct {
		from, to arrow.TimeUnit
		in, out  []int64
	}{
		{arrow.Nanosecond, arrow.Microsecond, []int64{0, 1, 999, 1000, -1, -999, -1000, -1001, 9223372036854775807, -9223372036854775808}, []int64{0, 0, 0, 1, -1, -1, -1, -2, 9223372036854775, -9223372036854776}},
		{arrow.Nanosecond, arrow.Second, []int64{999999999, -1}, []int64{0, -1}},
		{arrow.Millisecond, arrow.Second, []int64{-1001, 1999}, []int64{-2, 1}},
	} {
		from, to := arrow.Field{Type: stamp(c.from, "UTC")}, arrow.Field{Type: stamp(c.to, "UTC")}
		d := array.NewData(from.Type, len(c.in), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(c.in))}, nil, 0, 0)
		part := array.NewSliceData(d, 1, int64(len(c.in)))
		got, err := truncate(from, to)(part, mem)
		if err != nil {
			t.Fatal(err)
		}
		values := array.NewTimestampData(got)
		for i, want := range c.out[1:] {
			if int64(values.Value(i)) != want {
				t.Errorf("%d %s as %s: %d, want %d", c.in[i+1], c.from, c.to, values.Value(i), want)
			}
		}
		values.Release()
		got.Release()
	}
	if truncate(arrow.Field{Type: stamp(arrow.Second, "")}, arrow.Field{Type: stamp(arrow.Nanosecond, "")}) != nil {
		t.Error("a finer unit cuts nothing off")
	}
}

// Timestamps are found wherever they are in a type; nothing else changes.
func TestTypeIn(t *testing.T) {
	ns, us := stamp(arrow.Nanosecond, "UTC"), stamp(arrow.Microsecond, "UTC")
	of := func(t arrow.DataType) []arrow.DataType {
		m := arrow.MapOf(t, t)
		m.KeysSorted = true
		fields := []arrow.Field{opt("a", t), req("b", tI8)}
		return []arrow.DataType{
			t, arrow.ListOf(t), arrow.ListOfNonNullable(t), arrow.LargeListOf(t), arrow.FixedSizeListOf(3, t), arrow.ListViewOf(t), arrow.LargeListViewOf(t), m,
			arrow.StructOf(fields...), arrow.DenseUnionOf(fields, []int8{3, 4}), arrow.SparseUnionOf(fields, []int8{3, 4}), arrow.ListOf(arrow.StructOf(fields...)),
		}
	}
	want := of(us)
	for i, x := range of(ns) {
		if got := typeIn(x, arrow.Microsecond); !arrow.TypeEqual(got, want[i], arrow.CheckMetadata()) {
			t.Errorf("%s as %s, want %s", x, got, want[i])
		}
	}
	if got := typeIn(&arrow.DictionaryType{IndexType: tI8, ValueType: ns}, arrow.Microsecond); !arrow.TypeEqual(got, us) {
		t.Error(got)
	}
	text := &arrow.DictionaryType{IndexType: tI8, ValueType: tStr}
	if got := typeIn(text, arrow.Microsecond); got != arrow.DataType(text) {
		t.Error(got)
	}
}
