package kudu

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
)

// expectRows reads all rows and compares them with what must be there. All memory must have been given back.
func expectRows(t testing.TB, f *File, batch int, want arrow.Record) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	got, err := conformance.Collect(t, f, mem, batch)
	switch {
	case err != nil:
	case got != nil:
		err = conformance.Equal(want, got)
		got.Release()
	case want.NumRows() > 0:
		err = fmt.Errorf("no rows, want %d", want.NumRows())
	default:
		err = conformance.EqualSchemas(want.Schema(), f.Schema())
	}
	if err != nil {
		t.Errorf("at %d: %v", f.opt.Snapshot, err)
	}
	mem.AssertSize(t, 0)
}

// checkRows compares what a server gives at a snapshot with what must be there.
func (x *madeTable) checkRows(t *testing.T, s *tableServer, o Options, batch int) {
	t.Helper()
	f, err := s.open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	expectRows(t, f, batch, x.expect(t, o.Snapshot, o.StringsBinary))
	w := told(f)
	if before := anyHas(w, "no rows at the snapshot"); before {
		if o.Snapshot == 0 || o.Snapshot > x.first() {
			t.Errorf("at %d, the first row is of %d: %q", o.Snapshot, x.first(), w)
		}
		w = w[:len(w)-1]
	}
	if len(w) > 1+len(x.tablets) || len(w) > 0 && !anyHas(w, "log") {
		t.Errorf("warnings: %q", w)
	}
}

// first returns when the first row came.
func (x *madeTable) first() uint64 {
	first := uint64(math.MaxUint64)
	for _, t := range x.tablets {
		for _, rs := range t.rowsets {
			for _, row := range rs.rows {
				first = min(first, row.events[0].time)
			}
		}
	}
	return first
}

// Tables whose rows come, change, go and come again, in several rowsets, tablets and schemas: at every moment they are
// what they were, however rowsets are cut into splits.
func TestMadeTables(t *testing.T) {
	for seed := int64(0); seed < 40; seed += sampled {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			h := history{
				keys: 1 + r.Intn(3), columns: 1 + r.Intn(5), tablets: 1 + r.Intn(3), steps: 20 + r.Intn(250), span: 10 + r.Intn(40),
				anyBytes: seed%4 == 3, single: seed%7 == 6,
			}
			x := newTable(t, r, h)
			s := x.serve(t)
			for i := range 6 {
				o := Options{StringsBinary: h.anyBytes || r.Intn(4) == 0}
				if i > 0 {
					o.Snapshot = 999 + uint64(r.Int63n(int64(x.now-990)))
				}
				if i > 1 {
					o.sizes = sizes{rows: 1 + r.Int63n(40), bytes: 100 + r.Int63n(3000), updates: 1 + r.Int63n(30), kept: r.Int63n(4)}
				}
				x.checkRows(t, s, o, 1+r.Intn(50))
			}
		})
	}
}

// Every type of column: all kinds of changes, at all moments.
func TestMadeTypes(t *testing.T) {
	for i, typ := range columnTypes {
		t.Run(fmt.Sprint(typ), func(t *testing.T) {
			r := rand.New(rand.NewSource(int64(i)))
			h := history{keys: 1 + i%2, columns: 2, tablets: 1, steps: 150, span: 12, types: columnTypes[i : i+1]}
			x := newTable(t, r, h)
			s := x.serve(t)
			for time := uint64(0); time < x.now+3; time += 1 + time/999*uint64(5+r.Intn(20)) {
				x.checkRows(t, s, Options{Snapshot: time}, 1000)
				if time == 0 {
					time = 998
				}
			}
		})
	}
}

// What one split reads does not depend on what others have kept.
func TestLivenessBeyondKept(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	x := newTable(t, r, history{keys: 1, columns: 1, tablets: 1, steps: 1200, span: 500, single: true})
	s := x.serve(t)
	for _, kept := range []int64{0, 1, 10, 1 << 20} {
		f, err := s.open(Options{sizes: sizes{rows: 10, bytes: 1 << 20, updates: 1 << 20, kept: kept}})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.splits) < 20 || f.kept.Load() > kept || kept > 1 && f.kept.Load() == 0 {
			t.Errorf("%d splits, %d of %d bytes kept", len(f.splits), f.kept.Load(), kept)
		}
		expectRows(t, f, 3, x.expect(t, 0, false))
		_ = f.Close()
	}
}

// farSource is a source of which nothing is known but that it can be read.
type farSource struct{ arrowio.Source }

// A scan in parallel, of sources near and far, gives the same rows in the same order.
func TestMadeTablesInParallel(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	x := newTable(t, r, history{keys: 2, columns: 6, tablets: 3, steps: 400, span: 30})
	s := x.serve(t)
	for _, far := range []bool{false, true} {
		o := Options{Snapshot: x.now - 200, sizes: sizes{rows: 17, bytes: 4000, updates: 40, kept: 5}}
		if far {
			o.through = func(_ uint64, src arrowio.Source) arrowio.Source { return farSource{src} }
		}
		f, err := s.open(o)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, p := range []int{1, 3, 8} {
			got = scanText(t, f, arrowio.ScanOptions{Parallelism: p, BatchRows: 1 + r.Intn(60)})
			if p == 1 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("with %d workers: %d rows, want %d", p, len(got), len(want))
			}
		}
		if int64(len(want)) != x.expect(t, o.Snapshot, false).NumRows() {
			t.Errorf("%d rows", len(want))
		}
		_ = f.Close()
	}
}
