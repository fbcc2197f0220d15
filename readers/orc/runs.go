package orc

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// A window of short runs is decoded whole and trimmed: to stop and to go on takes about as long, for each column, as
// decoding a hundred values. Windows are small enough for what was decoded to be near when it is moved. Where gaps or
// runs are longer than these, on average, runs are decoded one by one.
const (
	windowRows = 8192
	denseGap   = 64
	denseRun   = 512
)

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader. Rows between runs that are close together may be
// decoded, too, but nothing about them is an error.
func (r *splitReader) ReadRuns(runs []arrowio.RowRange) error {
	n, row, before := 0, r.row, len(r.batch)
	r.batch = slices.Grow(r.batch, len(runs))
	for _, x := range runs {
		x = arrowio.RowRange{Start: row + x.Start, End: row + x.End}
		if r.err == nil { // rows before r.row are behind the reader
			r.err = arrowio.RowRange{Start: r.row, End: r.end}.Check(x.Start, x.End-x.Start)
		}
		if r.err != nil {
			return r.err
		}
		r.batch = append(r.batch, x)
		r.row = x.End
		n += int(x.Len())
	}
	if n == 0 {
		r.batch = r.batch[:before]
		return nil
	}
	if r.rows == 0 { // buffers begin with room for all of it
		r.tree.arena.Ahead = float64(n) / windowRows
	}
	err := r.tree.readRuns(r.start, r.batch[before:], r.exact)
	if err != nil && !r.exact && !isIO(err) {
		err = r.readExactly() // it may have been about a row that was not asked for
	}
	if err != nil {
		r.err = r.tree.file.hint(errs.Locate(kinded(err), errs.At{Format: Name, Split: errs.N(r.ordinal)}))
		return r.err
	}
	r.rows += n
	return nil
}

// readExactly decodes the batch being built again, from new decoders and no row but those of the batch.
func (r *splitReader) readExactly() error {
	r.exact = true
	old := r.tree
	f, ctx := old.file, old.ctx
	old.drop()
	old.discard()
	st, err := f.stripe(ctx, r.ordinal)
	if err != nil {
		return err
	}
	t := f.newTree(arrowio.Projection{Schema: old.schema, Fields: old.fields}, old.arena.Allocator, st)
	t.ctx, t.share = ctx, old.share
	r.tree = t
	if err := t.prepare(ctx, st, r.start, r.split, r.want); err != nil {
		return err
	}
	return t.readRuns(r.start, r.batch, true)
}

// readRuns appends runs of rows, counted from a row before or at the start of the stripe, as the rows are.
func (t *tree) readRuns(start int64, runs []arrowio.RowRange, exact bool) error {
	t.row = runs[len(runs)-1].End - start
	t.divide(start, runs, exact)
	return t.each(func(g *branch) error { return g.readWindows() })
}

// window is runs of rows that are read together.
type window struct {
	row   int64         // of the stripe, with which it begins
	kept  arrowbuf.Kept // the runs, counted from there
	dense bool          // they are decoded with what lies between them
}

// divide makes windows of runs.
func (t *tree) divide(start int64, runs []arrowio.RowRange, exact bool) {
	t.windows, t.pieces, t.slots = t.windows[:0], slices.Grow(t.pieces[:0], len(runs)), t.slots[:0]
	for i := 0; i < len(runs); {
		from, first := runs[i].Start, len(t.pieces)
		rows, span := int64(0), int64(0)
		for ; i < len(runs) && (span == 0 || runs[i].End-from <= windowRows); i++ {
			rows += runs[i].Len()
			span = runs[i].End - from
			t.pieces = append(t.pieces, [2]int{int(runs[i].Start - from), int(span)})
		}
		pieces := t.pieces[first:]
		n := int64(len(pieces))
		w := window{row: from - start, kept: arrowbuf.Kept{Runs: pieces, N: int(rows)}}
		if !exact && n > 1 && span-rows <= denseGap*n && rows <= denseRun*n {
			w.dense = true
			w.kept, t.slots = arrowbuf.NewKept(pieces, int(rows), t.slots)
		}
		t.windows = append(t.windows, w)
	}
}

// readWindows appends the windows of the tree.
func (g *branch) readWindows() error {
	for i := range g.tree.windows {
		w := &g.tree.windows[i]
		if w.dense {
			if err := g.move(w.row); err != nil {
				return err
			}
			if err := g.readWindow(w); err != nil {
				return err
			}
			continue
		}
		for _, p := range w.kept.Runs {
			if err := g.move(w.row + int64(p[0])); err != nil {
				return err
			}
			if err := g.read(p[1] - p[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWindow appends the pieces of a window, whose first row is where the branch stands.
func (g *branch) readWindow(w *window) error {
	row, n := g.row, w.kept.Runs[len(w.kept.Runs)-1][1]
	for i, r := range g.roots {
		if g.trims[i] {
			if err := r.readKept(arrowbuf.AllSlots(n), &w.kept); err != nil {
				return err
			}
			continue
		}
		at := 0
		for _, p := range w.kept.Runs {
			if err := r.skip(int64(p[0] - at)); err != nil {
				return err
			}
			at = p[1]
			g.row = row + int64(p[0])
			if err := r.read(arrowbuf.AllSlots(p[1] - p[0])); err != nil {
				return err
			}
		}
		g.row = row
	}
	g.row = row + int64(n)
	return nil
}

// add notes rows that are read into the batch being built.
func (r *splitReader) add(start, end int64) {
	if n := len(r.batch); n > 0 && r.batch[n-1].End == start {
		r.batch[n-1].End = end
		return
	}
	r.batch = append(r.batch, arrowio.RowRange{Start: start, End: end})
}
