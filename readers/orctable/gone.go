package orctable

import (
	"sort"

	"github.com/arrowio/arrowio/arrowio"
)

// goneRun is rows of a split, stored one after the other, that are not there: the first of them, and how many rows of the
// split before that are not there either.
type goneRun struct{ start, before uint32 }

// goneRows is all of them, and translates between rows as they are stored and rows as they are counted.
type goneRows struct {
	runs  []goneRun
	total uint32
}

// add takes a stored row, behind those taken before.
func (g *goneRows) add(row uint32) {
	if n := len(g.runs); n > 0 {
		last := g.runs[n-1]
		if row == last.start+(g.total-last.before) {
			g.total++
			return
		}
	}
	g.runs = append(g.runs, goneRun{row, g.total})
	g.total++
}

// count returns the rows of the i-th run.
func (g *goneRows) count(i int) uint32 {
	if i+1 < len(g.runs) {
		return g.runs[i+1].before - g.runs[i].before
	}
	return g.total - g.runs[i].before
}

// below returns how many rows that are there are stored before a row.
func (g *goneRows) below(row int64) int64 {
	i := sort.Search(len(g.runs), func(i int) bool { return int64(g.runs[i].start) >= row }) - 1
	if i < 0 {
		return row
	}
	gone := int64(g.runs[i].before) + min(int64(g.count(i)), row-int64(g.runs[i].start))
	return row - gone
}

// at returns where the n-th row that is there is stored, and which run comes behind it.
func (g *goneRows) at(n int64) (row int64, next int) {
	next = sort.Search(len(g.runs), func(i int) bool { return int64(g.runs[i].start)-int64(g.runs[i].before) > n })
	gone := int64(g.total)
	if next < len(g.runs) {
		gone = int64(g.runs[next].before)
	}
	return n + gone, next
}

// stored appends to runs where n rows are stored, from the one on that is the first-th of those that are there. base is
// added to each.
func (g *goneRows) stored(runs []arrowio.RowRange, first, n, base int64) []arrowio.RowRange {
	row, next := g.at(first)
	for n > 0 {
		k := n
		if next < len(g.runs) {
			k = min(k, int64(g.runs[next].start)-row)
		}
		runs = append(runs, arrowio.RowRange{Start: base + row, End: base + row + k})
		n -= k
		row += k
		if n > 0 {
			row += int64(g.count(next))
			next++
		}
	}
	return runs
}
