package arrowio

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/workers"
)

// A failure of any call of the driver ends the scan with that error, frees everything and leaves no goroutine.
func TestScanFailsAtEveryCall(t *testing.T) {
	rec := anyRecord(t, 60, 5)
	defer rec.Release()
	for _, stream := range []bool{false, true} {
		for _, p := range []int{1, 3} {
			for _, filter := range []string{"", "n < 50"} {
				for at := int64(1); ; at++ {
					check := noGoroutines(t)
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					f := newMemFile(t, rec, 20, 40)
					if stream {
						f.asStream()
					}
					f.failAt, f.fail = at, errDisk
					s, err := Scan(context.Background(), f, ScanOptions{Parallelism: p, BatchRows: 7, Columns: []string{"ma", "n", "un"}, Filter: parseFilter(t, filter), Allocator: mem})
					if err != nil {
						t.Fatal(err)
					}
					_, _, err = drain(t, s)
					if n := f.open.Load(); n != 0 {
						t.Fatalf("call %d failed: %d readers are left open", at, n)
					}
					mem.AssertSize(t, 0)
					check()
					if f.calls.Load() < at { // the scan does not make so many calls
						if err != nil {
							t.Fatal(err)
						}
						break
					}
					if !errors.Is(err, errDisk) {
						t.Fatalf("call %d failed, but the scan says %v", at, err)
					}
				}
			}
		}
	}
}

func TestScanTurnsPanicsIntoErrors(t *testing.T) {
	if workers.Debug {
		return // under arrowio_debug the panic is meant to be seen
	}
	rec := anyRecord(t, 60, 5)
	defer rec.Release()
	for _, p := range []int{1, 3} {
		for at := int64(1); at < 10; at++ {
			f := newMemFile(t, rec, 20, 40)
			f.failAt = at
			s, err := Scan(context.Background(), f, ScanOptions{Parallelism: p})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = drain(t, s)
			if !errors.Is(err, errs.ErrInternal) || !strings.Contains(err.Error(), "a bug in the driver") || !strings.Contains(err.Error(), "fake_test.go") {
				t.Fatalf("call %d panicked, but the scan says %v", at, err)
			}
		}
	}
}

// The first error in split order is the one that is reported, even if another came first in time; what comes before
// it is delivered.
func TestScanReportsTheFirstErrorInOrder(t *testing.T) {
	rec := anyRecord(t, 60, 5)
	defer rec.Release()
	late := make(chan struct{})
	f := &orderedFailures{memFile: newMemFile(t, rec, 20, 40), late: late}
	s, err := Scan(context.Background(), f, ScanOptions{Parallelism: 3})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := drain(t, s)
	if len(rows) != 20 {
		t.Errorf("%d rows before the error, want 20", len(rows))
	}
	var e *errs.Error
	if !errors.As(err, &e) || e.Split != 1 || !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("error %v, want split 1 corrupt", err)
	}
}

// orderedFailures fails splits 1 and 2, 2 first.
type orderedFailures struct {
	*memFile
	late chan struct{}
}

func (f *orderedFailures) Read(ctx context.Context, s Split, rows RowSet, p Projection, mem memory.Allocator) (SplitReader, error) {
	switch s.Ordinal {
	case 1:
		<-f.late
		return nil, errs.Errorf(errs.ErrCorrupt, "the second split")
	case 2:
		defer close(f.late)
		return nil, errs.Errorf(errs.ErrCorrupt, "the third split")
	}
	return f.memFile.Read(ctx, s, rows, p, mem)
}

// Cancelling at any batch, and releasing at any batch, stops workers and frees everything.
func TestScanStopsAnywhere(t *testing.T) {
	rec := anyRecord(t, 200, 6)
	defer rec.Release()
	for _, p := range []int{1, 4} {
		for _, cancelling := range []bool{true, false} {
			for stop := range 12 {
				check := noGoroutines(t)
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				ctx, cancel := context.WithCancel(context.Background())
				f := newMemFile(t, rec, 20, 40, 60, 80, 100, 120, 140, 160, 180)
				s, err := Scan(ctx, f, ScanOptions{Parallelism: p, BatchRows: 6, MemoryBudget: 4 << 10, Allocator: mem, Filter: parseFilter(t, "n < 90")})
				if err != nil {
					t.Fatal(err)
				}
				for range stop {
					if !s.Next() {
						t.Fatal(s.Err())
					}
				}
				if cancelling {
					cancel()
					if s.Next() || !errors.Is(s.Err(), context.Canceled) {
						t.Errorf("after cancelling: error %v", s.Err())
					}
				}
				s.Release()
				cancel()
				if n := f.open.Load(); n != 0 {
					t.Errorf("%d readers are left open", n)
				}
				mem.AssertSize(t, 0)
				check()
			}
		}
	}
}

