package keptrows

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// A window of short runs is decoded whole and trimmed: to stop and to go on takes about as long, for each column, as
// decoding a hundred values. Windows are small enough for what was decoded to be near when it is moved. Where gaps or
// runs are longer than these, on average, runs are decoded one by one.
const (
	Rows     = 8192 // of a window
	denseGap = 64   // unless Windows.Gap says something else
	denseRun = 512
)

// Window is rows that are read together.
type Window struct {
	Row   int64         // with which it begins
	Kept  arrowbuf.Kept // which of its rows are wanted, counted from there: the first and the last are
	Dense bool          // they are decoded with what lies between them
	slots int
}

// Len returns how many rows there are from the first to the last.
func (w *Window) Len() int { return w.slots }

// Windows are the windows of a call of an arrowio.RunReader. The zero value has none.
type Windows struct {
	All    []Window
	Gap    int64 // how many rows there are between runs of a dense window, on average, at most; 0 = 64
	pieces [][2]int
	marks  bitpack.Marks
}

// End returns the row behind the last of all windows.
func (w *Windows) End() int64 {
	last := &w.All[len(w.All)-1]
	return last.Row + int64(last.slots)
}

// Divide makes windows of runs, which are sorted and apart; their rows are counted from start in what it makes. No window is dense if exact
// is set, or goes beyond a range of within, in which every run lies; nil = there are no such ranges.
func (w *Windows) Divide(start int64, runs []arrowio.RowRange, within arrowio.RowSet, exact bool) {
	w.All, w.pieces, w.marks = w.All[:0], slices.Grow(w.pieces[:0], len(runs)), w.marks[:0]
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
		x := Window{Row: from - start, Kept: arrowbuf.Kept{Runs: pieces, N: int(rows), Count: len(pieces)}, Dense: !exact && w.dense(span, rows, int64(len(pieces))), slots: int(span)}
		if x.Dense {
			x.Kept, w.marks = arrowbuf.KeptRuns(pieces, int(rows), w.marks)
		}
		w.All = append(w.All, x)
	}
}

// DivideMask is Divide for those of n rows, from row on, that are marked in mask, from slot off on. row and the ranges of within are counted as
// the rows of windows are. A run may be cut.
func (w *Windows) DivideMask(row int64, mask bitpack.Marks, off, n int, within arrowio.RowSet, exact bool) {
	w.All, w.pieces, w.marks = w.All[:0], w.pieces[:0], w.marks[:0]
	for at := 0; at < n; {
		next, end := mask.NextRun(off + at)
		if at = next - off; next == end || at >= n {
			return
		}
		from := row + int64(at)
		span := min(Rows, n-at)
		for len(within) > 0 && within[0].End <= from {
			within = within[1:]
		}
		if len(within) > 0 {
			span = int(min(int64(span), within[0].End-from))
		}
		first := len(w.marks)
		w.marks = bitpack.AppendPart(w.marks, mask, off+at, span)
		marks := w.marks[first:]
		at += span
		k, runs := marks.Count(), marks.Runs()
		span = marks.End()
		marks = marks[:bitpack.MarkWords(span)]
		x := Window{Row: from, Kept: arrowbuf.Kept{Marks: marks, N: k, Count: runs}, Dense: !exact && w.dense(int64(span), int64(k), int64(runs)), slots: span}
		if !x.Dense || !arrowbuf.MarksKept(span, k, runs) {
			i := len(w.pieces)
			w.pieces = x.Kept.AppendRuns(w.pieces)
			x.Kept.Runs, x.Kept.Marks = w.pieces[i:], nil
		}
		w.All = append(w.All, x)
	}
}

// dense reports whether some of the rows of a window, in so many runs, are decoded with what lies between them.
func (w *Windows) dense(span, rows, runs int64) bool {
	gap := w.Gap
	if gap == 0 {
		gap = denseGap
	}
	return runs > 1 && span-rows <= gap*runs && rows <= denseRun*runs
}
