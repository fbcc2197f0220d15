package orc

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// splitReader decodes one split. See arrowio.SplitReader.
type splitReader struct {
	tree    *tree
	ordinal int // of the stripe
	split   arrowio.Split
	want    arrowio.RowSet
	start   int64 // row of the file at which the stripe begins
	end     int64 // of the split
	row     int64 // of the file, where the reader stands; the tree may be behind
	rows    int   // of the batch being built
	batch   []arrowio.RowRange
	masked  []masked // rows of the batch, too
	masks   bitpack.Marks
	exact   bool // decode no row that is not asked for
	wide    float64
	err     error
}

// Read opens the rows of a split: see arrowio.File.
func (f *File) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	c := f.cuts[s.Ordinal]
	if c.stripe < 0 {
		return &rowCounter{schema: p.Schema, end: c.rows.End}, nil
	}
	first := f.first[c.stripe]
	st, err := f.stripe(ctx, c.stripe)
	if err != nil {
		return nil, f.hint(err)
	}
	t := f.tree(p, mem, st, s.Rows.Start-first)
	t.ctx = ctx
	want := rows.Clip(s.Rows)
	if err := t.prepare(ctx, st, first, s, want); err != nil {
		t.discard()
		return nil, f.hint(errs.Locate(err, errs.At{Format: Name, Split: errs.N(c.stripe)}))
	}
	return &splitReader{tree: t, ordinal: c.stripe, split: s, want: want, start: first, end: s.Rows.End, row: s.Rows.Start}, nil
}

// prepare enters a stripe, which becomes the tree's to release, loads the row index where rows will be passed over, and
// fetches what lies far away.
func (t *tree) prepare(ctx context.Context, st *stripe, first int64, s arrowio.Split, rows arrowio.RowSet) error {
	here := t.stripe == st && t.row == s.Rows.Start-first
	if st.reach() != nil || t.passes(rows, first, here) {
		if err := st.loadIndex(ctx, t.nodes); err != nil {
			st.release()
			return err
		}
	}
	if err := t.enter(st, s.Rows.Start-first, 2*rows.Len() >= st.info.Rows); err != nil {
		return err
	}
	return t.fetchAhead(ctx, first, rows)
}

// passes reports whether reading rows means passing over a whole row group.
func (t *tree) passes(rows arrowio.RowSet, first int64, here bool) bool {
	stride := int64(t.file.footer.RowIndexStride)
	if stride <= 0 {
		return false
	}
	at := int64(0)
	if here {
		at = t.row
	}
	for _, r := range rows {
		if (r.Start-first)/stride*stride > at {
			return true
		}
		at = r.End - first
	}
	return false
}

// Share implements arrowio.Sharer.
func (r *splitReader) Share(run arrowio.Share) int {
	r.tree.share = run
	return r.tree.groups.Width
}

// Skip passes over n rows.
func (r *splitReader) Skip(n int64) (int64, error) {
	if err := r.admit(n); err != nil {
		return 0, err
	}
	r.row += n // the tree follows when rows are read
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *splitReader) Read(n int) (int, error) {
	if err := r.admit(int64(n)); err != nil {
		return 0, err
	}
	if err := r.tree.read(r.row-r.start, n); err != nil {
		r.err = r.tree.file.hint(errs.Locate(kinded(err), errs.At{Format: Name, Split: errs.N(r.ordinal)}))
		return 0, r.err
	}
	r.add(r.row, r.row+int64(n))
	r.row += int64(n)
	r.rows += n
	return n, nil
}

func (r *splitReader) admit(n int64) error {
	if r.err == nil {
		r.err = arrowio.RowRange{Start: r.start, End: r.end}.Check(r.row, n)
	}
	return r.err
}

// Take hands over the batch built so far. The caller releases it.
func (r *splitReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	taken := r.tree.batch.Taken()
	rec, err := r.tree.take(r.rows)
	if err != nil {
		r.err = errs.Locate(err, errs.At{Format: Name, Split: errs.N(r.ordinal)})
		return nil, r.err
	}
	if r.rows > 0 {
		r.wide = float64(taken) / float64(r.rows)
	}
	r.rows, r.batch, r.masked, r.masks = 0, r.batch[:0], r.masked[:0], r.masks[:0]
	return rec, nil
}

// Fit returns how many of the next n rows make about the given number of bytes, by what the rows of the last batch took
// and by what strings of a dictionary can take.
func (r *splitReader) Fit(n int, bytes int64) int {
	t := r.tree
	wide := r.wide
	if wide == 0 {
		wide = t.guess()
	}
	fit := n
	if wide > 0 {
		fit = int(min(float64(n), float64(bytes)/wide))
	}
	if most := t.most(); most > 0 {
		fit = int(min(int64(fit), t.batch.Left()/most))
	}
	return max(1, fit)
}

// Close frees what the reader holds. Decoders that are good wait in the file for the next split.
func (r *splitReader) Close() error {
	if t := r.tree; t != nil {
		r.tree = nil
		t.drop()
		if r.err != nil {
			t.discard()
		} else {
			t.file.park(t)
		}
	}
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

// rowCounter reads rows of no columns that no stripe has.
type rowCounter struct {
	schema   *arrow.Schema
	row, end int64
	rows     int64
}

func (r *rowCounter) Skip(n int64) (int64, error) {
	n = min(n, r.end-r.row)
	r.row += n
	return n, nil
}

func (r *rowCounter) Read(n int) (int, error) {
	k, _ := r.Skip(int64(n))
	r.rows += k
	return int(k), nil
}

func (r *rowCounter) Take() (arrow.Record, error) {
	rec := array.NewRecord(r.schema, nil, r.rows)
	r.rows = 0
	return rec, nil
}

func (r *rowCounter) Close() error { return nil }
