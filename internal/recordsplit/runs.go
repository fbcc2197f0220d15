package recordsplit

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// runReader is a Reader that takes many runs of rows at once: see arrowio.RunReader.
type runReader struct {
	*Reader
	in     [][2]int64 // runs within the loaded batch
	picked arrowbuf.Picked
	apps   []*arrowbuf.Appender // of each column, rows of masks behind those of parts
	masked int                  // rows of apps
}

// ReadRuns implements arrowio.RunReader: of each batch, the rows wanted are copied together.
func (r *runReader) ReadRuns(runs []arrowio.RowRange) error {
	r.flush()
	at := int64(0) // where the reader stands, counted as runs are
	for len(runs) > 0 {
		x := runs[0]
		if _, err := r.Skip(x.Start - at); err != nil {
			return err
		}
		at = x.Start
		if !r.load() {
			return r.ended()
		}
		first, end := at-r.pos, at-r.pos+r.cur.Rows // of the batch
		r.in = r.in[:0]
		n := int64(0)
		for len(runs) > 0 && runs[0].Start < end {
			x = runs[0]
			at = min(x.End, end)
			r.in = append(r.in, [2]int64{x.Start - first, at - first})
			n += at - x.Start
			runs = runs[1:]
		}
		r.pos = at - first
		rec, err := r.kept()
		if err != nil {
			return errs.Errorf(errs.ErrInternal, "%d runs of rows: %w", len(r.in), err)
		}
		r.parts = append(r.parts, rec)
		r.rows += n
		if at < x.End { // the last run goes on in the next batch
			if _, err := r.Reader.Read(int(x.End - at)); err != nil {
				return err
			}
			at = x.End
		}
	}
	return nil
}

// ReadMask implements what arrowio.RunReader tells of masks: the rows wanted of many batches are copied together.
func (r *runReader) ReadMask(mask []uint64, off, n int) error {
	for n > 0 {
		if !r.next() {
			return r.ended()
		}
		k := int(min(int64(n), r.cur.Rows-r.pos))
		r.picked.SetPart(mask, off, k)
		if r.picked.Len() > 0 { // others need not be decoded, and may not be among those that the reader was opened for
			if !r.load() {
				return r.ended()
			}
			if err := r.appendPicked(); err != nil {
				return err
			}
		}
		r.pos += int64(k)
		off, n = off+k, n-k
	}
	return nil
}

// appendPicked appends those of the next rows of the loaded batch that are picked.
func (r *runReader) appendPicked() error {
	if r.apps == nil {
		for _, f := range r.schema.Fields() {
			r.apps = append(r.apps, arrowbuf.NewAppender(f.Type, r.mem))
		}
	}
	rec := r.rec
	if r.pos > 0 {
		rec = r.rec.NewSlice(r.pos, r.rec.NumRows())
		defer rec.Release()
	}
	for i, a := range r.apps {
		if err := a.AppendPicked(rec.Column(i), &r.picked); err != nil {
			return refused(fmt.Errorf("column %s: %w", r.schema.Field(i).Name, err), r.rows+int64(r.picked.Len()))
		}
	}
	r.masked += r.picked.Len()
	r.rows += int64(r.picked.Len())
	return nil
}

// flush makes a part of the rows of masks.
func (r *runReader) flush() {
	if r.masked == 0 {
		return
	}
	cols := make([]arrow.Array, len(r.apps))
	for i, a := range r.apps {
		cols[i] = a.Take()
		defer cols[i].Release()
	}
	r.parts = append(r.parts, array.NewRecord(r.schema, cols, int64(r.masked)))
	r.masked = 0
}

// Read implements arrowio.SplitReader.
func (r *runReader) Read(n int) (int, error) {
	r.flush()
	return r.Reader.Read(n)
}

// Take implements arrowio.SplitReader.
func (r *runReader) Take() (arrow.Record, error) {
	r.flush()
	return r.Reader.Take()
}

// Close implements arrowio.SplitReader.
func (r *runReader) Close() error {
	for _, a := range r.apps {
		a.Release()
	}
	r.apps, r.masked = nil, 0
	return r.Reader.Close()
}

// kept returns the rows of the loaded batch that r.in names. The caller releases them.
func (r *runReader) kept() (arrow.Record, error) {
	if len(r.in) == 1 {
		return r.rec.NewSlice(r.in[0][0], r.in[0][1]), nil
	}
	return arrowbuf.Narrow(r.rec, r.in, r.mem)
}

// ended is the error for rows behind the last.
func (r *runReader) ended() error {
	if err := r.failed(); err != nil {
		return err
	}
	return errs.Errorf(errs.ErrInternal, "rows are read behind the last one")
}
