package orc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// writer is the driver behind arrowio.NewWriter: files of stripes.
type writer struct {
	ctx     context.Context
	store   arrowio.Store
	d       *driver
	plan    *arrowio.WritePlan
	mem     memory.Allocator
	fields  []*node // of the root struct, or the root itself
	root    *node   // the root struct's own entry; nil where the root is no struct
	workers workers.Pool[orcwire.OutScratch]
	pool    orcwire.OutPool
	file    *file
	part    int

	rows  int64 // of the open stripe
	next  int64 // rows of the open stripe at which its size is looked at again
	group int64 // rows of the open row group
	total int64
}

func newWriter(ctx context.Context, st arrowio.Store, d *driver, p *arrowio.WritePlan) (*writer, error) {
	w := &writer{ctx: ctx, store: st, d: d, plan: p, mem: p.Options.Allocator}
	if w.mem == nil {
		w.mem = arrowbuf.Shared()
	}
	w.mem = arrowbuf.Clean(w.mem)
	w.workers.Workers, w.workers.Backlog = d.workers, chunksWaiting*d.workers
	sink, err := w.create()
	if err != nil {
		return w, err
	}
	return w, w.begin(sink)
}

// chunksWaiting is how many full chunks may wait for a compressor, for each that there can be: enough to have something to
// do while the last fields of a batch are encoded.
const chunksWaiting = 4

// create opens the next file.
func (w *writer) create() (arrowio.Sink, error) {
	sink, err := w.store.Create(w.ctx, fmt.Sprintf("part-%05d.orc", w.part))
	if err == nil {
		w.part++
	}
	return sink, err
}

// begin starts a file.
func (w *writer) begin(sink arrowio.Sink) error {
	w.root, w.fields = nil, nil
	if root := w.d.types[0]; w.d.rootOnly {
		w.fields = []*node{w.newNode(root, w.plan.Schema.Field(0).Type, -1)}
	} else {
		w.root = w.newRoot(root)
		for i, t := range root.Children {
			w.fields = append(w.fields, w.newNode(t, w.plan.Schema.Field(i).Type, -1))
		}
	}
	w.file = &file{w: w, sink: sink}
	return w.file.begin()
}

