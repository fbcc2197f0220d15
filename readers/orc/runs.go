package orc

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
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
	r.windows(n).Divide(r.start, r.batch[before:], nil, r.exact)
	return r.readWindows(n)
}

// ReadMask appends rows whose bits are set to the batch being built: see arrowio.RunReader, and ReadRuns.
func (r *splitReader) ReadMask(mask []uint64, off, n int) error {
	if r.err == nil {
		r.err = arrowio.RowRange{Start: r.row, End: r.end}.Check(r.row, int64(n))
	}
	if r.err != nil {
		return r.err
	}
	k := bitpack.Marks(mask).CountPart(off, n)
	row := r.row
	if r.row += int64(n); k == 0 {
		return nil
	}
	first := len(r.masks)
	r.masks = bitpack.AppendPart(r.masks, mask, off, n)
	r.masked = append(r.masked, masked{before: len(r.batch), row: row, marks: r.masks[first:]})
	r.windows(k).DivideMask(row-r.start, mask, off, n, nil, r.exact)
	return r.readWindows(k)
}

// windows returns the windows of the tree, for n rows to come.
func (r *splitReader) windows(n int) *keptrows.Windows {
	if r.rows == 0 { // buffers begin with room for all of it
		for _, g := range r.tree.branches {
			g.arena.Ahead = float64(n) / keptrows.Rows
		}
	}
	return &r.tree.windows
}

// readWindows appends the n rows of the windows of the tree.
func (r *splitReader) readWindows(n int) error {
	err := r.tree.readWindows()
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

// masked is rows of the batch being built: those that are marked, from a row on.
type masked struct {
	before int   // runs of the batch
	row    int64 // of the file
	marks  bitpack.Marks
}

// batchRuns returns the runs of rows of the batch being built.
func (r *splitReader) batchRuns() []arrowio.RowRange {
	if len(r.masked) == 0 {
		return r.batch
	}
	var runs []arrowio.RowRange
	at := 0
	for _, m := range r.masked {
		runs, at = append(runs, r.batch[at:m.before]...), m.before
		for from, to := m.marks.NextRun(0); from < to; from, to = m.marks.NextRun(to) {
			runs = append(runs, arrowio.RowRange{Start: m.row + int64(from), End: m.row + int64(to)})
		}
	}
	return append(runs, r.batch[at:]...)
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
	t.windows.Divide(r.start, r.batchRuns(), nil, true)
	return t.readWindows()
}

// readWindows appends the rows of the windows.
func (t *tree) readWindows() error {
	t.row = t.windows.End()
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
		for from, to := range w.Kept.All() {
			if err := r.skip(int64(from - at)); err != nil {
				return err
			}
			at = to
			g.row = row + int64(from)
			if err := r.read(arrowbuf.AllSlots(to - from)); err != nil {
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
