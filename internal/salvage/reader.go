package salvage

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// reader reads a run of rows. See arrowio.SplitReader.
type reader struct {
	in     arrowio.SplitReader // nil = every column is null
	schema *arrow.Schema
	mem    memory.Allocator
	from   []int // where the record of in has each column; -1 = it is null
	left   int64 // rows of the split that are before the reader
	rows   int   // of the batch being built
}

// check returns an error if n rows are more than are left.
func (r *reader) check(n int64) error {
	return arrowio.RowRange{End: r.left}.Check(0, n)
}

// Share implements arrowio.Sharer.
func (r *reader) Share(run arrowio.Share) int {
	if s, ok := r.in.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// Fit implements arrowio.Sizer.
func (r *reader) Fit(n int, bytes int64) int {
	if s, ok := r.in.(arrowio.Sizer); ok {
		return s.Fit(n, bytes)
	}
	return n
}

// Skip passes over n rows.
func (r *reader) Skip(n int64) (int64, error) {
	if err := r.check(n); err != nil {
		return 0, err
	}
	if r.in != nil {
		if _, err := r.in.Skip(n); err != nil {
			return 0, err
		}
	}
	r.left -= n
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *reader) Read(n int) (int, error) {
	if err := r.check(int64(n)); err != nil {
		return 0, err
	}
	if r.in != nil {
		if _, err := r.in.Read(n); err != nil {
			return 0, err
		}
	}
	r.left -= int64(n)
	r.rows += n
	return n, nil
}

// Take hands over the batch built so far. The caller releases it.
func (r *reader) Take() (arrow.Record, error) {
	var have arrow.Record
	if r.in != nil {
		var err error
		if have, err = r.in.Take(); err != nil {
			return nil, err
		}
		defer have.Release()
	}
	cols := make([]arrow.Array, 0, len(r.from))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, k := range r.from {
		if k >= 0 {
			c := have.Column(k)
			c.Retain()
			cols = append(cols, c)
			continue
		}
		c, err := view.Nulls(r.schema.Field(i).Type, r.rows, r.mem)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	r.rows = 0
	return rec, nil
}

// Close frees what the reader holds.
func (r *reader) Close() error {
	if r.in == nil {
		return nil
	}
	return r.in.Close()
}
