package extsort

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// reader gives the rows of a source as records.
type reader struct {
	s    *Sorter
	ctx  context.Context
	src  *merger
	refs int64

	rows    []uint64 // taken from src, not given yet
	batches []*batch
	p       pick
	rec     arrow.Record
	err     error
}

var _ array.RecordReader = (*reader)(nil)

// Schema returns the schema of the records.
func (r *reader) Schema() *arrow.Schema { return r.s.schema }

// Record returns the current record, valid until the next Next.
func (r *reader) Record() arrow.Record { return r.rec }

// Err returns what ended reading; nil at the end of the rows.
func (r *reader) Err() error { return r.err }

// Retain adds a reference.
func (r *reader) Retain() { atomic.AddInt64(&r.refs, 1) }

// Release takes a reference away; the last one frees everything but the scratch files, which Close closes.
func (r *reader) Release() {
	if atomic.AddInt64(&r.refs, -1) != 0 {
		return
	}
	r.drop()
	r.src.release()
	r.src, r.rows, r.batches = nil, nil, nil
	if !r.s.closed {
		r.s.chunk.release()
	}
}

func (r *reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Next makes the next record the current one.
func (r *reader) Next() bool {
	r.drop()
	if r.err == nil && r.s.closed {
		r.err = errClosed
	}
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err != nil || r.src == nil {
		return false
	}
	if len(r.rows) == 0 {
		r.rows, r.batches, r.err = r.src.next(r.ctx, r.s.maxRows, r.s.outBytes)
		if r.err != nil || len(r.rows) == 0 {
			return false
		}
	}
	r.err = r.take()
	return r.err == nil
}

// take makes a record of the rows, of fewer where arrays cannot hold so many.
func (r *reader) take() error {
	for n := len(r.rows); ; n = (n + 1) / 2 {
		rec, err := r.gather(r.rows[:n])
		if errors.Is(err, arrowbuf.ErrOverflow) && n > 1 {
			continue
		}
		if err != nil {
			return r.s.tooLarge(err)
		}
		r.rec, r.rows = rec, r.rows[n:]
		return nil
	}
}

func (r *reader) gather(refs []uint64) (arrow.Record, error) {
	r.p.set(r.batches, refs)
	cols, err := gatherAll(r.s.gatherers, &r.p, r.s.o.Parallelism)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, l := range r.s.layouts {
		if l.same() {
			continue
		}
		d, err := l.leave(cols[i].Data())
		if err != nil {
			return nil, err
		}
		cols[i].Release()
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	return array.NewRecord(r.s.schema, cols, int64(len(refs))), nil
}

func before(a, b []byte) bool      { return bytes.Compare(a, b) < 0 }
func lessOrEqual(a, b []byte) bool { return bytes.Compare(a, b) <= 0 }
