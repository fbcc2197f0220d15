package cfile

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// lists decodes array columns: lengths, and elements with nulls of their own.
type lists struct {
	column   *Column
	elem     arrow.DataType
	values   content
	valid    cfilewire.RLEBits // of the elements
	lengths  cfilewire.RLE[uint16]
	scratch  []uint16
	offsets  arrowbuf.Vec[int32] // one more than there are arrays, once there is one
	validity arrowbuf.Bits       // of the elements
	n, count int                 // elements so far, and how many of them have a value
}

func (c *Column) newArrays() (content, error) {
	t, ok := c.opt.Field.Type.(*arrow.ListType)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "arrays as %v", c.opt.Field.Type)
	}
	values, err := c.newValues(t.Elem())
	if err != nil {
		return nil, err
	}
	return &lists{column: c, elem: t.Elem(), values: values, offsets: arrowbuf.NewVec[int32](c.opt.Mem), validity: arrowbuf.NewBits(c.opt.Mem)}, nil
}

// openArrays opens a block of arrays.
func (c *Column) openArrays(raw []byte, b *block) error {
	a, err := cfilewire.ParseArrays(raw)
	if err != nil {
		return err
	}
	if int64(a.Count) != b.rows.Len() {
		return errRows(int64(a.Count), b.rows.Len())
	}
	c.nulls.OpenStream(a.ArrayValid, int(a.Count))
	l := c.content.(*lists)
	l.lengths.OpenStream(a.Lengths, int(a.Count))
	if a.Elements > maxBlockRows {
		return errs.Errorf(errs.ErrLimit, "a block of %d elements", a.Elements)
	}
	l.valid.OpenStream(a.ElementValid, int(a.Elements))
	h, err := l.values.open(a.Values)
	if err == nil && h.Count > a.Elements {
		err = errs.Errorf(errs.ErrCorrupt, "%d values of %d elements", h.Count, a.Elements)
	}
	return err
}

// open is for blocks of single values only.
func (l *lists) open([]byte) (cfilewire.Head, error) {
	return cfilewire.Head{}, errs.Errorf(errs.ErrUnsupported, "arrays in a file without a positional index")
}

func (l *lists) begin() {
	if l.offsets.Len() == 0 {
		l.offsets.Grow(1)[0] = 0
	}
}

// next reads the lengths of n arrays and returns their sum.
func (l *lists) next(n int) (lengths []uint16, sum int, err error) {
	l.scratch = grow(l.scratch, n+bitpack.DstSlack/2)
	lengths = l.scratch[:n]
	if err := l.lengths.Next(lengths); err != nil {
		return nil, 0, err
	}
	for _, k := range lengths {
		sum += int(k)
	}
	return lengths, sum, nil
}

// leaveNull appends n lists that are null, although no block is open for them.
func (l *lists) leaveNull(n int) error {
	l.begin()
	at := l.offsets.Values()[l.offsets.Len()-1]
	if err := l.column.opt.Budget.Take(4 * int64(n)); err != nil {
		return err
	}
	dst := l.offsets.Grow(n)
	for i := range dst {
		dst[i] = at
	}
	return nil
}

func (l *lists) read(s arrowbuf.Slots) error {
	l.begin()
	at := l.offsets.Values()[l.offsets.Len()-1]
	lengths, sum, err := l.next(s.N)
	if err != nil {
		return err
	}
	if sum > math.MaxInt32-int(at) {
		return errs.Errorf(errs.ErrLimit, "a batch holds over 2^31 elements of arrays: take fewer rows in a batch")
	}
	if err := l.column.opt.Budget.Take(4*int64(s.N) + int64(sum)>>3); err != nil {
		return err
	}
	for i, dst := 0, l.offsets.Grow(s.N); i < len(dst); i++ {
		at += int32(lengths[i])
		dst[i] = at
	}
	e := arrowbuf.Slots{N: sum, Count: sum}
	bits, off := l.validity.Grow(sum)
	if err := l.valid.Next(bits, off, sum); err != nil {
		return err
	}
	if e.Count = bitpack.CountBits(bits, off, sum); e.Count < sum {
		e.Present, e.Off = bits, off
	}
	l.n += sum
	l.count += e.Count
	return l.values.read(e)
}

func (l *lists) skip(n int) error {
	for n > 0 {
		k := min(n, 1<<16)
		_, sum, err := l.next(k)
		if err != nil {
			return err
		}
		set, err := l.valid.Skip(sum)
		if err != nil {
			return err
		}
		if err := l.values.skip(set); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func (l *lists) left() int { return max(l.values.left(), l.valid.Left()) }

// fit looks ahead at the lengths: a copy of what decodes them does not move it.
func (l *lists) fit(n int, bytes int64) int {
	n = fitWidth(n, bytes, 4)
	ahead := l.lengths
	l.scratch = grow(l.scratch, n+bitpack.DstSlack/2)
	lengths := l.scratch[:n]
	if err := ahead.Next(lengths); err != nil {
		return n // reading them says why
	}
	sum := 0
	for _, k := range lengths {
		sum += int(k)
	}
	if sum == 0 {
		return n
	}
	most := l.values.fit(sum, bytes)
	if most >= sum {
		return n
	}
	for i, k := range lengths {
		if most -= int(k); most < 0 {
			return i
		}
	}
	return n
}

func (l *lists) take() parts {
	l.begin()
	p := l.values.take()
	var validity *memory.Buffer
	if l.count < l.n {
		validity = l.validity.Take()
	} else {
		l.validity.Release()
	}
	child := array.NewData(l.elem, l.n, append([]*memory.Buffer{validity}, p.buffers...), nil, l.n-l.count, 0)
	for _, b := range append(p.buffers, validity) {
		if b != nil {
			b.Release()
		}
	}
	l.n, l.count = 0, 0
	return parts{buffers: []*memory.Buffer{l.offsets.Take()}, children: []arrow.ArrayData{child}}
}

func (l *lists) release() {
	l.offsets.Release()
	l.validity.Release()
	l.values.release()
	l.n, l.count = 0, 0
}
