package orciceberg

import (
	"sort"

	"github.com/arrowio/arrowio/arrowio"
)

// rows is the rows of a split that are left, and translates between them as they are stored and as they are counted.
type rows struct {
	runs   arrowio.RowSet // rows of the file
	before []int64        // by run: how many are left in those before
	total  int64
}

// without returns the rows of a split but for those at positions, which are sorted and all in the split; one may come
// twice.
func without(split arrowio.RowRange, positions []int64) rows {
	var out rows
	at := split.Start
	add := func(end int64) {
		if at < end {
			out.runs = append(out.runs, arrowio.RowRange{Start: at, End: end})
			out.before = append(out.before, out.total)
			out.total += end - at
		}
	}
	for _, p := range positions {
		add(p)
		at = p + 1
	}
	add(split.End)
	return out
}

// count returns how many rows are left before a row of the file.
func (x *rows) count(row int64) int64 {
	i := sort.Search(len(x.runs), func(i int) bool { return x.runs[i].End > row })
	if i == len(x.runs) {
		return x.total
	}
	return x.before[i] + max(0, row-x.runs[i].Start)
}

// at returns where the n-th row that is left is stored.
func (x *rows) at(n int64) int64 {
	i := x.run(n)
	return x.runs[i].Start + n - x.before[i]
}

// run returns the run that the n-th row is in.
func (x *rows) run(n int64) int {
	return sort.Search(len(x.before), func(i int) bool { return x.before[i] > n }) - 1
}

// stored appends to runs where n rows are stored, from the one on that is the first-th; there are as many.
func (x *rows) stored(runs []arrowio.RowRange, first, n int64) []arrowio.RowRange {
	for i := x.run(first); n > 0; i++ {
		start := x.runs[i].Start + first - x.before[i]
		k := min(n, x.runs[i].End-start)
		runs = append(runs, arrowio.RowRange{Start: start, End: start + k})
		first, n = first+k, n-k
	}
	return runs
}