// A caller that waits for a slow worker is woken by the context.
func TestScanCancelWhileWaiting(t *testing.T) {
	rec := anyRecord(t, 20, 6)
	defer rec.Release()
	ctx, cancel := context.WithCancel(context.Background())
	f := newMemFile(t, rec)
	f.delay = func(Split) {
		cancel()
		time.Sleep(20 * time.Millisecond)
	}
	s, err := Scan(ctx, f, ScanOptions{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := drain(t, s); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Workers do not run ahead of the caller by more than the budget.
func TestScanMemoryBudget(t *testing.T) {
	const splits, rowsPer = 32, 1024 // of 8 KiB each
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	var cuts []int64
	for i := range splits * rowsPer {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i > 0 && i%rowsPer == 0 {
			cuts = append(cuts, int64(i))
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	f := newMemFile(t, rec, cuts...)
	for i := range f.splits {
		f.splits[i].Bytes = rowsPer * 2
	}
	mem := &peakAllocator{Allocator: memory.NewGoAllocator()}
	const budget = 64 << 10
	s, err := Scan(context.Background(), f, ScanOptions{Parallelism: 4, BatchRows: 128, MemoryBudget: budget, Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for s.Next() {
		if n == 0 {
			for end := time.Now().Add(time.Minute); mem.peak.Load() < budget/4 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(10 * time.Millisecond) // for workers that would go beyond the budget
		}
		rec := s.Record()
		for i, v := range rec.Column(0).(*array.Int64).Int64Values() {
			if v != n+int64(i) {
				t.Fatalf("row %d is %d", n+int64(i), v)
			}
		}
		n += rec.NumRows()
	}
	s.Release()
	if s.Err() != nil || n != splits*rowsPer {
		t.Fatalf("%d rows, error %v", n, s.Err())
	}
	if peak := mem.peak.Load(); peak > budget+16<<10 || peak < budget/4 {
		t.Errorf("%d bytes in use at most with a budget of %d", peak, budget)
	}
	if mem.now.Load() != 0 {
		t.Errorf("%d bytes leaked", mem.now.Load())
	}
}

type peakAllocator struct {
	memory.Allocator
	now, peak atomic.Int64
}

func (a *peakAllocator) add(n int) {
	now := a.now.Add(int64(n))
	for p := a.peak.Load(); now > p && !a.peak.CompareAndSwap(p, now); p = a.peak.Load() {
	}
}

func (a *peakAllocator) Allocate(n int) []byte { a.add(n); return a.Allocator.Allocate(n) }
func (a *peakAllocator) Free(b []byte)         { a.add(-len(b)); a.Allocator.Free(b) }
func (a *peakAllocator) Reallocate(n int, b []byte) []byte {
	a.add(n - len(b))
	return a.Allocator.Reallocate(n, b)
}

// One thread means none but the caller's; several really work at the same time.
func TestScanParallelism(t *testing.T) {
	rec := anyRecord(t, 80, 7)
	defer rec.Release()
	for _, p := range []int{1, 3} {
		check := noGoroutines(t)
		var mu sync.Mutex
		running, most := 0, 0
		all := make(chan struct{}) // closed when as many as may run at the same time do
		var once sync.Once
		f := newMemFile(t, rec, 10, 20, 30, 40, 50, 60, 70)
		f.delay = func(Split) {
			mu.Lock()
			running++
			most = max(most, running)
			if most == p {
				once.Do(func() { close(all) })
			}
			mu.Unlock()
			select { // those that are alone wait for the others, which may begin only when a first one is done
			case <-all:
			case <-time.After(300 * time.Millisecond):
			}
			mu.Lock()
			running--
			mu.Unlock()
		}
		s, err := Scan(context.Background(), f, ScanOptions{Parallelism: p})
		if err != nil {
			t.Fatal(err)
		}
		if p == 1 {
			s.Next()
			check()
		}
		if _, _, err := drain(t, s); err != nil {
			t.Fatal(err)
		}
		if most != p {
			t.Errorf("parallelism %d: %d splits at the same time", p, most)
		}
	}
}

func TestScanFragments(t *testing.T) {
	var recs []arrow.Record
	var all []map[string]any
	for i := range 4 {
		rec := anyRecord(t, 25+i, uint64(i))
		defer rec.Release()
		recs = append(recs, rec)
		all = append(all, rowsOf(t, rec)...)
	}
	for _, streams := range []int{0, 1, 2} { // which fragments do not know their length
		for _, p := range []int{1, 3} {
			for _, rr := range []RowRange{{}, {0, 10}, {20, 80}, {26, 51}, {100, 1000}, {500, 600}} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				check := noGoroutines(t)
				var fragments []Fragment
				var opened atomic.Int64
				var files []*memFile
				for i, rec := range recs {
					f := newMemFile(t, rec, 5, 10)
					if streams == 1 && i%2 == 0 || streams == 2 {
						f.asStream()
					}
					files = append(files, f)
					fragments = append(fragments, Fragment{Name: fmt.Sprintf("file%d", i), Open: func(context.Context) (File, error) {
						opened.Add(1)
						return f, nil
					}})
				}
				s, err := ScanFragments(context.Background(), recs[0].Schema(), fragments, ScanOptions{Parallelism: p, Rows: rr, BatchRows: 8, Columns: []string{"id", "li"}, Allocator: mem})
				if err != nil {
					t.Fatal(err)
				}
				rows, _, err := drain(t, s)
				if err != nil {
					t.Fatal(err)
				}
				var want []map[string]any
				for i, r := range all {
					if rr == (RowRange{}) || int64(i) >= rr.Start && int64(i) < rr.End {
						want = append(want, project(r, []string{"id", "li"}))
					}
				}
				if fmt.Sprint(rows) != fmt.Sprint(want) {
					t.Errorf("streams %d parallelism %d rows %v: got %d rows, want %d", streams, p, rr, len(rows), len(want))
				}
				for i, f := range files {
					if f.closed.Load() > 1 || f.open.Load() != 0 {
						t.Errorf("file %d: closed %d times, %d open readers", i, f.closed.Load(), f.open.Load())
					}
				}
				var closed int64
				for _, f := range files {
					closed += f.closed.Load()
				}
				if closed != opened.Load() {
					t.Errorf("%d files opened, %d closed", opened.Load(), closed)
				}
				if rr.End == 10 && opened.Load() != 1 {
					t.Errorf("%d files opened for the rows of the first", opened.Load())
				}
				mem.AssertSize(t, 0)
				check()
			}
		}
	}
}

// What the engine costs for each batch and each split, with a driver that does nothing.
func BenchmarkScanOverhead(b *testing.B) {
	bl := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer bl.Release()
	bl.Field(0).(*array.Int64Builder).AppendValues(make([]int64, 64), nil)
	rec := bl.NewRecord()
	defer rec.Release()
	for _, p := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("parallelism=%d", p), func(b *testing.B) {
			f := &nullFile{rec: rec}
			const splits, rowsPer = 16, 64 * 64
			for i := range splits {
				f.splits = append(f.splits, Split{Ordinal: i, Rows: RowRange{int64(i) * rowsPer, int64(i+1) * rowsPer}, Bytes: rowsPer})
			}
			b.ReportAllocs()
			n := 0
			for n < b.N {
				s, err := Scan(context.Background(), f, ScanOptions{BatchRows: 64, Parallelism: p})
				if err != nil {
					b.Fatal(err)
				}
				for n < b.N && s.Next() {
					n++
				}
				s.Release()
				if s.Err() != nil {
					b.Fatal(s.Err())
				}
			}
		})
	}
}

// nullFile gives the same record over and over.
type nullFile struct {
	memFile
	rec    arrow.Record
	splits []Split
}

func (f *nullFile) Schema() *arrow.Schema { return f.rec.Schema() }
func (f *nullFile) Splits() []Split       { return f.splits }
func (f *nullFile) Read(context.Context, Split, RowSet, Projection, memory.Allocator) (SplitReader, error) {
	return nullReader{f.rec}, nil
}

type nullReader struct{ rec arrow.Record }

func (r nullReader) Skip(n int64) (int64, error) { return n, nil }
func (r nullReader) Read(n int) (int, error)     { return n, nil }
func (r nullReader) Take() (arrow.Record, error) { r.rec.Retain(); return r.rec, nil }
func (r nullReader) Close() error                { return nil }

// lyingReader breaks the contract in one way.
type lyingReader struct {
	nullReader
	lie string
}

func (r lyingReader) Skip(n int64) (int64, error) {
	if r.lie == "skip" {
		return n - 1, nil
	}
	return n, nil
}

func (r lyingReader) Read(n int) (int, error) {
	switch r.lie {
	case "few":
		return n - 1, nil
	case "many":
		return n + 1, nil
	}
	return n, nil
}

func (r lyingReader) Take() (arrow.Record, error) {
	switch r.lie {
	case "rows":
		return r.rec.NewSlice(0, 1), nil
	case "columns":
		return array.NewRecord(arrow.NewSchema(nil, nil), nil, r.rec.NumRows()), nil
	case "type":
		f := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.Null}}, nil)
		n := array.NewNull(int(r.rec.NumRows()))
		defer n.Release()
		return array.NewRecord(f, []arrow.Array{n}, r.rec.NumRows()), nil
	}
	return r.nullReader.Take()
}

type lyingFile struct {
	nullFile
	lie string
}

func (f *lyingFile) Read(context.Context, Split, RowSet, Projection, memory.Allocator) (SplitReader, error) {
	return lyingReader{nullReader{f.rec}, f.lie}, nil
}

// A driver that does not keep its word is found out, not believed.
func TestScanDistrustsDrivers(t *testing.T) {
	rec := ints(t, vField, 1, 2, 3, 4)
	for _, lie := range []string{"", "skip", "few", "many", "rows", "columns", "type"} {
		if workers.Debug && lie == "type" {
			continue // found out by a panic of arrow's
		}
		f := &lyingFile{nullFile{rec: rec, splits: []Split{{Rows: RowRange{0, 10}}}}, lie}
		s, err := Scan(context.Background(), f, ScanOptions{Rows: RowRange{2, 6}, Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		for s.Next() {
		}
		s.Release()
		if lie == "" && s.Err() != nil || lie != "" && !errors.Is(s.Err(), errs.ErrInternal) {
			t.Errorf("lie %q: %v", lie, s.Err())
		}
	}
}
