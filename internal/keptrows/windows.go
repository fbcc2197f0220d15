package keptrows

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// A window of short runs is decoded whole and trimmed: to stop and to go on takes about as long, for each column, as
// decoding a hundred values. Windows are small enough for what was decoded to be near when it is moved. Where gaps or
// runs are longer than these, on average, runs are decoded one by one.
const (
	Rows     = 8192 // of a window
	denseGap = 64
	denseRun = 512
)

// Window is runs of rows that are read together.
type Window struct {
	Row   int64         // with which it begins
	Kept  arrowbuf.Kept // the runs, counted from there
	Dense bool          // they are decoded with what lies between them
}

// Len returns how many rows there are from the first to the last.
func (w *Window) Len() int { return w.Kept.Runs[len(w.Kept.Runs)-1][1] }

// Windows are the windows of a call of arrowio.RunReader. The zero value has none.
type Windows struct {
	All    []Window
	pieces [][2]int
	slots  []uint16
}

// Divide makes windows of runs, which are sorted and apart; their rows are counted from start in what it makes. No window is dense if exact
// is set, or goes beyond a range of within, in which every run lies; nil = there are no such ranges.
func (w *Windows) Divide(start int64, runs []arrowio.RowRange, within arrowio.RowSet, exact bool) {
	w.All, w.pieces, w.slots = w.All[:0], slices.Grow(w.pieces[:0], len(runs)), w.slots[:0]
	for i := 0; i < len(runs); {
		from, first := runs[i].Start, len(w.pieces)
		most := from + Rows
		for len(within) > 0 && within[0].End <= from {
			within = within[1:]
		}
		if len(within) > 0 {
			most = min(most, within[0].End)
		}
		rows, span := int64(0), int64(0)
		for ; i < len(runs) && (span == 0 || runs[i].End <= most); i++ {
			rows += runs[i].Len()
			span = runs[i].End - from
			w.pieces = append(w.pieces, [2]int{int(runs[i].Start - from), int(span)})
		}
		pieces := w.pieces[first:]
		n := int64(len(pieces))
		x := Window{Row: from - start, Kept: arrowbuf.Kept{Runs: pieces, N: int(rows)}}
		if !exact && n > 1 && span-rows <= denseGap*n && rows <= denseRun*n {
			x.Dense = true
			x.Kept, w.slots = arrowbuf.NewKept(pieces, int(rows), w.slots)
		}
		w.All = append(w.All, x)
	}
}
