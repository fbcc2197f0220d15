package kudu

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// stored decodes one column of a rowset: *cfile.Column, or constant for a column that the rowset has not.
type stored interface {
	Row() int64
	Skip(n int64)
	Read(n int) error
	Take() arrow.ArrayData
	Release()
}

// column is a column of the result.
type column struct {
	stored
	field   arrow.Field
	kudu    *kuduwire.Column
	updates *updates // nil = none
	next    int      // the first of updates that is not behind the reader
	scratch *cfile.Scratch
	block   io.Closer
	id      uint64 // of the block
	first   int64  // ordinal that the updates count from
	bytes   int64  // that will be read
	failed  error  // of Take
	salvage bool   // what cannot be shown is null
}

// run is rows of a batch that lie together in the rowset.
type run struct {
	batch int   // position in the batch
	row   int64 // ordinal
	n     int
}

// splitReader decodes the rows of one part of a rowset. See arrowio.SplitReader.
type splitReader struct {
	file    *File
	part    *part
	split   arrowio.Split
	schema  *arrow.Schema
	mem     memory.Allocator
	columns []*column
	groups  workers.Groups // of columns, by number
	share   arrowio.Share  // nil = one after another
	live    []byte         // nil = all rows are there
	budget  *budget.Batch

	row    int64 // of the file
	at     int64 // ordinal behind the last live row that was passed
	runs   []run // of the batch
	rows   int   // of the batch
	wide   float64
	err    error
	closed bool
}

// windowsBytes bounds the windows of all columns of a reader together.
const windowsBytes = 16 << 20

// Read opens the rows of a split.
func (f *File) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	part := f.parts[s.Ordinal-f.first.Ordinal]
	if part.rowset == nil {
		return f.readMemory(s, part, p, mem)
	}
	r := &splitReader{
		file: f, part: part, split: s, schema: p.Schema, mem: mem, row: s.Rows.Start, at: part.rows.Start,
		budget: budget.NewBatch(f.limits),
	}
	if err := r.open(ctx, rows.Clip(s.Rows), p); err != nil {
		_ = r.Close()
		return nil, f.inSplit(err, part.rowset, s)
	}
	return r, nil
}

func (r *splitReader) open(ctx context.Context, rows arrowio.RowSet, p arrowio.Projection) error {
	f, rs := r.file, r.part.rowset
	var err error
	if r.live, err = f.findLive(ctx, r.part); err != nil {
		return err
	}
	var ids []int32
	for _, pf := range p.Fields {
		if c := &f.columns[pf.Index]; !c.Key {
			ids = append(ids, c.ID)
		}
	}
	changes := newState(r.part.rows, ids)
	changes.snapshot, changes.limit = f.opt.Snapshot, f.limits.SplitBytes
	if err := changes.apply(ctx, rs); err != nil {
		return err
	}
	ords := ordinals(r.part, r.live, r.split, rows)
	for i, pf := range p.Fields {
		c := &column{field: p.Schema.Field(i), kudu: &f.columns[pf.Index], first: r.part.rows.Start, salvage: f.opt.Salvage}
		c.field.Name = c.kudu.Name
		if u := changes.columns[c.kudu.ID]; u != nil && len(u.cells) > 0 {
			c.updates = u
		}
		r.columns = append(r.columns, c)
		if err := r.openColumn(ctx, c, ords, max(1, len(p.Fields))); err != nil {
			return err
		}
	}
	costs := make([]float64, len(r.columns))
	for i, c := range r.columns {
		costs[i] = float64(c.cost())
	}
	r.groups = workers.Divide(costs)
	return nil
}

// openColumn opens the block of a column, or stands in for it.
func (r *splitReader) openColumn(ctx context.Context, c *column, rows arrowio.RowSet, columns int) error {
	f, rs := r.file, r.part.rowset
	mem := &arrowbuf.Arena{Allocator: r.mem}
	id, ok := rs.column(c.kudu.ID)
	lost := rs.lost[c.kudu.ID]
	if !ok || lost.whole(rs.rows) {
		var err error
		c.stored, err = newConstant(c, mem, r.budget, ok)
		return err
	}
	what := fmt.Sprintf("column %s", c.kudu.Name)
	reader, closer, err := f.block(ctx, id, what)
	if err != nil {
		return err
	}
	c.block, c.id = closer, id
	if err := checkColumn(reader, c.kudu, rs); err != nil {
		return f.inBlock(err, id, what)
	}
	sc, _ := f.scratch.Get().(*cfile.Scratch)
	if sc == nil {
		sc = &cfile.Scratch{}
	}
	c.scratch = sc
	col, err := reader.NewColumn(ctx, cfile.ColumnOptions{
		Field: c.field, Rows: rows, Mem: mem, Budget: r.budget, Scratch: sc, Strings: "kudu-strings=binary", Lost: lost.rows,
		Window: min(cfile.WindowBytes, windowsBytes/int64(columns)),
	})
	if err != nil {
		return f.inBlock(err, id, what)
	}
	c.stored, c.bytes = col, col.Stored()
	return nil
}

// inSplit says where an error of reading a split is, and that a salvage would go on.
func (f *File) inSplit(err error, rs *rowset, s arrowio.Split) error {
	return f.hintSalvage(errs.Locate(inRowSet(err, rs), errs.At{Split: errs.N(s.Ordinal)}))
}

// located says which column, and which block, an error of reading is about.
func (f *File) located(c *column, err error) error {
	if c.block == nil {
		return errs.Locate(err, errs.At{Column: c.kudu.Name})
	}
	return f.inBlock(err, c.id, "column "+c.kudu.Name)
}

