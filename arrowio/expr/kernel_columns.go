package expr

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// pool keeps slices of values for the next Mask, their content undefined.
type pool[T any] struct{ free [][]T }

func (p *pool[T]) get(n int) []T {
	if k := len(p.free); k > 0 {
		x := p.free[k-1]
		p.free = p.free[:k-1]
		if cap(x) >= n {
			return x[:n]
		}
	}
	return make([]T, n)
}

func (p *pool[T]) put(x []T) {
	if cap(x) > 0 {
		p.free = append(p.free, x)
	}
}

// signs sets the bits of the rows where the left value is less, and of those where both are equal. The bits of rows that
// are null may come out either way.
func (n columnsNode) signs(ev *evaluation, less, equal []uint64, c [2]*loadedColumn) error {
	if ok, err := n.direct(less, equal, c); ok || err != nil {
		return err
	}
	switch n.how {
	case pairInts:
		return alike(ev, &ev.ints, c, func(side int, dst []int64, v values) error {
			return toInts(dst, v, n.doms[side])
		}, func(x, y []int64) { compareOrdered(less, equal, x, y) })
	case pairFloats:
		return alike(ev, &ev.floats, c, func(side int, dst []float64, v values) error {
			return toFloats(dst, v, n.doms[side], n.doms[1-side].width)
		}, func(x, y []float64) { compareOrdered(less, equal, x, y) })
	case pairLongs:
		return alike(ev, &ev.longs, c, func(side int, dst []decimal128.Num, v values) error {
			return toLongs(dst, v, n.doms[side], n.doms[side].inUnitsOf(n.doms[1-side]))
		}, func(x, y []decimal128.Num) { compareLongs(less, equal, x, y) })
	case pairMixed:
		err := alike(ev, &ev.longs, c, func(side int, dst []decimal128.Num, v values) error {
			return toHalves(dst, v, n.doms[side])
		}, func(x, y []decimal128.Num) { compareLongs(less, equal, x, y) })
		if err != nil {
			return err
		}
		return n.dropNaN(ev, less, equal, c)
	case pairWides:
		scale := max(n.doms[0].scale, n.doms[1].scale)
		return alike(ev, &ev.wides, c, func(side int, dst []wideNum, v values) error {
			return toWides(dst, v, n.doms[side], scale-n.doms[side].scale)
		}, func(x, y []wideNum) { compareWides(less, equal, x, y) })
	case pairStrings:
		defer func() { // what is kept refers to no record
			for _, x := range ev.texts.free {
				clear(x[:cap(x)])
			}
		}()
		return alike(ev, &ev.texts, c, func(side int, dst [][]byte, v values) error {
			return toTexts(dst, v, n.doms[side])
		}, func(x, y [][]byte) { n.compareTexts(less, equal, x, y) })
	}
	return fmt.Errorf("no comparison for types %v and %v", n.doms[0].t, n.doms[1].t)
}

// direct compares columns of one type as they lie in memory; ok is false if that cannot be done.
func (n columnsNode) direct(less, equal []uint64, c [2]*loadedColumn) (ok bool, err error) {
	a, b := n.doms[0], n.doms[1]
	if a.class != b.class || a.width != b.width || n.how != pairInts && n.how != pairFloats {
		return false, nil
	}
	for _, x := range c {
		switch arrowtype.Storage(x.vals.data.DataType()).(type) {
		case *arrow.DictionaryType, *arrow.RunEndEncodedType:
			return false, nil
		}
		if x.take != nil {
			return false, nil
		}
	}
	x, y := c[0].vals, c[1].vals
	switch {
	case a.class == classInt && a.width == 8:
		return true, compareAsStored[int64](less, equal, x, y)
	case a.class == classInt && a.width == 4:
		return true, compareAsStored[int32](less, equal, x, y)
	case a.class == classUint && a.width == 8:
		return true, compareAsStored[uint64](less, equal, x, y)
	case a.class == classFloat && a.width == 8:
		return true, compareAsStored[float64](less, equal, x, y)
	case a.class == classFloat && a.width == 4:
		return true, compareAsStored[float32](less, equal, x, y)
	}
	return false, nil
}

func compareAsStored[T int32 | int64 | uint64 | float32 | float64](less, equal []uint64, v, w values) error {
	x, err := fixed[T](v)
	if err != nil {
		return err
	}
	y, err := fixed[T](w)
	if err != nil {
		return err
	}
	compareOrdered(less, equal, x, y)
	return nil
}

func compareOrdered[T cmp.Ordered](less, equal []uint64, x, y []T) {
	y = y[:len(x)]
	for w := range wordsFor(len(x)) {
		a := x[64*w : min(64*w+64, len(x))]
		b := y[64*w:][:len(a)]
		var lt, eq uint64
		for j, v := range a {
			lt |= bit(v < b[j]) << j
			eq |= bit(v == b[j]) << j
		}
		less[w], equal[w] = lt, eq
	}
}

func compareLongs(less, equal []uint64, x, y []decimal128.Num) {
	for i, a := range x {
		b := y[i]
		same := a.HighBits() == b.HighBits()
		less[i/64] |= bit(a.HighBits() < b.HighBits() || same && a.LowBits() < b.LowBits()) << (i % 64)
		equal[i/64] |= bit(same && a.LowBits() == b.LowBits()) << (i % 64)
	}
}

func compareWides(less, equal []uint64, x, y []wideNum) {
	for i := range x {
		c := x[i].cmp(&y[i])
		less[i/64] |= bit(c < 0) << (i % 64)
		equal[i/64] |= bit(c == 0) << (i % 64)
	}
}

