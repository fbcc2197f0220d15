package conformance

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Harness describes one file for Run.
type Harness struct {
	// Open opens the file from src: Source, or a wrapper of it that counts reads, fails, or returns fewer bytes.
	Open func(ctx context.Context, src arrowio.Source) (arrowio.File, error)
	// Source has the bytes of the file. nil = the file has no Source: Open gets nil, and no failing reads are tested.
	Source arrowio.Source
	// Want is the content of the file as another implementation has read it. nil = what a scan without options returns.
	Want []arrow.Record
	// Scans is the maximum number of combinations that are scanned; half as many filters are tested. 0 = 150.
	Scans int
	// Seed chooses the combinations.
	Seed int64
}

// Run tests that a File fulfils the contract of arrowio.File and that scans of it return the right rows. It counts goroutines,
// so it must not run in parallel with other tests.
func Run(t *testing.T, h Harness) {
	s := newSuite(t, h)
	defer s.close()
	t.Run("splits", s.splits)
	t.Run("reader", s.readers)
	t.Run("scan", s.scans)
	t.Run("filter", s.filters)
	t.Run("cancel", s.cancel)
	t.Run("faults", s.faults)
	t.Run("concurrent", s.concurrent)
	t.Run("info", s.info)
	t.Run("close", s.closing)
}

// suite is one run: the file and its rows.
type suite struct {
	h     Harness
	rng   *rand.Rand
	plain arrow.Record // all rows and columns
	mu    sync.Mutex   // of making arrays over plain's data: those of type null write to it
}

func newSuite(t testing.TB, h Harness) *suite {
	t.Helper()
	if h.Scans == 0 {
		h.Scans = 150
	}
	s := &suite{h: h, rng: rand.New(rand.NewSource(h.Seed + 1))}
	mem := memory.NewGoAllocator()
	f := s.open(t)
	defer f.Close()
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var recs []arrow.Record
	for _, sp := range f.Splits() {
		recs = append(recs, readPlainly(t, f, sp, p, mem)...)
	}
	for _, r := range recs {
		if err := ValidateRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	s.plain = joined(t, f.Schema(), recs)
	if h.Want != nil {
		want := joined(t, f.Schema(), h.Want)
		if err := Equal(want, s.plain); err != nil {
			t.Fatalf("the file does not hold what it should: %v", err)
		}
	}
	return s
}

// joined returns recs as one record.
func joined(t testing.TB, schema *arrow.Schema, recs []arrow.Record) arrow.Record {
	t.Helper()
	if len(recs) == 0 {
		g := Generator{Rand: rand.New(rand.NewSource(0)), Mem: memory.NewGoAllocator()}
		return g.Record(schema, 0)
	}
	all, err := arrowbuf.Concat(recs, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *suite) close() { s.plain.Release() }

func (s *suite) open(t testing.TB) arrowio.File {
	t.Helper()
	f, err := s.h.Open(context.Background(), s.h.Source)
	if err != nil {
		t.Fatal("open:", err)
	}
	return f
}

// rows is the number of rows of the file.
func (s *suite) rows() int64 { return s.plain.NumRows() }

// readPlainly reads a split through its driver, from front to back.
func readPlainly(t testing.TB, f arrowio.File, sp arrowio.Split, p arrowio.Projection, mem memory.Allocator) []arrow.Record {
	t.Helper()
	if sp.Known() && sp.Rows.Len() == 0 {
		return nil
	}
	all := sp.Rows
	if !sp.Known() {
		all.End = 1 << 62
	}
	r, err := f.Read(context.Background(), sp, arrowio.RowSet{all}, p, mem)
	if err != nil {
		t.Fatalf("split %d: %v", sp.Ordinal, err)
	}
	defer r.Close()
	var recs []arrow.Record
	for left := all.Len(); left > 0; {
		want := int(min(left, 65536))
		n, err := r.Read(want)
		if err != nil {
			t.Fatalf("split %d: %v", sp.Ordinal, err)
		}
		rec, err := r.Take()
		if err != nil {
			t.Fatalf("split %d: %v", sp.Ordinal, err)
		}
		if rec.NumRows() != int64(n) {
			t.Fatalf("split %d: Read said %d rows, Take gave %d", sp.Ordinal, n, rec.NumRows())
		}
		recs = append(recs, rec)
		left -= int64(n)
		if n < want {
			if sp.Known() {
				t.Fatalf("split %d: Read gave %d rows of %d", sp.Ordinal, n, want)
			}
			break
		}
	}
	return recs
}

// span is a range of rows of the file.
type span struct{ start, end int64 }

// checker compares batches with the rows that are due, in order.
type checker struct {
	want  arrow.Record // the whole file, projected
	due   []span
	given int64
}

// add checks one batch.
func (c *checker) add(rec arrow.Record) error {
	if err := ValidateRecord(rec); err != nil {
		return fmt.Errorf("batch at row %d of the result: %w", c.given, err)
	}
	for at, left := int64(0), rec.NumRows(); left > 0; {
		if len(c.due) == 0 {
			return fmt.Errorf("%d rows more than there are, after %d", left, c.given)
		}
		d := &c.due[0]
		n := min(left, d.end-d.start)
		for i := range int(rec.NumCols()) {
			if err := equalRows(c.want.Column(i), int(d.start), rec.Column(i), int(at), int(n)); err != nil {
				return fmt.Errorf("column %s: file rows from %d: %w", rec.ColumnName(i), d.start, err)
			}
		}
		at, left, c.given = at+n, left-n, c.given+n
		if d.start += n; d.start == d.end {
			c.due = c.due[1:]
		}
	}
	return nil
}

// finish reports rows that never came.
func (c *checker) finish() error {
	if len(c.due) > 0 {
		return fmt.Errorf("the result ends after %d rows, before file row %d", c.given, c.due[0].start)
	}
	return nil
}

// spans returns a span as a list, which is empty when the span is.
func spans(start, end int64) []span {
	if start >= end {
		return nil
	}
	return []span{{start, end}}
}

// project returns the plain rows as a scan of columns must show them.
func (s *suite) project(t testing.TB, columns []string) arrow.Record {
	t.Helper()
	p, err := arrowio.Project(s.plain.Schema(), columns)
	if err != nil {
		t.Fatalf("columns %q: %v", columns, err)
	}
	s.mu.Lock()
	rec, err := arrowbuf.Project(s.plain, p.Schema, selections(p.Fields))
	s.mu.Unlock()
	if err != nil {
		t.Fatalf("columns %q: %v", columns, err)
	}
	return rec
}

func selections(fields []arrowio.ProjectedField) []arrowbuf.Selection {
	var out []arrowbuf.Selection
	for _, f := range fields {
		out = append(out, arrowbuf.Selection{Index: f.Index, Children: selections(f.Children)})
	}
	return out
}

// watch fails t at the end of what it watches if memory or goroutines are left.
func watch(t testing.TB) (mem *memory.CheckedAllocator, done func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	mem = memory.NewCheckedAllocator(memory.NewGoAllocator())
	return mem, func() {
		t.Helper()
		for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
			if wait > time.Second {
				stacks := make([]byte, 64<<10)
				t.Errorf("%d goroutines left behind:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
				break
			}
			time.Sleep(wait)
		}
		mem.AssertSize(t, 0)
	}
}
