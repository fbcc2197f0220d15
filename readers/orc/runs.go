package orc

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/keptrows"
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
		for _, g := range r.tree.branches {
			g.arena.Ahead = float64(n) / keptrows.Rows
		}
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
	t := f.newTree(arrowio.Projection{Schema: old.schema, Fields: old.fields}, old.mem, st)
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
	t.windows.Divide(start, runs, nil, exact)
	return t.each(func(g *branch) error { return g.readWindows() })
}

// readWindows appends the windows of the tree.
func (g *branch) readWindows() error {
	for i := range g.tree.windows.All {
		w := &g.tree.windows.All[i]
		if w.Dense {
			if err := g.move(w.Row); err != nil {
				return err
			}
			if err := g.readWindow(w); err != nil {
				return err
			}
			continue
		}
		for _, p := range w.Kept.Runs {
			if err := g.move(w.Row + int64(p[0])); err != nil {
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
func (g *branch) readWindow(w *keptrows.Window) error {
	row, n := g.row, w.Len()
	for i, r := range g.roots {
		if g.trims[i] {
			if err := r.readKept(arrowbuf.AllSlots(n), &w.Kept); err != nil {
				return err
			}
			continue
		}
		at := 0
		for _, p := range w.Kept.Runs {
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
