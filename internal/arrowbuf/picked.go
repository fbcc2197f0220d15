package arrowbuf

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Picked is some of the rows of a record, or of an array. The zero value is none of no rows.
type Picked struct {
	marks  bitpack.Marks
	rows   int // of the record
	n      int
	count  int // runs
	runs   [][2]int64
	listed bool // in runs
}

// SetMask picks the rows that are true in mask.
func (p *Picked) SetMask(mask *array.Boolean) {
	off, n := mask.Offset(), mask.Len()
	p.marks = bitpack.AppendMarks(p.marks[:0], mask.Data().Buffers()[1].Bytes(), off, n)
	if valid := mask.NullBitmapBytes(); len(valid) > 0 {
		for i, w := range bitpack.AppendMarks(nil, valid, off, n) {
			p.marks[i] &= w
		}
	}
	p.set(n)
}

// SetPart picks, of n rows, those that are marked in m, from slot off on.
func (p *Picked) SetPart(m bitpack.Marks, off, n int) {
	p.marks = bitpack.AppendPart(p.marks[:0], m, off, n)
	p.set(n)
}

// SetBits picks, of n rows, those whose bits are set in b from bit off on, Arrow bit order.
func (p *Picked) SetBits(b []byte, off, n int) {
	p.marks = bitpack.AppendMarks(p.marks[:0], b, off, n)
	p.set(n)
}

func (p *Picked) set(rows int) {
	p.rows, p.n, p.count, p.listed = rows, p.marks.Count(), p.marks.Runs(), false
}

// Len returns how many rows are picked.
func (p *Picked) Len() int { return p.n }

// Marks returns the marks of the rows, which are valid until p changes.
func (p *Picked) Marks() bitpack.Marks { return p.marks }

// all reports whether all rows are picked, and there are some.
func (p *Picked) all() bool { return p.n > 0 && p.n == p.rows }

// Scattered reports whether there are so many runs of rows that AppendPicked goes by marks.
func (p *Picked) Scattered() bool { return !p.all() && Marked(p.rows, p.count) }

// Runs returns the runs of rows, which are valid until p changes.
func (p *Picked) Runs() [][2]int64 {
	if !p.listed {
		p.runs, p.listed = p.runs[:0], true
		for from, to := p.marks.NextRun(0); from < to; from, to = p.marks.NextRun(to) {
			p.runs = append(p.runs, [2]int64{int64(from), int64(to)})
		}
	}
	return p.runs
}

// AppendPicked adds the rows of arr that are picked: those of as many as p was set for, from the first on.
func (a *Appender) AppendPicked(arr arrow.Array, p *Picked) error {
	if !p.Scattered() {
		return a.AppendRuns(arr, p.Runs())
	}
	if err := a.admit(arr); err != nil {
		return err
	}
	if p.rows > arr.Len() {
		return fmt.Errorf("%d rows picked of an array of %d", p.rows, arr.Len())
	}
	if err := a.copyHeld(); err != nil {
		return err
	}
	if err := appendPicked(a.root, arr.Data(), 0, p); err != nil {
		return err
	}
	a.rows += p.n
	return nil
}

// pickedNode is a rowNode to which scattered rows cost less as marks than as runs.
type pickedNode interface {
	// appendPicked adds the rows that are picked of those of d from first on.
	appendPicked(d arrow.ArrayData, first int, p *Picked) error
}

func appendPicked(node rowNode, d arrow.ArrayData, first int, p *Picked) error {
	if k, ok := node.(pickedNode); ok {
		return k.appendPicked(d, first, p)
	}
	var shifted [][2]int64
	return node.append(d, shiftRuns(&shifted, p.Runs(), first), p.n)
}

// appendPickedValidity is appendValidity for the rows that are picked.
func (b *rowBase) appendPickedValidity(d arrow.ArrayData, first int, p *Picked) {
	dst, have, src := b.moreValidity(d, p.n)
	if src == nil {
		return
	}
	bitpack.PickBits(dst, have, src, d.Offset()+first, p.rows, p.marks)
	endBits(dst, b.rows)
	b.nulls += p.n - bitpack.CountBits(dst, have, p.n)
}

// endBits makes the bits of the byte of bit n behind it, with the bit, 0.
func endBits(b []byte, n int) {
	if r := n & 7; r != 0 {
		b[n>>3] &= 1<<r - 1
	}
}

func (c *nullRows) appendPicked(_ arrow.ArrayData, _ int, p *Picked) error {
	c.rows += p.n
	return nil
}

func (c *boolRows) appendPicked(d arrow.ArrayData, first int, p *Picked) error {
	have := c.rows
	c.appendPickedValidity(d, first, p)
	c.values.extend(c.mem, (c.rows+7)/8-c.values.n)
	dst := c.values.bytes()
	bitpack.PickBits(dst, have, d.Buffers()[1].Bytes(), d.Offset()+first, p.rows, p.marks)
	endBits(dst, c.rows)
	return nil
}

func (c *fixedRows) appendPicked(d arrow.ArrayData, first int, p *Picked) error {
	w := c.width
	switch w {
	case 1, 2, 4, 8, 16:
	default:
		return c.append(d, shiftRuns(&c.runs, p.Runs(), first), p.n)
	}
	c.appendPickedValidity(d, first, p)
	dst := c.values.extend(c.mem, p.n*w)
	src := d.Buffers()[1].Bytes()[(d.Offset()+first)*w:][:p.rows*w]
	switch w {
	case 16:
		gather[decimal128.Num](dst, src, p)
	case 8:
		gather[uint64](dst, src, p)
	case 4:
		gather[uint32](dst, src, p)
	case 2:
		gather[uint16](dst, src, p)
	case 1:
		bitpack.Pick(dst, src, p.marks)
	}
	return nil
}

func gather[T uint16 | uint32 | uint64 | decimal128.Num](dst, src []byte, p *Picked) {
	bitpack.Pick(arrow.GetData[T](dst), arrow.GetData[T](src), p.marks)
}

// textRun is how many rows runs have, on average, at least, where texts take less time run by run than each by itself.
const textRun = 24

func (c *binaryRows[O]) appendPicked(d arrow.ArrayData, first int, p *Picked) error {
	src, short := any(offsetsOf[O](d)[first:]).([]int32)
	if !short || p.n >= textRun*p.count {
		return c.append(d, shiftRuns(&c.runs, p.Runs(), first), p.n)
	}
	ends := any(c.offsets.extend(c.mem, p.n)).([]int32)
	c.starts = slices.Grow(c.starts[:0], p.n)[:p.n]
	bitpack.Pick(c.starts, src[:p.rows], p.marks)
	bitpack.Pick(ends, src[1:1+p.rows], p.marks)
	total := int64(0)
	for i, from := range c.starts {
		total += int64(ends[i]) - int64(from)
	}
	if total > maxOffset[O]()-int64(c.offsets.last) {
		return ErrOverflow
	}
	c.appendPickedValidity(d, first, p)
	if total == 0 {
		for i := range ends {
			ends[i] = int32(c.offsets.last)
		}
		return nil
	}
	bitpack.PickTexts(c.data.extend(c.mem, int(total)), 0, d.Buffers()[2].Bytes(), c.starts, ends, int(c.offsets.last))
	c.offsets.last += O(total)
	return nil
}

func (c *structRows) appendPicked(d arrow.ArrayData, first int, p *Picked) error {
	c.appendPickedValidity(d, first, p)
	for i, k := range c.children {
		if err := appendPicked(k, d.Children()[i], d.Offset()+first, p); err != nil {
			return err
		}
	}
	return nil
}
