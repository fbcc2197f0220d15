package recordsplit

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// runReader is a Reader that takes many runs of rows at once: see arrowio.RunReader.
type runReader struct {
	*Reader
	in [][2]int64 // runs within the loaded batch
}

// ReadRuns implements arrowio.RunReader: of each batch, the rows wanted are copied together.
func (r *runReader) ReadRuns(runs []arrowio.RowRange) error {
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
			if _, err := r.Read(int(x.End - at)); err != nil {
				return err
			}
			at = x.End
		}
	}
	return nil
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
