package arrowio

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// batcher reads a set of rows of one split, cut into batches. How it cuts depends on the split alone, so that a scan
// gives the same batches every time.
type batcher struct {
	ctx    context.Context
	open   func(rows RowSet) (SplitReader, error)
	r      SplitReader
	sizer  Sizer     // nil = the reader cannot tell
	many   RunReader // nil = runs of rows are read one by one
	runs   []RowRange
	schema *arrow.Schema
	split  Split
	rows   RowSet // still to be read
	masked cursor // the same, as bits
	at     int64  // the reader's row
	bytes  int64  // soft size of a batch
	perRow float64
	got    RowSet // the rows of the latest batch
	size   int64  // its bytes
}

// newBatcher opens a reader on around, which includes rows: what else is in it may be decoded, too. It changes rows.
func (p *plan) newBatcher(ctx context.Context, j *job, rows, around RowSet, pr Projection) (*batcher, error) {
	b := &batcher{ctx: ctx, schema: pr.Schema, split: j.split, rows: rows, bytes: p.o.BatchBytes}
	b.open = func(rows RowSet) (SplitReader, error) {
		r, err := j.file.Read(p.reading(ctx, j.file), j.split, rows, pr, p.o.Allocator)
		if err == nil && j.opened != nil {
			j.opened(r, j.readers == 0)
			j.readers++
		}
		return r, err
	}
	if err := b.start(around); err != nil {
		return nil, err
	}
	b.many, _ = b.r.(RunReader)
	if j.split.Known() && j.split.Rows.Len() > 0 && p.schema.NumFields() > 0 {
		// A first guess: what is stored grows to four times as much, and each column has an equal share.
		share := float64(len(pr.Fields)) / float64(p.schema.NumFields())
		b.perRow = 4 * share * float64(j.split.Bytes) / float64(j.split.Rows.Len())
	}
	return b, nil
}

// start opens the reader on rows.
func (b *batcher) start(rows RowSet) (err error) {
	b.r, err = b.open(rows)
	b.at = b.split.Rows.Start
	b.sizer, _ = b.r.(Sizer)
	return err
}

// next returns the next batch of at most limit rows, which the caller releases; nil = there are no more rows.
func (b *batcher) next(limit int) (arrow.Record, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	b.got = b.got[:0]
	n, left := 0, float64(b.bytes)
	if b.sizer == nil && b.perRow > 0 {
		limit = int(min(float64(limit), max(1, left/b.perRow)))
	}
	batch := b.masked
	for n < limit && b.masked.left > 0 {
		if err := b.skipToMasked(); err != nil {
			return nil, err
		}
		want := int(min(int64(limit-n), b.masked.left))
		take := b.fit(want, left)
		if err := b.readMask(take); err != nil {
			b.rows, b.masked, b.got = batch.rows(), cursor{}, b.got[:0]
			if err = b.restart(err); err != nil {
				return nil, err
			}
			n, left = 0, float64(b.bytes)
			break
		}
		n += take
		if left -= float64(take) * b.perRow; take < want || left <= 0 {
			return b.take(n)
		}
	}
	for n < limit && len(b.rows) > 0 {
		if ok, err := b.skipTo(b.rows[0].Start); err != nil {
			return nil, err
		} else if !ok {
			b.rows = nil
			break
		}
		want := b.want(limit - n)
		take := b.fit(want, left)
		if int64(take) > b.rows[0].Len() {
			if err := b.readRuns(take); err != nil {
				if err = b.restart(err); err != nil {
					return nil, err
				}
				n, left = 0, float64(b.bytes)
				continue
			}
			n += take
		} else {
			m, err := b.read(take)
			if err != nil {
				return nil, err
			}
			if n += m; m < take { // the end of a stream
				b.rows = nil
				break
			}
		}
		left -= float64(take) * b.perRow
		if take < want || left <= 0 {
			break
		}
	}
	if n == 0 {
		return nil, nil
	}
	return b.take(n)
}

