package cfile

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// writer is the driver behind arrowio.NewWriter: rowsets, and what schema.json says of them.
type writer struct {
	ctx     context.Context
	store   arrowio.Store
	d       *driver
	set     kuduwire.Set
	rowset  *rowset
	order   []int // of the tasks of a batch: those that take longest first
	scratch sync.Pool
	text    fileOut // schema.json

	next  int64 // rows of the rowset at which its size is looked at again
	total int64 // rows of rowsets that are done
}

// softwareName is who has written a set.
const softwareName = "arrowio"

func newWriter(ctx context.Context, st arrowio.Store, d *driver) *writer {
	w := &writer{ctx: ctx, store: st, d: d, rowset: newRowset(d)}
	w.set = kuduwire.Set{Writer: softwareName, Table: d.table, Metadata: d.schemaMeta}
	for i := range d.columns {
		w.set.ColumnMetadata = append(w.set.ColumnMetadata, d.columns[i].meta)
		w.set.Schema.Columns = append(w.set.Schema.Columns, d.columns[i].wire)
	}
	w.orderTasks()
	return w
}

// orderTasks puts the key first and then strings, then the others, the widest first: the last to begin should be short.
// Task i is that of column i, and the key's comes last.
func (w *writer) orderTasks() {
	if w.rowset.key != nil {
		w.order = append(w.order, len(w.d.columns))
	}
	for i := range w.d.columns {
		w.order = append(w.order, i)
	}
	cost := func(i int) int {
		if i == len(w.d.columns) {
			return math.MaxInt
		}
		if t := w.d.columns[i].wire.Type; !t.Binary() {
			return t.Width()
		}
		return 1 << 10
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return cost(b) - cost(a) })
}

// Write encodes a batch; rec stays the caller's.
func (w *writer) Write(rec arrow.Record) error {
	n := rec.NumRows()
	for _, c := range rec.Columns() {
		settle(c)
	}
	for from := int64(0); from < n; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.rowset.open && w.rowset.rows == w.next {
			if err := w.look(); err != nil {
				return err
			}
		}
		if !w.rowset.open {
			if err := w.begin(); err != nil {
				return err
			}
		}
		to := min(n, from+w.next-w.rowset.rows)
		if err := w.encode(rec, int(from), int(to)); err != nil {
			return err
		}
		w.rowset.rows += to - from
		from = to
	}
	return nil
}

// Between two looks at the size of a rowset there are at least as many rows as Kudu puts at a time, and no more than
// these, or than there are already.
const (
	leastStep = 128
	mostStep  = 1 << 16
)

func (w *writer) begin() error {
	w.next = w.d.maxRows
	if w.d.rolls() {
		w.next = min(leastStep, w.d.maxRows)
	}
	return w.rowset.begin(w.ctx, w.store, len(w.set.RowSets))
}

// look ends the rowset if it is full, and decides when to look again: where half of what seems to be missing has come.
// That follows from the rows of the rowset alone.
func (w *writer) look() error {
	rows := w.rowset.rows
	if !w.d.rolls() {
		return errs.Errorf(errs.ErrLimit, "%s: more than %d rows in a file; %w writes several", w.d.format, rows, errs.Opt("max-file-bytes", ""))
	}
	size := w.rowset.size()
	if size >= w.d.maxFile || rows >= w.d.maxRows {
		return w.end()
	}
	missing := float64(rows) / float64(max(1, size)) * float64(w.d.maxFile-size)
	step := int64(min(missing/2, mostStep))
	w.next = min(rows+max(leastStep, min(step, rows)), w.d.maxRows)
	return nil
}

// each runs tasks side by side.
func (w *writer) each(n int, f func(i int) error) error { return workers.Each(w.d.workers, n, f) }

// encode writes rows of a batch, column by column.
func (w *writer) encode(rec arrow.Record, from, to int) error {
	p := place{format: w.d.format, row: w.total + w.rowset.rows}
	return w.each(len(w.order), func(i int) error {
		if i = w.order[i]; i == len(w.d.columns) {
			return w.rowset.key.put(rec, from, to, p)
		}
		s, _ := w.scratch.Get().(*scratch)
		if s == nil {
			s = &scratch{}
		}
		defer w.scratch.Put(s)
		c := &w.rowset.columns[i]
		return c.put(rec.Column(c.field), from, to, s, p)
	})
}

// end ends the rowset.
func (w *writer) end() error {
	w.total += w.rowset.rows
	r, err := w.rowset.end(w.each)
	w.set.RowSets = append(w.set.RowSets, r)
	if w.d.kept && w.rowset.key.broken { // not every file of the column has the index
		md := &w.set.ColumnMetadata[w.d.indexed]
		*md = slices.DeleteFunc(slices.Clone(*md), func(m kuduwire.SetMeta) bool { return m.Key == cfilewire.MetaKey })
	}
	return err
}

// Close implements arrowio.Writer. Columns without rows have files, a table without rows has none.
func (w *writer) Close() error {
	if !w.rowset.open && len(w.set.RowSets) == 0 && w.d.keys == 0 {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if w.rowset.open {
		if err := w.end(); err != nil {
			return err
		}
	}
	b, err := w.set.Text()
	if err != nil {
		return err
	}
	if err := w.text.create(w.ctx, w.store, kuduwire.SetFileName); err != nil {
		return err
	}
	if err := w.text.write(b); err != nil {
		return err
	}
	return w.text.close()
}

// Abort implements arrowio.Writer.
func (w *writer) Abort() error {
	err := w.rowset.abort()
	if e := w.text.close(); err == nil {
		err = e
	}
	return err
}
