package arrowbuf

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// listRows: list, large_list and map.
type listRows[O int32 | int64] struct {
	rowBase
	offsets rowOffsets[O]
	child   rowNode
	runs    [][2]int64 // scratch: runs of the child
}

func (c *listRows[O]) reserve(n int) { c.offsets.reserve(c.mem, n) }

func (c *listRows[O]) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	src := offsetsOf[O](d)
	total, err := c.offsets.append(c.mem, src, runs, n)
	if err != nil {
		return err
	}
	c.appendValidity(d, runs, n)
	if total == 0 {
		return nil
	}
	c.runs = c.runs[:0]
	for _, r := range runs {
		c.runs = addRun(c.runs, int64(src[r[0]]), int64(src[r[1]]))
	}
	return c.child.append(d.Children()[0], c.runs, int(total))
}

func (c *listRows[O]) adopt(d arrow.ArrayData) error { return c.child.adopt(d.Children()[0]) }

func (c *listRows[O]) take() *array.Data {
	return c.takeData([]arrow.ArrayData{c.child.take()}, c.offsets.take(c.mem))
}

func (c *listRows[O]) release() {
	c.releaseBase()
	c.offsets.release()
	c.child.release()
}

// listViewRows: list_view and large_list_view. Views may lie anywhere in the child and overlap; in the result each has
// elements of its own, in row order.
type listViewRows[O int32 | int64] struct {
	rowBase
	offsets, sizes rowBuffer
	elems          int64 // of the child
	child          rowNode
	runs           [][2]int64
}

func (c *listViewRows[O]) width() int { return (*rowOffsets[O])(nil).size() }

func (c *listViewRows[O]) reserve(n int) {
	c.offsets.reserve(c.mem, n*c.width())
	c.sizes.reserve(c.mem, n*c.width())
}

func (c *listViewRows[O]) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	have := c.rows
	c.appendValidity(d, runs, n)
	valid := c.valid.bytes()
	dstOff := arrow.GetData[O](c.offsets.extend(c.mem, n*c.width()))
	dstSize := arrow.GetData[O](c.sizes.extend(c.mem, n*c.width()))
	srcOff := arrow.GetData[O](d.Buffers()[1].Bytes())[d.Offset():]
	srcSize := arrow.GetData[O](d.Buffers()[2].Bytes())[d.Offset():]
	c.runs = c.runs[:0]
	i, total := 0, int64(0)
	for _, r := range runs {
		for j := r[0]; j < r[1]; j++ {
			size := int64(srcSize[j])
			if valid != nil && bitutil.BitIsNotSet(valid, have+i) {
				size = 0
			}
			if size > maxOffset[O]()-c.elems-total {
				return ErrOverflow
			}
			dstOff[i], dstSize[i] = O(c.elems+total), O(size)
			c.runs = addRun(c.runs, int64(srcOff[j]), int64(srcOff[j])+size)
			total += size
			i++
		}
	}
	c.elems += total
	if total == 0 {
		return nil
	}
	return c.child.append(d.Children()[0], c.runs, int(total))
}

func (c *listViewRows[O]) adopt(d arrow.ArrayData) error { return c.child.adopt(d.Children()[0]) }

func (c *listViewRows[O]) take() *array.Data {
	c.elems = 0
	return c.takeData([]arrow.ArrayData{c.child.take()}, c.offsets.take(c.mem), c.sizes.take(c.mem))
}

func (c *listViewRows[O]) release() {
	c.releaseBase()
	c.elems = 0
	c.offsets.release()
	c.sizes.release()
	c.child.release()
}

// fixedListRows: width elements a row, in null rows too.
type fixedListRows struct {
	rowBase
	width int64
	child rowNode
	runs  [][2]int64
}

func (c *fixedListRows) reserve(n int) { c.child.reserve(n * int(c.width)) }

func (c *fixedListRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	c.appendValidity(d, runs, n)
	if c.width == 0 {
		return nil
	}
	c.runs = c.runs[:0]
	o := int64(d.Offset())
	for _, r := range runs {
		c.runs = addRun(c.runs, (o+r[0])*c.width, (o+r[1])*c.width)
	}
	return c.child.append(d.Children()[0], c.runs, n*int(c.width))
}

func (c *fixedListRows) adopt(d arrow.ArrayData) error { return c.child.adopt(d.Children()[0]) }

func (c *fixedListRows) take() *array.Data {
	return c.takeData([]arrow.ArrayData{c.child.take()})
}

func (c *fixedListRows) release() {
	c.releaseBase()
	c.child.release()
}
