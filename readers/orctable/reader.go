package orctable

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/readers/orc"
)

// fragmentReader decodes the rows of a piece that are there. See arrowio.SplitReader.
type fragmentReader struct {
	frag   *fragment
	piece  *piece
	split  arrowio.Split
	schema *arrow.Schema
	mem    memory.Allocator
	out    []outColumn
	handle *handle             // nil = nothing of the file is read
	inner  arrowio.SplitReader // of the file
	left   gonerows.Reader     // of inner

	row    int64 // of the fragment
	runs   []arrowio.RowRange
	placed bool               // columns are made of where rows are stored
	places []arrowio.RowRange // where those of the batch are
	rows   int                // of the batch
	extra  int64              // bytes of a row that are not read from the file
	closed bool
}

// outColumn says how a column is made.
type outColumn struct {
	column
	field arrow.Field
	from  int // first column of what is read
	parts []int
}

// open finds out what is read of the file, and opens it there.
func (r *fragmentReader) open(ctx context.Context, rows arrowio.RowSet, p arrowio.Projection) error {
	g := r.frag
	if g.reads(p) {
		h, err := g.table.pool.acquire(ctx, g.of)
		if err != nil {
			return err
		}
		r.handle = h
	}
	var own arrowio.Projection
	var fields []arrow.Field
	take := func(field arrow.Field, pf arrowio.ProjectedField) {
		fields, own.Fields = append(fields, field), append(own.Fields, pf)
	}
	for i, pf := range p.Fields {
		c := outColumn{column: g.sorts[pf.Index], field: p.Schema.Field(i), from: len(fields), parts: parts(pf, p.Schema.Field(i).Type)}
		switch c.sort {
		case fromFile:
			take(c.field, arrowio.ProjectedField{Index: c.index, Children: pf.Children})
		case fromRow:
			for k, f := range c.field.Type.(*arrow.StructType).Fields() {
				child := arrowio.ProjectedField{Index: k}
				if pf.Children != nil {
					child = pf.Children[k]
				}
				take(f, child)
			}
		case fromRowID:
			for _, part := range c.parts {
				if g.of.events {
					index, field := r.handle.EventIndex(rowIDParts[part])
					take(field, arrowio.ProjectedField{Index: index})
				}
			}
			r.placed = r.placed || !g.of.events
			r.extra += 20
		case fromPosition:
			r.placed = true
			r.extra += 8
		case fromPartition:
			r.extra += 5 + int64(len(g.part.values[c.index].text))
		}
		r.out = append(r.out, c)
	}
	if r.handle == nil {
		return nil
	}
	own.Schema = arrow.NewSchema(fields, nil)
	inner, err := r.handle.Read(ctx, r.piece.stored, r.piece.gone.Around(rows, r.split.Rows.Start, r.piece.stored.Rows.Start), own, r.mem)
	if err != nil {
		return err
	}
	r.inner, r.left = inner, gonerows.NewReader(inner, r.piece.stored.Rows.Start)
	return nil
}

// rowIDParts are the columns of events that the children of row ids are.
var rowIDParts = [...]orc.EventColumn{orc.Original, orc.Bucket, orc.RowID}

// parts returns which children of a struct are wanted; nil where it is none.
func parts(pf arrowio.ProjectedField, t arrow.DataType) []int {
	st, ok := t.(*arrow.StructType)
	if !ok {
		return nil
	}
	out := make([]int, st.NumFields())
	for i := range out {
		out[i] = i
		if pf.Children != nil {
			out[i] = pf.Children[i].Index
		}
	}
	return out
}

// Share implements arrowio.Sharer.
func (r *fragmentReader) Share(run arrowio.Share) int {
	if s, ok := r.inner.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

func (r *fragmentReader) fail(err error) error { return at(r.frag.of.path, err) }

// admit checks that n more rows are there.
func (r *fragmentReader) admit(n int64) error {
	if r.closed {
		return errClosed
	}
	return r.split.Rows.Check(r.row, n)
}

// Skip passes over n rows.
func (r *fragmentReader) Skip(n int64) (int64, error) {
	if err := r.admit(n); err != nil {
		return 0, err
	}
	r.row += n
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *fragmentReader) Read(n int) (int, error) {
	if err := r.admit(int64(n)); err != nil {
		return 0, err
	}
	r.runs = r.piece.gone.Stored(r.runs[:0], r.row-r.split.Rows.Start, int64(n), r.piece.stored.Rows.Start)
	if r.inner != nil {
		if err := r.left.Read(r.runs); err != nil {
			return 0, r.fail(err)
		}
	}
	if r.placed {
		r.places = append(r.places, r.runs...)
	}
	r.row += int64(n)
	r.rows += n
	return n, nil
}

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader.
func (r *fragmentReader) ReadRuns(runs []arrowio.RowRange) error {
	if r.closed {
		return errClosed
	}
	r.runs = r.runs[:0]
	n := 0
	for _, x := range runs {
		if err := r.split.Rows.Check(r.row+x.Start, x.Len()); err != nil {
			return err
		}
		r.runs = r.piece.gone.Stored(r.runs, r.row+x.Start-r.split.Rows.Start, x.Len(), r.piece.stored.Rows.Start)
		n += int(x.Len())
	}
	if r.inner != nil {
		if err := r.left.Read(r.runs); err != nil {
			return r.fail(err)
		}
	}
	if r.placed {
		r.places = append(r.places, r.runs...)
	}
	r.row += runs[len(runs)-1].End
	r.rows += n
	return nil
}

// Fit asks the reader of the file for its share of the bytes.
func (r *fragmentReader) Fit(n int, bytes int64) int {
	s, ok := r.inner.(arrowio.Sizer)
	if !ok {
		return int(max(1, min(int64(n), bytes/max(1, r.extra))))
	}
	k := s.Fit(n, bytes)
	if r.extra == 0 || k < 1 {
		return k
	}
	row := float64(r.extra)
	if k < n {
		row += float64(bytes) / float64(k)
	}
	return int(max(1, min(float64(k), float64(bytes)/row)))
}

// Take hands over the batch built so far. The caller releases it.
func (r *fragmentReader) Take() (arrow.Record, error) {
	if r.closed {
		return nil, errClosed
	}
	var own arrow.Record
	if r.inner != nil {
		var err error
		if own, err = r.inner.Take(); err != nil {
			return nil, r.fail(err)
		}
		defer own.Release()
	}
	cols := make([]arrow.Array, 0, len(r.out))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range r.out {
		c := &r.out[i]
		if c.sort == fromFile {
			a := own.Column(c.from)
			a.Retain()
			cols = append(cols, a)
			continue
		}
		d, err := r.make(c, own)
		if err != nil {
			return nil, r.fail(err)
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	r.rows, r.places = 0, r.places[:0]
	return rec, nil
}

// Close frees what the reader holds.
func (r *fragmentReader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	var all []error
	if r.inner != nil {
		all = append(all, r.inner.Close())
	}
	if r.handle != nil {
		all = append(all, r.handle.release())
	}
	return errors.Join(all...)
}