func (n columnsNode) compareTexts(less, equal []uint64, x, y [][]byte) {
	if n.op == Eq {
		for i, v := range x {
			equal[i/64] |= bit(bytes.Equal(v, y[i])) << (i % 64)
		}
		return
	}
	for i, v := range x {
		c := bytes.Compare(v, y[i])
		less[i/64] |= bit(c < 0) << (i % 64)
		equal[i/64] |= bit(c == 0) << (i % 64)
	}
}

// dropNaN clears the bits of rows where a float is NaN.
func (n columnsNode) dropNaN(ev *evaluation, less, equal []uint64, c [2]*loadedColumn) error {
	for i, d := range n.doms {
		if d.class != classFloat {
			continue
		}
		number := ev.words()
		defer ev.done(number)
		clear(number)
		if err := ev.applyTo(newNumberPred(d), number, c[i]); err != nil {
			return err
		}
		for w, x := range number {
			less[w] &= x
			equal[w] &= x
		}
	}
	return nil
}

// alike brings both columns into one form and compares them.
func alike[T any](ev *evaluation, p *pool[T], c [2]*loadedColumn, read func(side int, dst []T, v values) error, compare func(x, y []T)) error {
	var sides [2][]T
	defer func() {
		p.put(sides[0])
		p.put(sides[1])
	}()
	for i := range sides {
		of := func(dst []T, v values) error { return read(i, dst, v) }
		var err error
		if c[i].take == nil {
			sides[i], err = readValues(p, c[i].vals, c[i].valid, of)
		} else {
			sides[i], err = readTaken(p, c[i], of)
		}
		if err != nil {
			return err
		}
	}
	if len(sides[0]) != ev.rows || len(sides[1]) != ev.rows {
		return errBuffers
	}
	compare(sides[0], sides[1])
	return nil
}

// readTaken reads the value of each row; what null rows have is undefined.
func readTaken[T any](p *pool[T], c *loadedColumn, read func([]T, values) error) ([]T, error) {
	in, err := readValues(p, c.vals, nil, read)
	defer p.put(in)
	if err != nil {
		return nil, err
	}
	out := p.get(len(c.take))
	for i, at := range c.take {
		if c.valid[i/64]>>(i%64)&1 != 0 {
			out[i] = in[at]
		}
	}
	return out, nil
}

// readValues reads values; those of a dictionary, and of runs, once each.
func readValues[T any](p *pool[T], v values, valid []uint64, read func([]T, values) error) ([]T, error) {
	switch arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		out := p.get(v.n)
		if v.n == 0 {
			return out, nil
		}
		inner, ok := v.inner()
		if !ok {
			return out, errBuffers
		}
		in, err := readValues(p, inner, nil, read)
		defer p.put(in)
		if err != nil {
			return out, err
		}
		return out, spreadValues(out, in, valid, v)
	}
	out := p.get(v.n)
	if v.n == 0 {
		return out, nil
	}
	return out, read(out, v)
}

// spreadValues is spread for the values themselves.
func spreadValues[T any](out, in []T, valid []uint64, v values) error {
	switch t := arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.DictionaryType:
		switch t.IndexType.ID() {
		case arrow.INT8:
			return gatherValues[T, int8](out, in, valid, v)
		case arrow.UINT8:
			return gatherValues[T, uint8](out, in, valid, v)
		case arrow.INT16:
			return gatherValues[T, int16](out, in, valid, v)
		case arrow.UINT16:
			return gatherValues[T, uint16](out, in, valid, v)
		case arrow.INT32:
			return gatherValues[T, int32](out, in, valid, v)
		case arrow.UINT32:
			return gatherValues[T, uint32](out, in, valid, v)
		case arrow.INT64:
			return gatherValues[T, int64](out, in, valid, v)
		case arrow.UINT64:
			return gatherValues[T, uint64](out, in, valid, v)
		}
	case *arrow.RunEndEncodedType:
		ends := v.data.Children()[0]
		switch t.RunEnds().ID() {
		case arrow.INT16:
			return expandValues[T, int16](out, in, v, ends)
		case arrow.INT32:
			return expandValues[T, int32](out, in, v, ends)
		case arrow.INT64:
			return expandValues[T, int64](out, in, v, ends)
		}
	}
	return fmt.Errorf("no such encoding: %v", v.data.DataType())
}

func gatherValues[T any, I signed | unsigned](out, in []T, valid []uint64, v values) error {
	idx, err := fixed[I](v)
	if err != nil {
		return err
	}
	for i, x := range idx {
		if k := uint64(x); k < uint64(len(in)) {
			out[i] = in[k]
		} else if valid != nil && valid[i/64]>>(i%64)&1 != 0 {
			return errIndex
		}
	}
	return nil
}

func expandValues[T any, E int16 | int32 | int64](out, in []T, v values, ends arrow.ArrayData) error {
	e, err := fixed[E](values{ends, ends.Offset(), ends.Len()})
	if err != nil {
		return err
	}
	if len(e) > len(in) {
		return errRuns
	}
	row := 0
	for k, end := range e {
		for upTo := min(int(end)-v.off, v.n); row < upTo; row++ {
			out[row] = in[k]
		}
	}
	if row < v.n {
		return errRuns
	}
	return nil
}

// wideNum is a decimal scaled up: over is 0, or the sign of one that 256 bits do not hold.
type wideNum struct {
	over int
	num  decimal256.Num
}

func (a *wideNum) cmp(b *wideNum) int {
	if a.over != b.over {
		return cmp.Compare(a.over, b.over)
	}
	return a.num.Cmp(b.num)
}