// fit returns how many of the next n rows are read at once where so many bytes are left for them.
func (b *batcher) fit(n int, left float64) int {
	if b.sizer == nil {
		return n
	}
	return min(n, max(1, b.sizer.Fit(n, max(1, int64(left)))))
}

// want returns how many rows, up to limit, can be read at once.
func (b *batcher) want(limit int) int {
	n := int64(0)
	for _, r := range b.rows {
		if n += r.Len(); n >= int64(limit) {
			return limit
		}
		if b.many == nil {
			break
		}
	}
	return int(n)
}

// read reads n rows of the first run. It reads less only at the end of a stream.
func (b *batcher) read(n int) (int, error) {
	m, err := b.r.Read(n)
	if err != nil {
		return 0, err
	}
	if m < 0 || m > n || m < n && b.split.Known() {
		return 0, errs.Errorf(errs.ErrInternal, "the reader read %d rows when asked for %d", m, n)
	}
	b.got = b.got.Add(RowRange{b.at, b.at + int64(m)})
	b.leave(b.at + int64(m))
	return m, nil
}

// readRuns reads n rows of several runs.
func (b *batcher) readRuns(n int) error {
	b.runs = slices.Grow(b.runs[:0], min(n, len(b.rows)))
	for left := int64(n); left > 0; {
		r := b.rows[len(b.runs)]
		r.End = min(r.End, r.Start+left)
		left -= r.Len()
		b.runs = append(b.runs, RowRange{r.Start - b.at, r.End - b.at})
	}
	if err := b.many.ReadRuns(b.runs); err != nil {
		return err
	}
	last := len(b.runs) - 1
	end := b.at + b.runs[last].End
	b.got = append(slices.Grow(b.got, last+1).join(b.rows[:last]), RowRange{b.rows[last].Start, end})
	b.rows = b.rows[last:]
	b.leave(end)
	return nil
}

// leave notes that the first run was read up to a row.
func (b *batcher) leave(row int64) {
	b.at = row
	if b.rows[0].Start = row; b.rows[0].Len() == 0 {
		b.rows = b.rows[1:]
	}
}

// restart begins the batch again after err, with a reader that decodes no rows but those that are wanted: it may have been about
// another one.
func (b *batcher) restart(err error) error {
	if b.ctx.Err() != nil {
		return err
	}
	if err := b.r.Close(); err != nil {
		return err
	}
	b.rows, b.got, b.many = slices.Clone(b.got).join(b.rows), b.got[:0], nil
	return b.start(slices.Clone(b.rows))
}

// skipTo passes over the rows before row; false = a stream ended before it.
func (b *batcher) skipTo(row int64) (bool, error) {
	gap := row - b.at
	if gap == 0 {
		return true, nil
	}
	n, err := b.r.Skip(gap)
	if err != nil {
		return false, err
	}
	if n < 0 || n > gap || n < gap && b.split.Known() {
		return false, errs.Errorf(errs.ErrInternal, "the reader skipped %d rows when asked for %d", n, gap)
	}
	b.at += n
	return n == gap, nil
}

// take hands over the n rows that were read.
func (b *batcher) take(n int) (arrow.Record, error) {
	rec, err := b.r.Take()
	if err != nil {
		return nil, err
	}
	if rec.NumRows() != int64(n) || int(rec.NumCols()) != b.schema.NumFields() {
		defer rec.Release()
		return nil, errs.Errorf(errs.ErrInternal, "the reader made a batch of %d rows and %d columns out of %d rows and %d columns",
			rec.NumRows(), rec.NumCols(), n, b.schema.NumFields())
	}
	b.size = arrowbuf.RecordSize(rec)
	b.perRow = float64(b.size) / float64(n)
	if rec.Schema() != b.schema {
		defer rec.Release()
		return array.NewRecord(b.schema, rec.Columns(), rec.NumRows()), nil
	}
	return rec, nil
}

func (b *batcher) close() error { return b.r.Close() }

// passed returns how many rows of the split are behind the reader.
func (b *batcher) passed() int64 { return b.at - b.split.Rows.Start }
