package arrowbuf

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// structRows: children of the same length. Null rows have values in the children too.
type structRows struct {
	rowBase
	children []rowNode
	runs     [][2]int64
}

func (c *structRows) reserve(n int) {
	for _, k := range c.children {
		k.reserve(n)
	}
}

func (c *structRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	c.appendValidity(d, runs, n)
	return appendChildren(c.children, d, shiftRuns(&c.runs, runs, d.Offset()), n)
}

func (c *structRows) adopt(d arrow.ArrayData) error { return adoptChildren(c.children, d) }

func (c *structRows) take() *array.Data { return c.takeData(takeAll(c.children)) }

func (c *structRows) release() {
	c.releaseBase()
	releaseAll(c.children)
}

// sparseUnionRows: a type code a row, and children as long as the union.
type sparseUnionRows struct {
	rowBase
	codes    rowBuffer
	children []rowNode
	runs     [][2]int64
}

func (c *sparseUnionRows) reserve(n int) {
	c.codes.reserve(c.mem, n)
	for _, k := range c.children {
		k.reserve(n)
	}
}

func (c *sparseUnionRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	c.rows += n
	dst, src := c.codes.extend(c.mem, n), d.Buffers()[1].Bytes()[d.Offset():]
	for _, r := range runs {
		dst = dst[copy(dst, src[r[0]:r[1]]):]
	}
	return appendChildren(c.children, d, shiftRuns(&c.runs, runs, d.Offset()), n)
}

func (c *sparseUnionRows) adopt(d arrow.ArrayData) error { return adoptChildren(c.children, d) }

func (c *sparseUnionRows) take() *array.Data {
	return c.takeData(takeAll(c.children), c.codes.take(c.mem))
}

func (c *sparseUnionRows) release() {
	c.releaseBase()
	c.codes.release()
	releaseAll(c.children)
}

// denseUnionRows: a type code a row and its place in the child of that code. In the result each child has exactly the
// values of its rows, in row order.
type denseUnionRows struct {
	rowBase
	childIDs []int // by type code
	codes    rowBuffer
	places   rowBuffer // int32
	children []rowNode
	lens     []int32      // of the children
	runs     [][][2]int64 // scratch: runs of each child
}

func newDenseUnionRows(b rowBase, t *arrow.DenseUnionType) *denseUnionRows {
	n := t.NumFields()
	return &denseUnionRows{rowBase: b, childIDs: t.ChildIDs(), children: newRowNodes(t.Fields(), b.mem), lens: make([]int32, n), runs: make([][][2]int64, n)}
}

func (c *denseUnionRows) reserve(n int) {
	c.codes.reserve(c.mem, n)
	c.places.reserve(c.mem, 4*n)
}

func (c *denseUnionRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	if n > math.MaxInt32-c.rows {
		return ErrOverflow
	}
	c.rows += n
	codes := arrow.GetData[int8](d.Buffers()[1].Bytes())[d.Offset():]
	places := arrow.GetData[int32](d.Buffers()[2].Bytes())[d.Offset():]
	dstCodes := arrow.GetData[int8](c.codes.extend(c.mem, n))
	dstPlaces := arrow.GetData[int32](c.places.extend(c.mem, 4*n))
	before := make([]int32, len(c.lens))
	copy(before, c.lens)
	for k := range c.runs {
		c.runs[k] = c.runs[k][:0]
	}
	i := 0
	for _, r := range runs {
		for j := r[0]; j < r[1]; j++ {
			code := codes[j]
			if code < 0 || c.childIDs[code] < 0 || c.childIDs[code] >= len(c.children) {
				return fmt.Errorf("type code %d is not one of %s", code, c.dt)
			}
			k := c.childIDs[code]
			dstCodes[i], dstPlaces[i] = code, c.lens[k]
			c.lens[k]++
			c.runs[k] = addRun(c.runs[k], int64(places[j]), int64(places[j])+1)
			i++
		}
	}
	for k, child := range c.children {
		if m := c.lens[k] - before[k]; m > 0 {
			if err := child.append(d.Children()[k], c.runs[k], int(m)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *denseUnionRows) adopt(d arrow.ArrayData) error { return adoptChildren(c.children, d) }

func (c *denseUnionRows) take() *array.Data {
	clear(c.lens)
	return c.takeData(takeAll(c.children), c.codes.take(c.mem), c.places.take(c.mem))
}

func (c *denseUnionRows) release() {
	c.releaseBase()
	clear(c.lens)
	c.codes.release()
	c.places.release()
	releaseAll(c.children)
}

func appendChildren(children []rowNode, d arrow.ArrayData, runs [][2]int64, n int) error {
	for i, k := range children {
		if err := k.append(d.Children()[i], runs, n); err != nil {
			return err
		}
	}
	return nil
}

func adoptChildren(children []rowNode, d arrow.ArrayData) error {
	for i, k := range children {
		if err := k.adopt(d.Children()[i]); err != nil {
			return err
		}
	}
	return nil
}

func takeAll(children []rowNode) []arrow.ArrayData {
	out := make([]arrow.ArrayData, len(children))
	for i, k := range children {
		out[i] = k.take()
	}
	return out
}

func releaseAll(children []rowNode) {
	for _, k := range children {
		k.release()
	}
}
