package kudu

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/budget"
)

// memoryReader makes batches of rows that a tablet has in its log only. See arrowio.SplitReader.
type memoryReader struct {
	part    *part
	split   arrowio.Split
	schema  *arrow.Schema
	columns []*column
	mem     *arrowbuf.Arena
	budget  *budget.Batch
	row     int64
	runs    []run
	rows    int
	cells   []cell
	err     error
}

func (f *File) readMemory(s arrowio.Split, part *part, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &memoryReader{part: part, split: s, schema: p.Schema, mem: &arrowbuf.Arena{Allocator: mem}, budget: budget.NewBatch(f.limits), row: s.Rows.Start}
	for i, pf := range p.Fields {
		r.columns = append(r.columns, &column{field: p.Schema.Field(i), kudu: &f.columns[pf.Index]})
	}
	return r, nil
}

// Skip passes over n rows.
func (r *memoryReader) Skip(n int64) (int64, error) {
	if err := r.admit(n); err != nil {
		return 0, err
	}
	r.row += n
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *memoryReader) Read(n int) (int, error) {
	if err := r.admit(int64(n)); err != nil {
		return 0, err
	}
	r.runs = append(r.runs, run{batch: r.rows, row: r.row - r.split.Rows.Start + r.part.rows.Start, n: n})
	r.row += int64(n)
	r.rows += n
	return n, nil
}

func (r *memoryReader) admit(n int64) error {
	if r.err == nil {
		r.err = r.split.Rows.Check(r.row, n)
	}
	return r.err
}

// Take hands over the batch built so far. The caller releases it.
func (r *memoryReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	cols := make([]arrow.Array, 0, len(r.columns))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	if cap(r.cells) < r.rows {
		r.cells = make([]cell, r.rows)
	}
	cells := r.cells[:r.rows]
	for _, c := range r.columns {
		for _, u := range r.runs {
			r.part.tablet.mem.column(cells[u.batch:u.batch+u.n], c.kudu.ID, int(u.row))
		}
		d, err := buildCells(c, r.rows, r.mem, r.budget, func(i int) ([]byte, bool) {
			if cells[i].absent {
				return c.kudu.ReadDefault, c.kudu.ReadDefault == nil
			}
			return cells[i].value, cells[i].null
		})
		if err != nil {
			r.err = inTablet(err, r.part.tablet)
			return nil, r.err
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	r.runs, r.rows = r.runs[:0], 0
	r.budget.Reset()
	return rec, nil
}

// Close frees what the reader holds.
func (r *memoryReader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

var errClosed = errors.New("kudu: the split reader is closed")
