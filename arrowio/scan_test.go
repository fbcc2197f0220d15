package arrowio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// filters are predicates as text and as Go, on rows in JSON form. nil is null, which no predicate but IS NULL accepts.
var filters = []struct {
	text string
	keep func(r map[string]any) bool
}{
	{"", func(map[string]any) bool { return true }},
	{"n < 30", func(r map[string]any) bool { n, ok := r["n"].(float64); return ok && n < 30 }},
	{"id >= 0", func(map[string]any) bool { return true }},
	{"id < 0", func(map[string]any) bool { return false }},
	{"id >= 20", func(r map[string]any) bool { return r["id"].(float64) >= 20 }},
	{"n IS NULL", func(r map[string]any) bool { return r["n"] == nil }},
	{"di = 'd3' OR id < 10", func(r map[string]any) bool { return r["di"] == "d3" || r["id"].(float64) < 10 }},
	{"st.a >= 5", func(r map[string]any) bool {
		st, _ := r["st"].(map[string]any)
		a, ok := st["a"].(float64)
		return ok && a >= 5
	}},
	{"ok = true AND name LIKE 'name 1%'", func(r map[string]any) bool {
		name, _ := r["name"].(string)
		return r["ok"] == true && strings.HasPrefix(name, "name 1")
	}},
}

func parseFilter(t testing.TB, text string) expr.Expr {
	t.Helper()
	if text == "" {
		return nil
	}
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every projection, filter and row range, with one of several batch sizes and parallelisms, gives the rows that a loop
// over JSON rows gives.
func TestScanMatrix(t *testing.T) {
	rec := anyRecord(t, 60, 1)
	defer rec.Release()
	all := rowsOf(t, rec)
	files := map[string]func() *memFile{
		"one split": func() *memFile { return newMemFile(t, rec) },
		"splits":    func() *memFile { return newMemFile(t, rec, 7, 7, 30, 31, 50) },
		"stream":    func() *memFile { return newMemFile(t, rec).asStream() },
		"pruned": func() *memFile { // an index that knows nothing but is allowed to say so in pieces
			f := newMemFile(t, rec, 25)
			f.prune = func(s Split) RowSet {
				return RowSet{{s.Rows.Start, s.Rows.Start + 10}, {s.Rows.Start + 10, s.Rows.End}}
			}
			return f
		},
	}
	projections := [][]string{
		nil, {}, {"id"}, {"un", "ma", "di", "li"}, {"name", "n", "st"}, {"st.b", "id"}, {"st.c.y", "st.a"}, {"li.y", "ma.x", "n"}, {"nil", "ok"},
	}
	ranges := []RowRange{{}, {5, 55}, {30, 31}, {59, 500}, {200, 300}, {40, 40}}
	turn := 0
	var narrow sync.Map
	for name, open := range files {
		for _, columns := range projections {
			for _, f := range filters {
				e := parseFilter(t, f.text)
				for _, rr := range ranges {
					for i, o := range []ScanOptions{{Parallelism: 1}, {Parallelism: 3, BatchRows: 9}, {Parallelism: 2, BatchRows: 1, MemoryBudget: 1}, {Parallelism: 1, BatchRows: 7}} {
						if turn++; (turn+turn/4)%4 != i {
							continue
						}
						var want []map[string]any
						for i, r := range all {
							in := rr == RowRange{} || int64(i) >= rr.Start && int64(i) < rr.End
							if in && f.keep(r) {
								want = append(want, project(r, columns))
							}
						}
						mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
						o.Columns, o.Filter, o.Rows, o.Allocator = columns, e, rr, mem
						file := open()
						file.narrow = &narrow
						s, err := Scan(context.Background(), file, o)
						if err != nil {
							t.Fatal(err)
						}
						got, batches, err := drain(t, s)
						if err != nil {
							t.Fatal(err)
						}
						if len(columns) == 0 && columns != nil {
							for i := range want {
								want[i] = nil
							}
						}
						if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
							t.Fatalf("%s %v %q %v batch %d:\n got %v\nwant %v", name, columns, f.text, rr, o.BatchRows, got, want)
						}
						for _, n := range batches {
							if o.BatchRows > 0 && n > int64(o.BatchRows) {
								t.Fatalf("a batch of %d rows, %d allowed", n, o.BatchRows)
							}
						}
						if n := file.open.Load(); n != 0 {
							t.Fatalf("%d readers are left open", n)
						}
						mem.AssertSize(t, 0)
					}
				}
			}
		}
	}
}

