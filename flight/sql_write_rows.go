package flight

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// queryRows are the rows of a statement, run several times one after the other, as a writer takes them. It is an
// array.RecordReader.
type queryRows struct {
	refs  atomic.Int64
	mem   memory.Allocator
	begin func(i int64) (SQLRows, error)
	times int64 // to be begun still
	next  int64

	rows   SQLRows       // of this time
	result *arrow.Schema // of every time
	fit    *fitting      // nil = they are written as they come
	held   arrow.Record  // read, and not a part of a batch yet
	rec    arrow.Record
	err    error
}

// newQueryRows begins the first time. columns are those of the dataset; nil = it is made.
func newQueryRows(columns *arrow.Schema, mem memory.Allocator, times int64, begin func(int64) (SQLRows, error)) (*queryRows, error) {
	r := &queryRows{mem: mem, begin: begin, times: times}
	r.refs.Store(1)
	var err error
	if r.rows, err = begin(0); err != nil {
		return nil, err
	}
	r.next, r.result = 1, r.rows.Schema()
	if columns != nil {
		if r.fit, err = newFitting(r.result, columns); err != nil {
			return nil, errors.Join(err, r.rows.Close())
		}
	}
	return r, nil
}

// Schema is that of Record.
func (r *queryRows) Schema() *arrow.Schema {
	if r.fit != nil {
		return r.fit.schema
	}
	return r.result
}

// Retain adds a reference.
func (r *queryRows) Retain() { r.refs.Add(1) }

// Release gives one up; with the last one the statement ends.
func (r *queryRows) Release() {
	if r.refs.Add(-1) > 0 {
		return
	}
	r.drop()
	if r.held != nil {
		r.held.Release()
		r.held = nil
	}
	if r.rows != nil {
		_ = r.rows.Close() // its rows are not wanted any more
		r.rows = nil
	}
}

func (r *queryRows) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Record is the batch.
func (r *queryRows) Record() arrow.Record { return r.rec }

// Err is why Next has ended.
func (r *queryRows) Err() error { return r.err }

// Next moves to the next batch: several of the engine's, which are small, in one.
func (r *queryRows) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	rec, err := r.joined()
	if err == nil && r.fit != nil {
		fitted, e := r.fit.record(rec, r.mem)
		rec.Release()
		rec, err = fitted, e
	}
	if errors.Is(err, io.EOF) {
		return false
	}
	r.rec, r.err = rec, err
	return err == nil
}

// joined reads the next batch, of about as many rows as are sent in one.
func (r *queryRows) joined() (arrow.Record, error) {
	var all []arrow.Record
	defer func() {
		for _, rec := range all {
			rec.Release()
		}
	}()
	rows, size := int64(0), int64(0)
	for rows < defaultBatchRows && size < DefaultBatchBytes {
		rec, err := r.read()
		if errors.Is(err, io.EOF) && len(all) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		n, bytes := rec.NumRows(), arrowbuf.RecordSize(rec)
		if len(all) > 0 && (rows+n > defaultBatchRows || size+bytes > DefaultBatchBytes) {
			r.held = rec
			break
		}
		all = append(all, rec)
		rows, size = rows+n, size+bytes
	}
	return arrowbuf.Concat(all, r.mem)
}

// read reads the next batch of the engine.
func (r *queryRows) read() (arrow.Record, error) {
	if rec := r.held; rec != nil {
		r.held = nil
		return rec, nil
	}
	for {
		if r.rows == nil {
			if r.next >= r.times {
				return nil, io.EOF
			}
			rows, err := r.begin(r.next)
			if err != nil {
				return nil, err
			}
			r.rows = rows
			r.next++
			if !r.result.Equal(rows.Schema()) {
				return nil, errs.Errorf(errs.ErrOption, "SQL: with other values of its parameters the result has other types: %s, then %s", r.result, rows.Schema())
			}
		}
		rec, err := r.rows.Read()
		if !errors.Is(err, io.EOF) {
			return rec, err
		}
		rows := r.rows
		r.rows = nil
		if err := rows.Close(); err != nil {
			return nil, err
		}
	}
}
