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
	r      SplitReader
	sizer  Sizer // nil = the reader cannot tell
	schema *arrow.Schema
	split  Split
	rows   RowSet // still to be read
	at     int64  // the reader's row
	bytes  int64  // soft size of a batch
	perRow float64
	got    RowSet // the rows of the latest batch
	size   int64  // its bytes
}

// newBatcher opens a reader; rows stays the caller's.
func (p *plan) newBatcher(ctx context.Context, j *job, rows RowSet, pr Projection) (*batcher, error) {
	b := &batcher{ctx: ctx, schema: pr.Schema, split: j.split, rows: slices.Clone(rows), at: j.split.Rows.Start, bytes: p.o.BatchBytes}
	r, err := j.file.Read(ctx, j.split, rows, pr, p.o.Allocator)
	if err != nil {
		return nil, err
	}
	b.r = r
	if j.opened != nil {
		j.opened(r, j.readers == 0)
		j.readers++
	}
	b.sizer, _ = r.(Sizer)
	if j.split.Known() && j.split.Rows.Len() > 0 && p.schema.NumFields() > 0 {
		// A first guess: what is stored grows to four times as much, and each column has an equal share.
		share := float64(len(pr.Fields)) / float64(p.schema.NumFields())
		b.perRow = 4 * share * float64(j.split.Bytes) / float64(j.split.Rows.Len())
	}
	return b, nil
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
	for n < limit && len(b.rows) > 0 {
		r := b.rows[0]
		if ok, err := b.skipTo(r.Start); err != nil {
			return nil, err
		} else if !ok {
			b.rows = nil
			break
		}
		want := int(min(r.Len(), int64(limit-n)))
		take := want
		if b.sizer != nil {
			take = min(want, max(1, b.sizer.Fit(want, max(1, int64(left)))))
		}
		m, err := b.r.Read(take)
		if err != nil {
			return nil, err
		}
		if m < 0 || m > take || m < take && b.split.Known() {
			return nil, errs.Errorf(errs.ErrInternal, "the reader read %d rows when asked for %d", m, take)
		}
		b.got = b.got.Add(RowRange{b.at, b.at + int64(m)})
		b.at += int64(m)
		n += m
		if m < take { // the end of a stream
			b.rows = nil
			break
		}
		if b.rows[0].Start = b.at; b.rows[0].Len() == 0 {
			b.rows = b.rows[1:]
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
