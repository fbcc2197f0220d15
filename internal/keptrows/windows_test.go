package keptrows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// Windows have the rows of the runs, in order, and dense ones nothing that lies outside of the ranges they are to keep to.
func TestDivide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var w Windows
	dense := 0
	for range 2000 {
		exact := rng.IntN(4) == 0
		long, far := 1+rng.Int64N(40), 1+rng.Int64N(200)
		var runs []arrowio.RowRange
		var within arrowio.RowSet
		row := rng.Int64N(100)
		start := rng.Int64N(row + 1)
		for range 1 + rng.IntN(300) {
			r := arrowio.RowRange{Start: row, End: row + 1 + rng.Int64N(long)}
			runs = append(runs, r)
			if n := len(within); n > 0 && rng.IntN(20) > 0 {
				within[n-1].End = r.End
			} else {
				within = append(within, r)
			}
			row = r.End + 1 + rng.Int64N(far)
			if rng.IntN(100) == 0 {
				row += 3 * Rows
			}
		}
		if rng.IntN(3) == 0 {
			within = nil
		}
		row0 := runs[0].Start
		off := rng.IntN(20)
		n := int(runs[len(runs)-1].End-row0) + rng.IntN(100)
		mask := make(bitpack.Marks, bitpack.MarkWords(off+n))
		for _, r := range runs {
			mask.Mark(off+int(r.Start-row0), off+int(r.End-row0))
		}
		w.Divide(start, runs, within, exact)
		dense += check(t, &w, start, runs, within, exact)
		var shifted arrowio.RowSet
		for _, r := range within {
			shifted = append(shifted, arrowio.RowRange{Start: r.Start - start, End: r.End - start})
		}
		if off > 0 {
			mask.Mark(0, off) // of rows before
		}
		w.DivideMask(row0-start, mask, off, n, shifted, exact)
		dense += check(t, &w, start, runs, within, exact)
	}
	if dense < 2000 {
		t.Errorf("only %d windows are dense", dense)
	}
}

// check compares windows with the runs that they were made of, and returns how many are dense.
func check(t *testing.T, w *Windows, start int64, runs []arrowio.RowRange, within arrowio.RowSet, exact bool) (dense int) {
	t.Helper()
	var got arrowio.RowSet
	for _, x := range w.All {
		n, count, last := 0, 0, 0
		for from, to := range x.Kept.All() {
			if count == 0 && from != 0 {
				t.Fatalf("a window begins %d rows before its first", from)
			}
			n, count, last = n+to-from, count+1, to
			got = got.Add(arrowio.RowRange{Start: start + x.Row + int64(from), End: start + x.Row + int64(to)})
		}
		if n != x.Kept.N || count != x.Kept.Count || last != x.Len() || (x.Kept.Runs == nil) == (x.Kept.Marks == nil) {
			t.Fatalf("a window of %d rows in %d runs up to %d: %+v", n, count, last, x)
		}
		if !x.Dense {
			if x.Kept.Runs == nil {
				t.Fatal("a window that is not dense has marks")
			}
			continue
		}
		dense++
		all := arrowio.RowRange{Start: start + x.Row, End: start + x.Row + int64(x.Len())}
		if exact || x.Len() > Rows || within != nil && !slices.ContainsFunc(within, func(r arrowio.RowRange) bool { return r.Intersect(all) == all }) {
			t.Fatalf("rows %v are decoded whole: exact %v, within %v", all, exact, within)
		}
	}
	if !slices.Equal(got, runs) {
		t.Fatalf("windows have %v, want %v", got, runs)
	}
	if w.End()+start != runs[len(runs)-1].End {
		t.Fatalf("windows end at %d, want %d", w.End()+start, runs[len(runs)-1].End)
	}
	return dense
}
