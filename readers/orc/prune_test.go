package orc

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
)

// Pruning takes away no row for which the predicate is true, whatever the file, its writer and the options.
func TestPruneKeepsRows(t *testing.T) {
	t.Parallel()
	testPruneKeepsRows(t, prunedFiles(t, "../../testdata/orc"), pruneCases{count: 10_000 / sampled, scan: 7, share: 0.1})
}

// The C++ writer counts bounds by the clocks of its zone, which before 1900 are others than Java's, whose rows are read.
func TestPruneZones(t *testing.T) {
	t.Parallel()
	testPruneKeepsRows(t, prunedFiles(t, "../../testdata/orc/pyorc-0.12.0"), pruneCases{count: 2_000, scan: 20, share: 0.1})
}

// pruneCases says how many predicates are tried.
type pruneCases struct {
	count int
	scan  int     // every so many are scanned, too, which takes longer
	share float64 // of them that must prune
	expr  func(g predicates) expr.Expr
}

func testPruneKeepsRows(t *testing.T, files []*prunedFile, cases pruneCases) {
	if len(files) == 0 {
		t.Fatal("no files")
	}
	if cases.expr == nil {
		cases.expr = func(g predicates) expr.Expr { return g.expr(g.Intn(3) * g.Intn(3)) }
	}
	var pruned, scans int
	for i := range cases.count {
		p := files[i%len(files)]
		g := predicates{rand.New(rand.NewSource(int64(i))), p}
		e := cases.expr(g)
		bound, err := expr.Bind(e, p.f.schema)
		if err != nil {
			t.Fatalf("%s: %s: %v", p.name, e, err)
		}
		keep := passing(t, p, bound)
		left := arrowio.RowSet(nil)
		for _, s := range p.f.splits {
			rows, err := p.f.Prune(t.Context(), s, bound)
			if err != nil {
				t.Fatalf("%s: %s: %v", p.name, e, err)
			}
			for _, r := range rows {
				if r.Len() <= 0 || r.Start < s.Rows.Start || r.End > s.Rows.End {
					t.Fatalf("%s: %s: rows %v of a split of %v", p.name, e, rows, s.Rows)
				}
				left = left.Add(r)
			}
		}
		if got := left.Intersect(keep).Len(); got != keep.Len() {
			t.Fatalf("case %d: %s: %s: of %d rows that pass, %d are left", i, p.name, e, keep.Len(), got)
		}
		if left.Len() < p.f.footer.Rows {
			pruned++
		}
		if i%cases.scan == 0 {
			scans++
			compareScan(t, p, e, keep)
		}
	}
	t.Logf("%d files, %d predicates, of which %d pruned rows, %d scans", len(files), cases.count, pruned, scans)
	if float64(pruned) < cases.share*float64(cases.count) {
		t.Errorf("only %d of %d predicates pruned rows", pruned, cases.count)
	}
}

// passing returns the rows for which the predicate is true.
func passing(t *testing.T, p *prunedFile, b *expr.Bound) (keep arrowio.RowSet) {
	t.Helper()
	at := int64(0)
	for _, rec := range p.recs {
		m, err := b.Mask(rec)
		if err != nil {
			t.Fatalf("%s: %s: %v", p.name, b, err)
		}
		for i := range m.Len() {
			if m.IsValid(i) && m.Value(i) {
				keep = keep.Add(arrowio.RowRange{Start: at + int64(i), End: at + int64(i) + 1})
			}
		}
		at += rec.NumRows()
		m.Release()
	}
	return keep
}

// compareScan scans with the filter and compares with the rows that pass.
func compareScan(t *testing.T, p *prunedFile, e expr.Expr, keep arrowio.RowSet) {
	t.Helper()
	r, err := arrowio.Scan(t.Context(), p.f, arrowio.ScanOptions{Filter: e, Parallelism: 1})
	if err != nil {
		t.Fatalf("%s: %s: %v", p.name, e, err)
	}
	defer r.Release()
	want := &rowWalk{p: p, keep: keep}
	for r.Next() {
		rec := r.Record()
		for at := int64(0); at < rec.NumRows(); {
			part, ok := want.next(rec.NumRows() - at)
			if !ok {
				t.Fatalf("%s: %s: more rows than pass", p.name, e)
			}
			got := rec.NewSlice(at, at+part.NumRows())
			err := conformance.Equal(got, part)
			at += part.NumRows()
			got.Release()
			part.Release()
			if err != nil {
				t.Fatalf("%s: %s: %v", p.name, e, err)
			}
		}
	}
	if r.Err() != nil {
		t.Fatalf("%s: %s: %v", p.name, e, r.Err())
	}
	if _, ok := want.next(1); ok {
		t.Fatalf("%s: %s: fewer rows than pass", p.name, e)
	}
}

// rowWalk walks over a set of rows of records.
type rowWalk struct {
	p    *prunedFile
	keep arrowio.RowSet
	rec  int
	base int64 // row at which the record begins
}

// next returns up to n of the next rows, which lie together in one record; the caller releases them.
func (w *rowWalk) next(n int64) (arrow.Record, bool) {
	if len(w.keep) == 0 {
		return nil, false
	}
	r := w.keep[0]
	for r.Start >= w.base+w.p.recs[w.rec].NumRows() {
		w.base += w.p.recs[w.rec].NumRows()
		w.rec++
	}
	end := min(r.End, r.Start+n, w.base+w.p.recs[w.rec].NumRows())
	if w.keep[0].Start = end; end == r.End {
		w.keep = w.keep[1:]
	}
	return w.p.recs[w.rec].NewSlice(r.Start-w.base, end-w.base), true
}

