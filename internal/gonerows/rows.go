package gonerows

import (
	"math"
	"slices"
	"sort"

	"github.com/arrowio/arrowio/arrowio"
)

// run is deleted rows of a split that are stored one after the other: the first of them, and how many rows before it are
// deleted.
type run struct{ start, before uint32 }

// Rows is the deleted rows of a split, and translates between rows as they are stored and rows as they are counted, which
// leaves the deleted ones out. Stored rows are counted from the first of the split, of which there are at most MaxRows. The
// zero value has none deleted.
type Rows struct {
	runs  []run
	total uint32
}

// MaxRows is how many rows a split may have.
const MaxRows = math.MaxUint32

// Total returns how many rows are deleted.
func (g *Rows) Total() int64 { return int64(g.total) }

// Equal reports whether the same rows are deleted.
func (g *Rows) Equal(o *Rows) bool { return g.total == o.total && slices.Equal(g.runs, o.runs) }

// Grow makes room for n more runs of rows.
func (g *Rows) Grow(n int) { g.runs = slices.Grow(g.runs, n) }

// Add deletes a stored row, which follows those deleted before.
func (g *Rows) Add(row uint32) {
	if n := len(g.runs); n > 0 {
		last := g.runs[n-1]
		if row == last.start+(g.total-last.before) {
			g.total++
			return
		}
	}
	g.runs = append(g.runs, run{row, g.total})
	g.total++
}

// count returns the rows of the i-th run.
func (g *Rows) count(i int) uint32 {
	if i+1 < len(g.runs) {
		return g.runs[i+1].before - g.runs[i].before
	}
	return g.total - g.runs[i].before
}

// Below returns how many rows that are left are stored before a row.
func (g *Rows) Below(row int64) int64 {
	i := sort.Search(len(g.runs), func(i int) bool { return int64(g.runs[i].start) >= row }) - 1
	if i < 0 {
		return row
	}
	gone := int64(g.runs[i].before) + min(int64(g.count(i)), row-int64(g.runs[i].start))
	return row - gone
}

// At returns where the n-th row that is left is stored.
func (g *Rows) At(n int64) int64 {
	row, _ := g.at(n)
	return row
}

// at is At; next is the run that follows.
func (g *Rows) at(n int64) (row int64, next int) {
	next = sort.Search(len(g.runs), func(i int) bool { return int64(g.runs[i].start)-int64(g.runs[i].before) > n })
	gone := int64(g.total)
	if next < len(g.runs) {
		gone = int64(g.runs[next].before)
	}
	return n + gone, next
}

// Left returns the rows of a set that are left: counted from left among those that are left, and from stored as they are stored.
func (g *Rows) Left(set arrowio.RowSet, stored, left int64) (out arrowio.RowSet) {
	for _, r := range set {
		out = out.Add(arrowio.RowRange{Start: left + g.Below(r.Start-stored), End: left + g.Below(r.End-stored)})
	}
	return out
}

// Around returns, for a set of rows that are left, stored rows that include them, and perhaps deleted ones. Rows that are left are
// counted from left, stored ones from stored.
func (g *Rows) Around(set arrowio.RowSet, left, stored int64) (out arrowio.RowSet) {
	for _, r := range set {
		out = out.Add(arrowio.RowRange{Start: stored + g.At(r.Start-left), End: stored + g.At(r.End-1-left) + 1})
	}
	return out
}

// Stored appends to runs where n rows are stored, beginning with the first-th of those that are left. base is added to
// each.
func (g *Rows) Stored(runs []arrowio.RowRange, first, n, base int64) []arrowio.RowRange {
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
