package trevni

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/sinkblocks"
	"github.com/arrowio/arrowio/internal/trevniwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// sliceRows bounds the rows that are encoded at once: what is made on the way of a huge batch stays small.
const sliceRows = 64 << 10

// writer is the driver behind arrowio.NewWriter: row groups, one file each.
type writer struct {
	ctx     context.Context
	store   arrowio.Store
	d       *driver
	plan    *arrowio.WritePlan
	storage *storage
	columns []*column
	fields  []*field
	rows    int64 // of the open row group
	next    int64 // rows of the open row group at which its size is looked at again
	total   int64 // rows of all
	part    int
	sink    arrowio.Sink // of the open row group, once it is known to be needed beside the one before; nil = not yet
	ended   bool
}

func newWriter(ctx context.Context, st arrowio.Store, d *driver, p *arrowio.WritePlan) *writer {
	w := &writer{ctx: ctx, store: st, d: d, plan: p, storage: &storage{store: st, memory: d.memory}}
	packers := make(packers, d.workers)
	for i := range d.columns {
		w.columns = append(w.columns, &column{Column: &d.columns[i], level: d.levels[i], block: d.block, java: d.java, packers: packers, storage: w.storage})
		if d.columns[i].Array {
			w.columns[i].mixed = &mixed{}
		}
	}
	if d.statistics {
		w.watch(d.tree.Roots)
	}
	for _, n := range d.tree.Roots {
		w.fields = append(w.fields, w.field(n, n.Field.Name))
	}
	return w
}

func (w *writer) field(n *trevniwire.Node, path string) *field {
	f := &field{Node: n, path: path, avro: w.d.avro, cut: w.d.cut}
	f.find = arrowdense.Finder{Mem: w.plan.Options.Allocator, Dictionaries: true, Unions: n.Kind == trevniwire.Union}
	f.opt, f.rep, f.col = w.column(n.Opt), w.column(n.Rep), w.column(n.Col)
	for _, k := range n.Children {
		name := path + "." + k.Field.Name
		if n.Kind == trevniwire.List {
			name = path
		}
		f.children = append(f.children, w.field(k, name))
	}
	return f
}

func (w *writer) column(i int) *column {
	if i < 0 {
		return nil
	}
	return w.columns[i]
}

// Write encodes a batch; rec stays the caller's.
func (w *writer) Write(rec arrow.Record) error {
	for from := int64(0); from < rec.NumRows(); {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.rows == w.next {
			if w.rows > 0 && w.full() {
				if err := w.endGroup(true); err != nil {
					return err
				}
			}
			w.next = w.rows + w.stride()
		}
		to := min(from+w.next-w.rows, rec.NumRows())
		part := rec.NewSlice(from, to)
		err := w.encode(part)
		part.Release()
		if err != nil {
			return errs.Locate(err, errs.At{Format: Name})
		}
		from = to
	}
	return nil
}

// encode writes the fields of a batch, side by side: no two share a column.
func (w *writer) encode(rec arrow.Record) error {
	rows := rowsOf{n: int(rec.NumRows()), first: w.total}
	w.rows += rec.NumRows()
	w.total += rec.NumRows()
	return w.each(len(w.fields), func(i int) error { return w.fields[i].write(rec.Column(i), rows) })
}

// each calls f with 0 to n-1, several at once where that is wanted.
func (w *writer) each(n int, f func(int) error) error {
	return workers.Each(w.d.workers, n, f)
}

// size returns the bytes of the open row group, unpacked and packed. Open blocks are taken to pack like those before.
func (w *writer) size() (raw, stored int64) {
	open := int64(0)
	for _, c := range w.columns {
		raw += c.raw
		open += int64(len(c.buf))
		stored += c.stored
	}
	if raw > 0 {
		stored += int64(float64(open) * float64(stored) / float64(raw))
	}
	return raw + open, stored
}

// full reports whether the open row group has reached its size.
func (w *writer) full() bool {
	raw, stored := w.size()
	return w.d.rowGroup > 0 && raw >= w.d.rowGroup || w.d.maxFile > 0 && stored >= w.d.maxFile
}

