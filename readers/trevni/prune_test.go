package trevni

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// filtered returns one int64 column of the rows that pass a filter, and the bytes read for them after Open.
func filtered(t *testing.T, path string, o Options, filter, column string) ([]int64, int64) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	src := arrowio.NewCountingSource(local.NewBytesSource(fixtures.Read(t, path)))
	f, err := Open(context.Background(), src, arrowio.Limits{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := recut(context.Background(), f, 5000); err != nil {
		t.Fatal(err)
	}
	so := arrowio.ScanOptions{Allocator: mem, Parallelism: 1, Columns: []string{column}}
	if filter != "" {
		if so.Filter, err = expr.Parse(filter); err != nil {
			t.Fatal(err)
		}
	}
	before := src.Bytes()
	s, err := arrowio.Scan(context.Background(), f, so)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	var out []int64
	for s.Next() {
		switch a := s.Record().Column(0).(type) {
		case *array.Int64:
			out = append(out, a.Int64Values()...)
		case *array.Int32:
			for _, v := range a.Int32Values() {
				out = append(out, int64(v))
			}
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return out, src.Bytes() - before
}

// In first-values.trv row i holds, of each type, a value that grows with i; "fixed64" is 3i.
func TestPrune(t *testing.T) {
	const rows = 16_500
	path := data + "java-1.12.1/first-values.trv"
	for _, x := range []struct {
		filter   string
		from, to int64 // rows that pass
		less     bool  // pruning reads less
	}{
		{"fixed64 = 3", 1, 2, true},
		{"fixed64 = 4", 0, 0, true},
		{"fixed64 < 30", 0, 10, true},
		{"fixed64 >= 49470", rows - 10, rows, true},
		{"fixed64 BETWEEN 30000 AND 30030", 10_000, 10_011, true},
		{"fixed64 > 1000000", 0, 0, true},
		{"fixed64 < 0", 0, 0, true},
		{"NOT fixed64 >= 60", 0, 20, true},
		{"int = 1000000004", 2, 3, true},
		{"int > 1000032970", 16_486, rows, true},
		{"long <= 1700000000010", 0, 3, true},
		{"fixed32 < -7990", 0, 10, true},
		{"float = 0.5", 1, 2, true},
		{"double >= 0", 0, rows, false},
		{"string = 'key-00000007'", 7, 8, true},
		{"string >= 'key-00016490'", 16_490, rows, true},
		{"string < 'a'", 0, 0, true},
		{"int = 1000000004 AND long > 1700000000000", 2, 3, true},
		{"int = 1000000004 OR string = 'key-00000003'", 2, 4, true},
	} {
		t.Run(x.filter, func(t *testing.T) {
			_, all := filtered(t, path, Options{}, x.filter, "fixed64")
			for _, o := range []Options{{}, {Sorted: []string{"*"}}, {Sorted: []string{"int", "long", "fixed32", "fixed64", "float", "double", "string"}}} {
				got, n := filtered(t, path, o, x.filter, "fixed64")
				if int64(len(got)) != x.to-x.from {
					t.Errorf("%v: %d rows, want %d", o, len(got), x.to-x.from)
				}
				for i, v := range got {
					if v != 3*(x.from+int64(i)) {
						t.Fatalf("%v: row %d is %d", o, i, v)
					}
				}
				if o.Sorted != nil && x.less && n >= all {
					t.Errorf("%v: %d bytes read, without pruning %d", o, n, all)
				}
			}
		})
	}
}

// With pruning only the blocks that can hold the value are read, and only of the columns that are asked for.
func TestPruneReadsLess(t *testing.T) {
	path := data + "java-1.12.1/first-values-plain.trv" // 9000 rows: i/2 as fixed64, no codec: two blocks
	for _, x := range []struct {
		filter string
		rows   int
	}{
		{"k = 0", 2},
		{"k = 4499", 2},
		{"k < 10", 20},
	} {
		got, with := filtered(t, path, Options{Sorted: []string{"k"}}, x.filter, "k")
		same, without := filtered(t, path, Options{}, x.filter, "k")
		if len(got) != x.rows || fmt.Sprint(got) != fmt.Sprint(same) {
			t.Errorf("%s: %v, unpruned %v", x.filter, got, same)
		}
		if with >= without {
			t.Errorf("%s: %d bytes with first values, %d without", x.filter, with, without)
		}
	}
}

// k = 2^44 + 7919 r mod 30011: every value stands once, nothing is sorted. Even a caller who says so does not make
// first values bounds when they do not ascend themselves.
func TestPruneUnsorted(t *testing.T) {
	path := data + "java-1.12.1/first-values-unsorted.trv"
	for _, o := range []Options{{}, {Sorted: []string{"*"}}, {Sorted: []string{"k"}}} {
		for _, r := range []int64{0, 1, 9_999, 10_000, 20_000, 29_999} {
			k := int64(1)<<44 + r*7919%30_011
			got, _ := filtered(t, path, o, fmt.Sprintf("k = %d", k), "k")
			if len(got) != 1 || got[0] != k {
				t.Errorf("%v: k = %d: %v", o, k, got)
			}
		}
	}
}

// Prune keeps whole blocks, and rows of the split alone.
func TestPruneRows(t *testing.T) {
	ctx := context.Background()
	f := openFile(t, data+"java-1.12.1/first-values.trv", Options{Sorted: []string{"*"}})
	if err := recut(ctx, f, 3000); err != nil {
		t.Fatal(err)
	}
	e, err := expr.Parse("fixed64 = 30000") // row 10000
	if err != nil {
		t.Fatal(err)
	}
	pred, err := expr.Bind(e, f.Schema())
	if err != nil {
		t.Fatal(err)
	}
	kept := int64(0)
	for _, s := range f.Splits() {
		rs, err := f.Prune(ctx, s, pred)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rs {
			if r.Start < s.Rows.Start || r.End > s.Rows.End || r.Len() <= 0 || i > 0 && r.Start < rs[i-1].End {
				t.Errorf("split %v: %v", s.Rows, rs)
			}
		}
		if inside := s.Rows.Start <= 10_000 && 10_000 < s.Rows.End; inside != rs.Overlaps(arrowio.RowRange{Start: 10_000, End: 10_001}) {
			t.Errorf("split %v: %v", s.Rows, rs)
		}
		kept += rs.Len()
	}
	if kept == 0 || kept > 8192 {
		t.Errorf("%d rows are kept", kept)
	}
}

func TestSortedOption(t *testing.T) {
	for _, name := range []string{"nowhere", "x"} {
		_, err := openBytes(t, fixtures.Read(t, data+"java-1.12.1/rows1.trv"), Options{Sorted: []string{name}})
		if !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	openFile(t, data+"java-1.12.1/rows1.trv", Options{Sorted: []string{"*"}})
}

// A projection reads the columns it needs, and of nested ones the lengths above them.
func TestProjectionReads(t *testing.T) {
	for _, x := range []struct {
		file, view string
		columns    []string
		stored     []string // what must be read
	}{
		{"java-1.12.1/prim-null-null.trv", "", []string{"long"}, []string{"long"}},
		{"java-1.12.1/prim-snappy-crc32.trv", "", []string{"string", "int"}, []string{"string", "int"}},
		{"java-1.12.1/nested3.trv", "columns", []string{"a.flag"}, nil},
		{"java-1.12.1/avro-nested.trv", "", nil, nil},
		{"java-1.12.1/avro-blocks.trv", "", nil, nil},
		{"java-1.12.1/avro-maps.trv", "", nil, nil},
		{"java-1.12.1/avro-union-records.trv", "", nil, nil},
	} {
		b := fixtures.Read(t, data+x.file)
		src := arrowio.NewCountingSource(local.NewBytesSource(b))
		f, err := Open(context.Background(), src, arrowio.Limits{}, Options{View: x.view})
		if err != nil {
			t.Fatal(err)
		}
		size := map[string]int64{}
		above := map[string]string{}
		for i := range f.header.Columns { // all descriptors are read now: they do not count
			blocks, err := f.columnBlocks(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			c := &f.header.Columns[i]
			for _, b := range blocks {
				size[c.Name] += b.Packed + c.Checksum.Size()
			}
			if c.Parent >= 0 {
				above[c.Name] = f.header.Columns[c.Parent].Name
			}
		}
		read := func(columns []string) int64 {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			before := src.Bytes()
			p := project(t, f, columns)
			for _, s := range f.Splits() {
				if err := conformance.EachBatch(f, s, arrowio.RowSet{s.Rows}, p, mem, 1000, func(arrow.Record) error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
			return src.Bytes() - before
		}
		total := int64(0)
		for _, n := range size {
			total += n
		}
		if got := read(nil); got != total {
			t.Errorf("%s: all columns: %d bytes read of %d", x.file, got, total)
		}
		if got := read([]string{}); got != 0 {
			t.Errorf("%s: no column: %d bytes read", x.file, got)
		}
		if x.stored != nil {
			want := int64(0)
			for _, c := range x.stored {
				want += size[c]
			}
			if got := read(x.columns); got != want {
				t.Errorf("%s: %q: %d bytes read, want %d", x.file, x.columns, got, want)
			}
		}
		// each leaf on its own: its columns, and all that repeat it
		for path, stored := range leafPaths(f) {
			want := int64(0)
			seen := map[string]bool{}
			for _, c := range stored {
				for ; c != "" && !seen[c]; c = above[c] {
					seen[c] = true
					want += size[c]
				}
			}
			if got := read([]string{path}); got != want {
				t.Errorf("%s: %s: %d bytes read, want %d (%v)", x.file, path, got, want, stored)
			}
		}
	}
}

// leafPaths returns, for each field that a projection can name, the stored columns that hold it.
func leafPaths(f *File) map[string][]string {
	out := map[string][]string{}
	var all func(n *trevniwire.Node) []string
	all = func(n *trevniwire.Node) (cols []string) {
		for _, i := range []int{n.Opt, n.Rep, n.Col} {
			if i >= 0 {
				cols = append(cols, f.header.Columns[i].Name)
			}
		}
		for _, k := range n.Children {
			cols = append(cols, all(k)...)
		}
		return cols
	}
	var walk func(n *trevniwire.Node, path string, with []string)
	walk = func(n *trevniwire.Node, path string, with []string) {
		out[path] = append(all(n), with...)
		inside := n
		for inside.Kind == trevniwire.List || inside.Kind == trevniwire.Map {
			if inside.Kind == trevniwire.Map {
				with = append(with[:len(with):len(with)], all(inside.Children[0])...) // keys come along
			}
			inside = inside.Children[len(inside.Children)-1]
		}
		if inside.Kind != trevniwire.Struct {
			return
		}
		for _, k := range inside.Children {
			walk(k, path+"."+expr.Quote(k.Field.Name), with)
		}
	}
	for _, r := range f.tree.Roots {
		walk(r, expr.Quote(r.Field.Name), nil)
	}
	return out
}
