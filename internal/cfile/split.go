package cfile

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// splitReader decodes one split of a column. See arrowio.SplitReader.
type splitReader struct {
	file    *File
	schema  *arrow.Schema
	split   arrowio.Split
	column  *Column // nil = no column is wanted
	budget  *budget.Batch
	scratch *Scratch
	row     int64 // the next row
	rows    int   // of the batch being built
	err     error
}

func (f *File) readColumn(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &splitReader{file: f, schema: p.Schema, split: s, row: s.Rows.Start}
	if len(p.Fields) == 0 && f.kind != cfilewire.BloomFile {
		return r, nil
	}
	sc, _ := f.scratch.Get().(*Scratch)
	if sc == nil {
		sc = &Scratch{}
	}
	r.budget, r.scratch = budget.NewBatch(f.limits), sc
	c, err := f.NewColumn(ctx, ColumnOptions{
		Field: p.Schema.Field(0), Rows: rows.Clip(s.Rows), Mem: &arrowbuf.Arena{Allocator: mem},
		Budget: r.budget, Scratch: sc, Strings: "cfile-strings=binary",
	})
	if err != nil {
		return nil, errs.Locate(err, errs.At{Split: errs.N(s.Ordinal)})
	}
	if !arrowio.Near(f.src) && c.Stored() > f.limits.SplitBytes {
		err := errs.Errorf(errs.ErrLimit, "a split of %d bytes is over the limit SplitBytes = %d", c.Stored(), f.limits.SplitBytes)
		return nil, errs.Locate(err, errs.At{Format: Name, Split: errs.N(s.Ordinal)})
	}
	r.column = c
	c.Skip(s.Rows.Start)
	return r, nil
}

// Skip passes over n rows.
func (r *splitReader) Skip(n int64) (int64, error) {
	if err := r.admit(n); err != nil {
		return 0, err
	}
	r.row += n
	if r.column != nil {
		r.column.Skip(n)
	}
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *splitReader) Read(n int) (int, error) {
	if err := r.admit(int64(n)); err != nil {
		return 0, err
	}
	if r.column != nil {
		if err := r.column.Read(n); err != nil {
			r.err = errs.Locate(err, errs.At{Format: Name, Split: errs.N(r.split.Ordinal)})
			return 0, r.err
		}
	}
	r.row += int64(n)
	r.rows += n
	return n, nil
}

func (r *splitReader) admit(n int64) error {
	if r.err == nil {
		r.err = r.split.Rows.Check(r.row, n)
	}
	return r.err
}

// Fit returns how many of the next n rows make about the given number of bytes.
func (r *splitReader) Fit(n int, bytes int64) int {
	if r.err != nil || r.column == nil {
		return n
	}
	return r.column.Fit(n, bytes)
}

// Take hands over the batch built so far. The caller releases it.
func (r *splitReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	n := int64(r.rows)
	r.rows = 0
	if r.column == nil {
		return array.NewRecord(r.schema, nil, n), nil
	}
	d := r.column.Take()
	col := array.MakeFromData(d)
	d.Release()
	rec := array.NewRecord(r.schema, []arrow.Array{col}, n)
	col.Release()
	r.budget.Reset()
	return rec, nil
}

// Close frees what the reader holds.
func (r *splitReader) Close() error {
	if r.scratch != nil {
		r.column.Release()
		r.scratch.codec.Release()
		r.file.scratch.Put(r.scratch)
		r.scratch = nil
	}
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

var errClosed = errors.New("cfile: the split reader is closed")