// What is left of pruning.orc: two stripes of 3,000 rows, row groups of 1,000, bloom filters on id and city; id is three
// times the row's number, name holds it, at is a minute later in each row.
func TestPruneLeavesRowGroups(t *testing.T) {
	p := openPruned(t, "../../testdata/orc/java-2.3.1/pruning.orc", Options{})
	if p == nil {
		t.Fatal("it cannot be read")
	}
	for _, k := range []struct{ where, left string }{
		{"id__mono = 7500", "[{2000 3000}]"},
		{"id__mono = 7501", "[]"}, // within the bounds of a row group: its bloom filter knows better
		{"id__mono IN (3, 4, 5, 8997, 8998)", "[{0 1000} {2000 3000}]"},
		{"id__mono < 300", "[{0 1000}]"},
		{"id__mono BETWEEN 2990 AND 3005", "[{0 2000}]"},
		{"NOT (id__mono >= 300)", "[{0 1000}]"},
		{"id__mono <> 7500", "[{0 6000}]"},
		{"id__mono >= 17997 OR id__mono < 0", "[{5000 6000}]"},
		{"id__mono > 17997", "[]"},
		{"id__mono IS NULL", "[]"},
		{"id__mono = 3 AND id__mono = 9000", "[]"},
		{"id__mono = 3 OR id__mono = 9000", "[{0 1000} {3000 4000}]"},
		{"name__seq LIKE 'row-0000123%'", "[{1000 2000}]"},
		{"name__seq > 'row-00004999'", "[{5000 6000}]"},
		{"name__seq = 'row-00001234x'", "[{1000 2000}]"},
		{"at__seq = TIMESTAMP '2023-11-14 22:13:20'", "[{0 1000}]"},
		{"at__seq = TIMESTAMP '2023-11-14 22:13:21'", "[{0 1000}]"},
		{"city__dict__r10 = 'k1x'", "[]"},
		{"score__finite__first IS NOT NULL", "[{3000 6000}]"},
	} {
		e, err := expr.Parse(k.where)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(e, p.f.schema)
		if err != nil {
			t.Fatal(err)
		}
		left, planned := arrowio.RowSet{}, int64(0)
		for _, s := range p.f.splits {
			rows, err := p.f.Prune(t.Context(), s, bound)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				left = left.Add(r)
			}
		}
		if got := fmt.Sprint(left); got != k.left {
			t.Errorf("%s: %s are left, want %s", k.where, got, k.left)
		}
		info, err := p.f.Info(t.Context(), arrowio.InfoOptions{Filter: bound})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range info.Plan {
			planned += u.Left
			if u.Left < u.Rows.Len() && len(u.By) == 0 || u.Bytes > u.BytesOf || u.Groups > u.GroupsOf {
				t.Errorf("%s: %+v", k.where, u)
			}
		}
		if planned != left.Len() || len(info.Plan) != 2 {
			t.Errorf("%s: %d rows planned in %d stripes, %d are left", k.where, planned, len(info.Plan), left.Len())
		}
		compareScan(t, p, e, passing(t, p, bound))
	}
}

// flaky is a source that fails when told to, and can show other bytes than it has.
type flaky struct {
	arrowio.Source
	fail  error
	shown func(p []byte, off int64)
}

func (s *flaky) ReadAt(p []byte, off int64) (int, error) {
	if s.fail != nil {
		return 0, s.fail
	}
	n, err := s.Source.ReadAt(p, off)
	if s.shown != nil {
		s.shown(p[:n], off)
	}
	return n, err
}

// An index that cannot be read for want of a disk is an error; one that makes no sense prunes nothing.
func TestPruneDamagedIndex(t *testing.T) {
	file, err := local.OpenFile("../../testdata/orc/java-2.3.1/pruning.orc")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	src := &flaky{Source: file}
	open := func() (*File, *expr.Bound) {
		f, err := Open(t.Context(), src, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := expr.Parse("id__mono = 7500")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(e, f.schema)
		if err != nil {
			t.Fatal(err)
		}
		return f, bound
	}
	f, bound := open()
	gone := errors.New("the disk is gone")
	src.fail = gone
	if _, err := f.Prune(t.Context(), f.splits[0], bound); !errors.Is(err, gone) {
		t.Errorf("without a disk: %v", err)
	}
	src.fail = nil
	if rows, err := f.Prune(t.Context(), f.splits[0], bound); err != nil || rows.Len() != 1000 {
		t.Errorf("with the disk again: %v, %v", rows, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, bound = open()
	if _, err := f.Prune(ctx, f.splits[0], bound); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// The index of the first stripe begins behind the magic; without sense in it, all that is in the stripe's bounds stays.
	index := f.footer.Stripes[0].IndexLength
	src.shown = func(p []byte, off int64) {
		for i := range p {
			if at := off + int64(i); at >= 3 && at < 3+index {
				p[i] = 0xff
			}
		}
	}
	f, bound = open()
	if rows, err := f.Prune(t.Context(), f.splits[0], bound); err != nil || rows.Len() != 3000 {
		t.Errorf("a damaged index: %v, %v", rows, err)
	}
	r := rand.New(rand.NewSource(1))
	for range 300 {
		at, bit := 3+r.Int63n(index), byte(1)<<r.Intn(8)
		src.shown = func(p []byte, off int64) {
			if i := at - off; i >= 0 && i < int64(len(p)) {
				p[i] ^= bit
			}
		}
		f, bound = open()
		if _, err := f.Prune(t.Context(), f.splits[0], bound); err != nil {
			t.Errorf("byte %d damaged: %v", at, err)
		}
	}
}