// stride returns how many rows to take before the size is looked at again: half of what seems to be missing. It follows
// from the rows of the row group alone, so that files end at the same rows however the batches are cut.
func (w *writer) stride() int64 {
	n := float64(min(sliceRows, 7*w.rows+1))
	raw, stored := w.size()
	for _, b := range []struct{ have, limit int64 }{{raw, w.d.rowGroup}, {stored, w.d.maxFile}} {
		if b.have > 0 && b.limit > 0 {
			room := float64(max(b.limit-b.have, b.limit/64))
			n = min(n, room/2/float64(b.have)*float64(w.rows))
		}
	}
	return max(int64(n), 1)
}

// endGroup writes the open row group as a file of its own. If more rows are to follow, it first opens the next file: a
// store that takes one file only refuses that one before anything of the first is written.
func (w *writer) endGroup(more bool) error {
	err := w.each(len(w.columns), func(i int) error {
		c := w.columns[i]
		return errs.Locate(c.close(), errs.At{Format: Name, Column: c.Name})
	})
	if err != nil {
		return err
	}
	sink := w.sink
	w.sink = nil
	if sink == nil {
		if sink, err = w.create(w.part); err != nil {
			return err
		}
	}
	if more {
		if w.sink, err = w.create(w.part + 1); err != nil {
			return errors.Join(err, sink.Close())
		}
	}
	if err := w.writeFile(sink); err != nil {
		return errors.Join(err, sink.Close())
	}
	if err := sink.Close(); err != nil {
		return err
	}
	w.part++
	w.rows, w.next = 0, 0
	for _, c := range w.columns {
		c.reset()
	}
	return w.storage.reset()
}

func (w *writer) create(part int) (arrowio.Sink, error) {
	return w.store.Create(w.ctx, fmt.Sprintf("part-%05d.trv", part))
}

// writeFile writes header, descriptors and blocks of the row group. Where the store has blocks, as HDFS, the file becomes one: its
// size is known.
func (w *writer) writeFile(sink arrowio.Sink) error {
	h := &trevniwire.Header{Rows: w.rows, Meta: w.d.meta, Columns: make([]trevniwire.Column, len(w.columns))}
	at := int64(0)
	for i, c := range w.columns {
		h.Columns[i] = *c.Column
		h.Columns[i].Start = at
		h.Columns[i].Meta = slices.Clip(h.Columns[i].Meta)
		at += 4 + c.stored + c.orderOf(&h.Columns[i])
	}
	w.describe(h)
	head := trevniwire.AppendHeader(nil, h)
	if err := sinkblocks.One(sink, int64(len(head))+at); err != nil {
		return err
	}
	if _, err := sink.Write(head); err != nil {
		return err
	}
	var b []byte
	for i, c := range w.columns {
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(len(c.blocks)))
		for _, k := range c.blocks {
			first := k.first
			if !h.Columns[i].Values {
				first = nil
			}
			b = trevniwire.AppendDescriptor(b, k.rows, k.raw, k.packed, first)
		}
		if _, err := sink.Write(b); err != nil {
			return err
		}
		if err := w.storage.copy(sink, c.blocks); err != nil {
			return err
		}
	}
	return nil
}

// reset begins the next row group.
func (c *column) reset() {
	c.blocks, c.raw, c.stored, c.sorted = c.blocks[:0], 0, 0, sortedness{}
	c.buf, c.spare, c.run, c.rows, c.begin = c.buf[:0], 0, 0, 0, c.begin[:0]
	c.unmatched = false
	c.ones, c.open, c.bounds, c.firsts = ones{}, bounds{}, c.bounds[:0], 0
}

// Close writes the last row group; without any rows there is still a file.
func (w *writer) Close() error {
	if w.ended {
		return nil
	}
	w.ended = true
	if w.rows > 0 || w.part == 0 {
		return w.endGroup(false)
	}
	return nil
}

// Abort gives up; what was created goes with the store.
func (w *writer) Abort() error {
	w.ended = true
	for _, c := range w.columns {
		c.reset()
	}
	err := w.storage.reset()
	if w.sink != nil {
		err = errors.Join(err, w.sink.Close())
		w.sink = nil
	}
	return err
}
