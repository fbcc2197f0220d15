package arrowio

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// numbered returns a record of n rows: i counts them modulo m, v counts them.
func numbered(n, m int64) arrow.Record {
	i, v := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for k := range n {
		i.Append(k % m)
		v.Append(k)
	}
	fields := []arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}
	return array.NewRecord(arrow.NewSchema(fields, nil), []arrow.Array{i.NewArray(), v.NewArray()}, n)
}

// Rows that a filter keeps are read many at once where the reader can, and none that the filter leaves out is an error.
func TestFilterReadsManyRuns(t *testing.T) {
	const rows = 30_000
	filter, err := expr.Parse("i = 0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		every int64 // rows from one that is kept to the next
		bad   int64

		err error
	}{
		{name: "close", every: 3},
		{name: "far apart", every: shortGap + 10},
		{name: "a bad row between", every: 3, bad: 10_001},
		{name: "a bad row that is kept", every: 3, bad: 10_002, err: errBadRow},
	} {
		for i, batch := range []int{0, 100, 7777, 0, 100, 7777} {
			for _, parallel := range []int{1, 3} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				f := newMemFile(t, numbered(rows, c.every), 10_000, 20_000)
				f.many, f.masks, f.bad = true, i%2 == 0, c.bad
				s, err := Scan(t.Context(), f, ScanOptions{Filter: filter, Columns: []string{"v"}, BatchRows: batch, Parallelism: parallel, Allocator: mem})
				if err != nil {
					t.Fatal(err)
				}
				want := int64(0)
				for s.Next() {
					for _, v := range s.Record().Column(0).(*array.Int64).Int64Values() {
						if v != want {
							t.Fatalf("%s: row %d, want %d", c.name, v, want)
						}
						want += c.every
					}
				}
				s.Release()
				if err := s.Err(); !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Errorf("%s: %v, want %v", c.name, err, c.err)
				}
				if c.err == nil && want < rows {
					t.Errorf("%s: the last row is before %d", c.name, want)
				}
				if f.open.Load() != 0 {
					t.Errorf("%s: %d readers are open", c.name, f.open.Load())
				}
				mem.AssertSize(t, 0)
			}
		}
	}
}

// A set of rows without its short gaps.
func TestClosed(t *testing.T) {
	s := RowSet{{0, 3}, {4, 5}, {10, 11}, {12, 20}}
	if got := s.closed(1); len(got) != 2 || got[0] != (RowRange{0, 5}) || got[1] != (RowRange{10, 20}) {
		t.Error(got)
	}
	if s[0] != (RowRange{0, 3}) {
		t.Error("the set has changed:", s)
	}
}

// Rows of a mebibyte are not decoded for nothing.
func TestShortGap(t *testing.T) {
	for _, c := range []struct{ bytes, want int64 }{{0, shortGap}, {100_000, shortGap}, {1000 << 10, 256}, {1000 << 20, 0}} {
		if got := shortGapOf(Split{Rows: RowRange{5, 1005}, Bytes: c.bytes}); got != c.want {
			t.Errorf("%d bytes: %d rows, want %d", c.bytes, got, c.want)
		}
	}
}
