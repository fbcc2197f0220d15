package keptrows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
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
		w.Divide(start, runs, within, exact)
		var got []arrowio.RowRange
		for _, x := range w.All {
			n := 0
			for _, p := range x.Kept.Runs {
				n += p[1] - p[0]
				got = append(got, arrowio.RowRange{Start: start + x.Row + int64(p[0]), End: start + x.Row + int64(p[1])})
			}
			if n != x.Kept.N || x.Kept.Runs[0][0] != 0 || x.Kept.Slots != nil && len(x.Kept.Slots) != n {
				t.Fatalf("a window of %d rows: %+v", n, x)
			}
			if !x.Dense {
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
	}
	if dense < 1000 {
		t.Errorf("only %d windows are dense", dense)
	}
}
