package cfile

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// decimals widens unscaled values of 32 or 64 bits to decimal128.
type decimals[T int32 | int64] struct {
	source  source[T]
	budget  *budget.Batch
	out     arrowbuf.Vec[[2]uint64]
	scratch []T
	most    T // the greatest value of the precision
}

func newDecimals[T int32 | int64](c *Column, t arrow.DataType) (content, error) {
	d := &decimals[T]{source: newSource[T](c, c.file.footer.Type.Width()), budget: c.opt.Budget, out: arrowbuf.NewVec[[2]uint64](c.opt.Mem)}
	reach := uint64(1)<<(8*c.file.footer.Type.Width()-1) - 1
	if m := pow10(int(t.(*arrow.Decimal128Type).Precision)); m[1] == 0 {
		reach = min(reach, m[0])
	}
	d.most = T(reach)
	return d, nil
}

func (d *decimals[T]) open(b []byte) (cfilewire.Head, error) { return d.source.Open(b) }

func (d *decimals[T]) read(s arrowbuf.Slots) error {
	if err := d.budget.Take(int64(s.N) * 16); err != nil {
		return err
	}
	d.scratch = grow(d.scratch, s.Count+bitpack.DstSlack/4)
	src := d.scratch[:s.Count]
	if err := d.source.Next(src); err != nil {
		return err
	}
	dst := d.out.Grow(s.N)
	stored := dst[s.N-s.Count:][:len(src)]
	low, high := T(0), T(0)
	for i, v := range src {
		low, high = min(low, v), max(high, v)
		stored[i] = [2]uint64{uint64(v), uint64(int64(v) >> 63)}
	}
	if high > d.most || low < -d.most {
		return errs.Errorf(errs.ErrSchema, "a decimal does not fit the precision: give the column's own with %w", errs.Opt("cfile-decimal", ""))
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (d *decimals[T]) skip(n int) error           { return d.source.Skip(n) }
func (d *decimals[T]) left() int                  { return d.source.Left() }
func (d *decimals[T]) fit(n int, bytes int64) int { return fitWidth(n, bytes, 16) }
func (d *decimals[T]) take() parts                { return parts{buffers: []*memory.Buffer{d.out.Take()}} }
func (d *decimals[T]) release()                   { d.out.Release() }

// wide decodes values of 128 bits, which Arrow stores the same way.
type wide struct {
	fixed[[2]uint64]
	check bool
	most  [2]uint64 // the greatest magnitude of the precision
	hint  string
}

func newWide(c *Column, t arrow.DataType) (content, error) {
	w := &wide{fixed: fixed[[2]uint64]{budget: c.opt.Budget, out: arrowbuf.NewVec[[2]uint64](c.opt.Mem), width: 16}}
	if c.file.footer.Encoding == cfilewire.EncodingBitShuffle {
		w.source = &shuffled[[2]uint64]{width: 16}
	} else {
		w.source = &plain[[2]uint64]{width: 16}
	}
	if dt, ok := t.(*arrow.Decimal128Type); ok {
		w.check, w.most = true, pow10(int(dt.Precision))
		w.hint = "give the column's own precision, see cfile-decimal"
		if c.file.footer.Type == cfilewire.Int128 {
			w.hint = "cfile-int128=binary shows the bytes"
		}
	}
	return w, nil
}

// pow10 returns 10^p - 1 for p up to 38.
func pow10(p int) [2]uint64 {
	lo, hi := uint64(1), uint64(0)
	for range p {
		h, l := bits.Mul64(lo, 10)
		lo, hi = l, hi*10+h
	}
	l, borrow := bits.Sub64(lo, 1, 0)
	h, _ := bits.Sub64(hi, 0, borrow)
	return [2]uint64{l, h}
}

func (w *wide) read(s arrowbuf.Slots) error {
	at := w.out.Len()
	if err := w.fixed.read(s); err != nil || !w.check {
		return err
	}
	over := uint64(0) // null slots are zero
	for _, v := range w.out.Values()[at:] {
		sign := uint64(int64(v[1]) >> 63)
		lo, carry := bits.Add64(v[0]^sign, sign&1, 0)
		hi, _ := bits.Add64(v[1]^sign, 0, carry)
		_, borrow := bits.Sub64(w.most[0], lo, 0)
		_, borrow = bits.Sub64(w.most[1], hi, borrow)
		over |= borrow
	}
	if over != 0 {
		return errs.Errorf(errs.ErrSchema, "a value does not fit decimal128 of this precision: %s", w.hint)
	}
	return nil
}