// Write encodes a batch; rec stays the caller's.
func (w *writer) Write(rec arrow.Record) error {
	for from := int64(0); from < rec.NumRows(); {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.rows == w.next {
			if err := w.look(); err != nil {
				return err
			}
		}
		to := min(from+w.next-w.rows, rec.NumRows())
		part := rec.NewSlice(from, to)
		err := w.encode(part)
		part.Release()
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// look ends the stripe if it is full, and the file if that is, and decides when to look again: where half of what seems
// to be missing has come. That follows from the rows of the stripe alone, so that stripes end at the same rows however
// the batches are cut; and they end where row groups do.
func (w *writer) look() error {
	step := w.d.step()
	if w.rows > 0 {
		file, block, err := w.left()
		if err != nil {
			return err
		}
		size := w.size()
		if size >= w.d.stripe || file <= 0 || block < 0 || w.d.opt.StripeRows > 0 && w.rows >= w.d.opt.StripeRows {
			if err := w.endStripe(); err != nil {
				return err
			}
			if file, _, err := w.left(); err != nil {
				return err
			} else if file <= w.d.maxFile/8 { // what is left would make a small stripe
				// A store that takes one file only refuses another before the first has its footer.
				sink, err := w.create()
				if err != nil {
					return err
				}
				if err := w.endFile(); err != nil {
					return errors.Join(err, sink.Close())
				}
				if err := w.begin(sink); err != nil {
					return err
				}
			} else if err := w.file.skip(); err != nil {
				return err
			}
		} else {
			missing := float64(min(w.d.stripe-size, file, block)) / 2 / float64(max(1, size)) * float64(w.rows)
			step = max(1, min(int64(missing)/step, maxSteps)) * step
		}
	}
	w.next = w.rows + step
	if m := w.d.opt.StripeRows; m > 0 {
		w.next = min(w.next, m)
	}
	return nil
}

// left returns about how many bytes the file may still have, and how many its block still has when one more row group is added,
// which are negative where the stripe ends to lie within it. What is open is taken as packed as it will be.
func (w *writer) left() (file, block int64, err error) {
	file, block = math.MaxInt64, math.MaxInt64
	if w.d.maxFile <= 0 && w.file.block <= 0 {
		return file, block, nil
	}
	err = w.workers.Wait() // what is not compressed has no size
	n := int64(0)
	for _, f := range w.fields {
		n += f.packed()
	}
	if w.d.maxFile > 0 {
		file = w.d.maxFile - w.file.at - n
	}
	if w.file.block > 0 {
		block = w.file.room() - n - w.more(n)
	}
	return file, block, err
}

// maxSteps bounds the row groups that are encoded at once.
const maxSteps = 6

// step is how many rows lie between two places where a stripe may end.
func (d *driver) step() int64 {
	if d.opt.Stride > 0 {
		return d.opt.Stride
	}
	return DefaultStride
}

// encode writes the fields of a batch, side by side, cut at the edges of row groups.
func (w *writer) encode(rec arrow.Record) error {
	n := rec.NumRows()
	first := w.group
	err := w.each(func(i int, sc *orcwire.OutScratch) error {
		f := w.fields[i]
		f.use(sc)
		col := rec.Column(i)
		return w.cut(first, n, func(from, to int64, begins, ends bool) error {
			if begins {
				f.mark()
			}
			part := col
			if from > 0 || to < n {
				part = arraySlice(col, from, to)
				defer part.Release()
			}
			if err := f.write(part); err != nil {
				return w.nameRow(i, part, w.total+from, err)
			}
			if ends {
				f.endGroup()
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	// The root itself has no values, only counts.
	err = w.cut(first, n, func(from, to int64, begins, ends bool) error {
		w.group += to - from
		if w.root != nil {
			if begins {
				w.root.markSelf()
			}
			w.root.stats.count(int(to-from), false)
		}
		if ends {
			w.group = 0
			if w.root != nil {
				w.root.endSelf()
			}
		}
		return nil
	})
	w.rows += n
	w.total += n
	return err
}

// cut calls f for the parts of n rows that lie in one row group each; the open one has had before rows so far.
func (w *writer) cut(before, n int64, f func(from, to int64, begins, ends bool) error) error {
	step := w.d.step()
	for from := int64(0); from < n; {
		to := min(n, from+step-before)
		before += to - from
		if err := f(from, to, before == to-from, before == step); err != nil {
			return err
		}
		if before == step {
			before = 0
		}
		from = to
	}
	return nil
}

// each calls f with all fields, several at once if there are several workers. A call has a compressor of its own.
func (w *writer) each(f func(i int, sc *orcwire.OutScratch) error) error {
	order := w.byCost()
	return w.workers.Each(len(order), func(i int, sc *orcwire.OutScratch) error {
		w.attach(sc)
		return f(order[i], sc)
	})
}

// attach binds a compressor to the writer.
func (w *writer) attach(sc *orcwire.OutScratch) {
	sc.Pool = &w.pool
	if w.workers.Workers > 1 {
		sc.Later = w.later
	}
}

// later leaves a chunk to the next worker that has nothing to do. It returns false where the caller must pack it.
func (w *writer) later(c *orcwire.OutChunk) bool {
	return w.workers.Later(func(sc *orcwire.OutScratch) {
		w.attach(sc)
		c.Pack(sc)
	})
}

// byCost returns the fields with the most bytes first: the last one to begin should be short.
func (w *writer) byCost() []int {
	order, sizes := make([]int, len(w.fields)), make([]int64, len(w.fields))
	for i, f := range w.fields {
		order[i], sizes[i] = i, f.size()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	return order
}

// size returns about how many raw bytes the open stripe has.
func (w *writer) size() (n int64) {
	for _, f := range w.fields {
		n += f.size()
	}
	return n
}

// endStripe writes the open stripe, if it has rows.
func (w *writer) endStripe() error {
	if w.rows == 0 {
		return nil
	}
	if w.group > 0 {
		for _, f := range w.fields {
			f.endGroup()
		}
		if w.root != nil {
			w.root.endSelf()
		}
		w.group = 0
	}
	if err := w.file.stripe(); err != nil {
		return err
	}
	for _, f := range w.fields {
		f.reset()
	}
	if w.root != nil {
		w.root.reset()
	}
	w.rows, w.next = 0, 0
	return nil
}

func (w *writer) endFile() error {
	f := w.file
	w.file = nil
	return errors.Join(f.end(), f.sink.Close())
}

// Close implements arrowio.Writer.
func (w *writer) Close() error {
	if err := w.endStripe(); err != nil {
		return err
	}
	return w.endFile()
}

// Abort implements arrowio.Writer.
func (w *writer) Abort() error {
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	_ = errors.Join(w.workers.Wait(), f.landed()) // it may be why
	for _, f := range w.fields {
		f.reset()
	}
	return f.sink.Close()
}
