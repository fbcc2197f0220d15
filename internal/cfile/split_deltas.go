package cfile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// deltaReader shows a delta file as rows, for people who want to see what was changed. Tablets are read by Deltas.
type deltaReader struct {
	file    *File
	schema  *arrow.Schema
	fields  []arrowbuf.Selection
	build   *array.RecordBuilder
	budget  *budget.Batch
	changes *Deltas
	row     int64 // deltas passed
	err     error
}

func (f *File) readDeltas(ctx context.Context, s arrowio.Split, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	d, err := f.NewDeltas(ctx, arrowio.RowRange{End: 1 << 32}, nil)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Split: errs.N(s.Ordinal)})
	}
	return &deltaReader{
		file: f, schema: p.Schema, fields: selections(p.Fields), changes: d, budget: budget.NewBatch(f.limits),
		build: array.NewRecordBuilder(arrowbuf.Clean(mem), f.schema),
	}, nil
}

func selections(fields []arrowio.ProjectedField) []arrowbuf.Selection {
	out := make([]arrowbuf.Selection, len(fields))
	for i, f := range fields {
		out[i] = arrowbuf.Selection{Index: f.Index, Children: selections(f.Children)}
	}
	return out
}

// Skip passes over n deltas.
func (r *deltaReader) Skip(n int64) (int64, error) { return n, r.each(n, nil) }

// Read appends the next n deltas to the batch being built.
func (r *deltaReader) Read(n int) (int, error) {
	b := r.build
	row, time := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Uint64Builder)
	op, changes := b.Field(2).(*array.StringBuilder), b.Field(3).(*array.ListBuilder)
	change := changes.ValueBuilder().(*array.StructBuilder)
	id, value := change.FieldBuilder(0).(*array.Int32Builder), change.FieldBuilder(1).(*array.BinaryBuilder)
	err := r.each(int64(n), func(k cfilewire.DeltaKey, b []byte) error {
		o, c, err := cfilewire.ParseChange(b)
		if err != nil {
			return err
		}
		if err := r.budget.Take(32 + int64(len(b))*8); err != nil { // a change of two bytes takes at least so many here
			return err
		}
		row.Append(k.Row)
		time.Append(k.Time)
		op.Append(o.String())
		changes.Append(true)
		for c.Next() {
			change.Append(true)
			id.Append(c.Column)
			if c.Null {
				value.AppendNull()
			} else {
				value.Append(c.Value)
			}
		}
		return c.Err
	})
	return n, err
}

// each hands over the next n deltas.
func (r *deltaReader) each(n int64, do func(k cfilewire.DeltaKey, change []byte) error) error {
	for ; n > 0 && r.err == nil; n-- {
		if !r.changes.Next() {
			if r.err = r.changes.Err; r.err == nil {
				r.err = r.file.inFooter(errs.Errorf(errs.ErrCorrupt, "the file ends after %d deltas of %d", r.row, r.file.footer.Values))
			}
			break
		}
		r.row++
		if do != nil {
			r.err = r.changes.located(do(r.changes.Key, r.changes.Change), r.changes.k-1)
		}
		if r.err == nil && r.row == r.file.footer.Values {
			r.err = r.ended()
		}
	}
	return r.err
}

// ended checks that there are no more deltas than the footer says.
func (r *deltaReader) ended() error {
	if r.changes.Next() {
		return r.file.inFooter(errs.Errorf(errs.ErrCorrupt, "the file goes on after %d deltas", r.row))
	}
	return r.changes.Err
}

// Take hands over the batch built so far. The caller releases it.
func (r *deltaReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	rec := r.build.NewRecord()
	defer rec.Release()
	r.budget.Reset()
	return arrowbuf.Project(rec, r.schema, r.fields)
}

// Close frees what the reader holds.
func (r *deltaReader) Close() error {
	if r.build != nil {
		r.build.Release()
		r.build = nil
	}
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}