func TestScanIsARecordReader(t *testing.T) {
	rec := anyRecord(t, 10, 1)
	defer rec.Release()
	s, err := Scan(context.Background(), newMemFile(t, rec), ScanOptions{BatchRows: 4})
	if err != nil {
		t.Fatal(err)
	}
	var _ array.RecordReader = s
	if !s.Next() {
		t.Fatal(s.Err())
	}
	first := s.Record()
	first.Retain()
	defer first.Release()
	s.Retain()
	s.Release()
	if !s.Next() || s.Record().NumRows() != 4 {
		t.Fatal("the scan ended with a reference held")
	}
	if got := first.Column(0).ValueStr(0); got != "0" {
		t.Errorf("a retained record changed to %s", got)
	}
	s.Release()
	if s.Record() != nil || s.Next() {
		t.Error("a released scan goes on")
	}
}

func TestScanOptionErrors(t *testing.T) {
	rec := anyRecord(t, 10, 1)
	defer rec.Release()
	tooMany := int64(math.MaxInt32) + 1 // negative where int has 32 bits: refused there, too
	for _, c := range []struct {
		o    ScanOptions
		kind errs.Kind
	}{
		{ScanOptions{BatchRows: -1}, errs.ErrOption},
		{ScanOptions{BatchRows: int(tooMany)}, errs.ErrOption},
		{ScanOptions{BatchBytes: -1}, errs.ErrOption},
		{ScanOptions{Parallelism: -1}, errs.ErrOption},
		{ScanOptions{MemoryBudget: -1}, errs.ErrOption},
		{ScanOptions{Rows: RowRange{-1, 5}}, errs.ErrOption},
		{ScanOptions{Rows: RowRange{5, 4}}, errs.ErrOption},
		{ScanOptions{Columns: []string{"nope"}}, errs.ErrSchema},
		{ScanOptions{Filter: parseFilter(t, "nope = 1")}, errs.ErrSchema},
		{ScanOptions{Filter: parseFilter(t, "name = 1")}, errs.ErrSchema},
	} {
		s, err := Scan(context.Background(), newMemFile(t, rec), c.o)
		if err == nil {
			s.Release()
		}
		if !errors.Is(err, c.kind) {
			t.Errorf("%+v: error %v, want kind %v", c.o, err, c.kind)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, newMemFile(t, rec), ScanOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// What the filter rules out is not fetched, and what both passes need is fetched once.
func TestScanFetchesOnlyWhatItNeeds(t *testing.T) {
	rec := anyRecord(t, 100, 2)
	defer rec.Release()
	for _, c := range []struct {
		filter                string
		columns               []string
		reads, fetched, rows_ int64
	}{
		{"", nil, 1, 10, 100},
		{"", []string{}, 0, 0, 0},
		{"", []string{"id", "st.a"}, 1, 2, 100},
		{"id < 0", []string{"name", "li"}, 1, 1, 100},         // first pass only
		{"id < 5", []string{"name", "id"}, 2, 2, 105},         // id, then name
		{"id < 5", []string{"id"}, 1, 1, 100},                 // nothing left for a second pass
		{"id < 5", []string{}, 1, 1, 100},                     // rows are counted
		{"st.a >= 0", []string{"st.a"}, 1, 1, 100},            // the same child
		{"id >= 0", []string{"name", "id"}, 2, 2, 200},        // everything stays
		{"id < 5 AND n >= 0", []string{"n", "id"}, 1, 2, 100}, // two predicate columns
	} {
		f := newMemFile(t, rec)
		s, err := Scan(context.Background(), f, ScanOptions{Parallelism: 1, Columns: c.columns, Filter: parseFilter(t, c.filter)})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := drain(t, s); err != nil {
			t.Fatal(err)
		}
		if f.reads.Load() != c.reads || f.columns.Load() != c.fetched || f.rows.Load() != c.rows_ {
			t.Errorf("filter %q columns %v: %d reads of %d columns, %d rows; want %d, %d, %d",
				c.filter, c.columns, f.reads.Load(), f.columns.Load(), f.rows.Load(), c.reads, c.fetched, c.rows_)
		}
	}
}

func TestScanPrunes(t *testing.T) {
	rec := anyRecord(t, 100, 2)
	defer rec.Release()
	f := newMemFile(t, rec, 40, 80)
	f.prune = func(s Split) RowSet { // rows of id in [10, 20) or [85, 90)
		return RowSet{{10, 20}, {85, 90}}.Clip(s.Rows)
	}
	s, err := Scan(context.Background(), f, ScanOptions{Columns: []string{"name"}, Filter: parseFilter(t, "id >= 15")})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := drain(t, s)
	if err != nil || len(rows) != 10 {
		t.Fatalf("%d rows, error %v; want 10", len(rows), err)
	}
	want := ScanStats{Rows: 10, Batches: 2, Splits: 3, SplitsPruned: 1, RowsPruned: 85, RowsFiltered: 5}
	got := s.Stats()
	if got.Bytes < 10*4 {
		t.Errorf("%d bytes for 10 strings", got.Bytes)
	}
	got.Bytes = 0
	if got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

// A full batch that the filter keeps whole is handed on without a copy, and small ones are put together.
func TestScanBatchSizes(t *testing.T) {
	rec := anyRecord(t, 100, 3)
	defer rec.Release()
	for _, c := range []struct {
		o      ScanOptions
		sizer  bool
		filter string
		want   string
	}{
		{ScanOptions{BatchRows: 30}, false, "", "[30 30 30 10]"},
		{ScanOptions{BatchRows: 30, BatchBytes: 1000}, true, "", "[10 10 10 10 10 10 10 10 10 10]"},
		{ScanOptions{BatchRows: 30}, false, "id >= 0", "[30 30 30 10]"},
		{ScanOptions{BatchRows: 30}, false, "id < 45", "[30 15]"},
		{ScanOptions{BatchRows: 10}, false, "id IN (3, 14, 15, 92)", "[4]"},
		{ScanOptions{BatchBytes: 1}, true, "", "[" + strings.Repeat("1 ", 99) + "1]"},
	} {
		for _, columns := range [][]string{nil, {"id"}} {
			if columns == nil == (c.o.BatchBytes == 0) && c.filter == "" && c.sizer {
				continue
			}
			f := newMemFile(t, rec)
			f.sizer = c.sizer
			c.o.Columns, c.o.Filter = columns, parseFilter(t, c.filter)
			s, err := Scan(context.Background(), f, c.o)
			if err != nil {
				t.Fatal(err)
			}
			_, batches, err := drain(t, s)
			if got := fmt.Sprint(batches); err != nil || got != c.want {
				t.Errorf("%+v sizer %v filter %q: batches %s, error %v; want %s", c.o, c.sizer, c.filter, got, err, c.want)
			}
		}
	}
}

// Without a Sizer, batches follow the size of the ones before.
func TestScanAdaptsToBytes(t *testing.T) {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	long := strings.Repeat("x", 1000)
	for range 2000 {
		b.Field(0).(*array.StringBuilder).Append(long)
	}
	rec := b.NewRecord()
	defer rec.Release()
	f := newMemFile(t, rec)
	f.splits[0].Bytes = 2000 * 100 // stored at a tenth: the first guess is 400 bytes a row
	s, err := Scan(context.Background(), f, ScanOptions{BatchBytes: 100 << 10})
	if err != nil {
		t.Fatal(err)
	}
	_, batches, err := drain(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if batches[0] != 256 || batches[1] != 101 || batches[2] != 101 {
		t.Errorf("batches of %v rows; 100 KiB are 256 rows by the guess, 101 once measured", batches[:3])
	}
}

// A window of the first pass ends where it holds enough; the result does not show it.
func TestScanWindows(t *testing.T) {
	rec := anyRecord(t, 400, 4)
	defer rec.Release()
	f := newMemFile(t, rec)
	s, err := Scan(context.Background(), f, ScanOptions{BatchRows: 10, BatchBytes: 200, Columns: []string{"id", "n", "un"}, Filter: parseFilter(t, "n < 50")})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := drain(t, s)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, r := range rowsOf(t, rec) {
		if n, ok := r["n"].(float64); ok && n < 50 {
			if want < len(rows) && rows[want]["id"] != r["id"] {
				t.Fatalf("row %d is %v, want id %v", want, rows[want], r["id"])
			}
			want++
		}
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	if f.reads.Load() < 5 {
		t.Errorf("%d reads: the split was not cut into windows", f.reads.Load())
	}
}

func TestScanNoRows(t *testing.T) {
	rec := anyRecord(t, 0, 1)
	defer rec.Release()
	empty := newMemFile(t, rec)
	empty.splits = nil
	for _, f := range []*memFile{newMemFile(t, rec), newMemFile(t, rec).asStream(), empty} {
		for _, p := range []int{1, 2} {
			s, err := Scan(context.Background(), f, ScanOptions{Parallelism: p, Filter: parseFilter(t, "id = 1")})
			if err != nil {
				t.Fatal(err)
			}
			if rows, _, err := drain(t, s); len(rows) != 0 || err != nil {
				t.Errorf("rows %v, error %v", rows, err)
			}
		}
	}
}