// checkColumn tests that a block holds the column that the superblock says.
func checkColumn(r *cfile.Reader, c *kuduwire.Column, rs *rowset) error {
	switch f := r.Footer(); {
	case f.Type != c.Type || f.Array != c.Array:
		return errs.Errorf(errs.ErrCorrupt, "it holds values of type %v, the column is of type %v", f.Type, c.Type)
	case f.Nullable && !c.Nullable:
		return errs.Errorf(errs.ErrCorrupt, "it may hold nulls, and the column has none")
	case r.Rows() != rs.rows:
		return errs.Errorf(errs.ErrCorrupt, "it has %d rows, another column of the rowset %d", r.Rows(), rs.rows)
	}
	return nil
}

// cost guesses at what decoding takes: text is written for every byte, numbers are packed.
func (c *column) cost() int64 { return c.bytes + 1 }

// Share implements arrowio.Sharer.
func (r *splitReader) Share(run arrowio.Share) int {
	r.share = run
	return r.groups.Width
}

// Skip passes over n rows.
func (r *splitReader) Skip(n int64) (int64, error) {
	if err := r.admit(n); err != nil {
		return 0, err
	}
	r.row += n
	for left := n; left > 0; {
		_, k := r.nextRun(left)
		left -= k
	}
	return n, nil
}

// nextRun passes over gone rows and up to n live ones, and returns the first of those and their number.
func (r *splitReader) nextRun(n int64) (row, k int64) {
	if r.live == nil {
		row, r.at = r.at, r.at+n
		return row, n
	}
	off := r.at - r.part.rows.Start
	runs := bitpack.NewRuns(r.live, int(off), int(r.part.rows.Len()-off))
	start, m := runs.Next()
	k = min(n, int64(m))
	row = r.at + int64(start)
	r.at = row + k
	return row, k
}

// Read appends the next n rows to the batch being built.
func (r *splitReader) Read(n int) (int, error) {
	first := len(r.runs)
	if err := r.add(n); err != nil {
		return 0, err
	}
	return n, r.decode(r.runs[first:])
}

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader.
func (r *splitReader) ReadRuns(runs []arrowio.RowRange) error {
	first, row := len(r.runs), r.row
	for _, x := range runs {
		if _, err := r.Skip(row + x.Start - r.row); err != nil {
			return err
		}
		if err := r.add(int(x.Len())); err != nil {
			return err
		}
	}
	return r.decode(r.runs[first:])
}

// add notes the next n rows for decode.
func (r *splitReader) add(n int) error {
	if err := r.admit(int64(n)); err != nil {
		return err
	}
	first := len(r.runs)
	for left := int64(n); left > 0; {
		row, k := r.nextRun(left)
		if i := len(r.runs) - 1; i >= first && r.runs[i].row+int64(r.runs[i].n) == row {
			r.runs[i].n += int(k)
		} else {
			r.runs = append(r.runs, run{batch: r.rows + n - int(left), row: row, n: int(k)})
		}
		left -= k
	}
	r.row += int64(n)
	r.rows += n
	return nil
}

// decode appends runs of live rows to the columns.
func (r *splitReader) decode(runs []run) error {
	err := r.groups.Run(r.share, func(i int) error {
		for _, k := range r.groups.Tasks[i] {
			c := r.columns[k]
			for _, u := range runs {
				c.Skip(u.row - c.Row())
				if err := c.Read(u.n); err != nil {
					return r.file.located(c, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		r.err = r.file.inSplit(err, r.part.rowset, r.split)
	}
	return r.err
}

func (r *splitReader) admit(n int64) error {
	if r.err == nil {
		r.err = r.split.Rows.Check(r.row, n)
	}
	return r.err
}

// Fit returns how many of the next n rows make about the given number of bytes, by what the rows of the last batch took.
func (r *splitReader) Fit(n int, bytes int64) int {
	wide := r.wide
	if wide == 0 {
		wide = r.guess()
	}
	return int(max(1, min(float64(n), float64(bytes)/wide)))
}

// guess returns about how many bytes a row takes, before any was read.
func (r *splitReader) guess() float64 {
	wide := 0.0
	for _, c := range r.columns {
		w := 4 * float64(c.bytes) / float64(max(1, r.part.rowset.rows)) // packed to a quarter, if bytes of strings
		if t, ok := c.field.Type.(arrow.FixedWidthDataType); ok {
			w = float64(t.BitWidth()) / 8
		}
		wide += w
	}
	return wide + 1.0/8
}

// Take hands over the batch built so far. The caller releases it.
func (r *splitReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	cols := make([]arrow.Array, len(r.columns))
	for i, c := range r.columns {
		d := c.Take()
		if c.failed != nil {
			r.err = c.failed
		} else if c.updates != nil && r.err == nil {
			d, r.err = c.patch(d, r.runs, r.mem)
		}
		if d != nil {
			cols[i] = array.MakeFromData(d)
			d.Release()
		}
	}
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	if r.err != nil {
		r.err = r.file.inSplit(r.err, r.part.rowset, r.split)
		return nil, r.err
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	if r.rows > 0 {
		r.wide = max(1.0/8, float64(r.budget.Taken())/float64(r.rows))
	}
	r.runs, r.rows = r.runs[:0], 0
	r.budget.Reset()
	return rec, nil
}

// Close frees what the reader holds.
func (r *splitReader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	var all []error
	for _, c := range r.columns {
		if c.stored != nil {
			c.Release()
		}
		if c.scratch != nil {
			r.file.scratch.Put(c.scratch)
		}
		if c.block != nil {
			all = append(all, c.block.Close())
		}
	}
	if r.err == nil {
		r.err = errClosed
	}
	return errors.Join(all...)
}
