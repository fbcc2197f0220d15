package arrowbuf

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// maxOffset returns the largest offset of its type.
func maxOffset[O int32 | int64]() int64 {
	if _, is32 := any(O(0)).(int32); is32 {
		return math.MaxInt32
	}
	return math.MaxInt64
}

// rowOffsets is an offsets buffer: n+1 offsets for n rows, from 0 on.
type rowOffsets[O int32 | int64] struct {
	buf  rowBuffer
	last O
}

func (o *rowOffsets[O]) size() int {
	if maxOffset[O]() == math.MaxInt32 {
		return 4
	}
	return 8
}

func (o *rowOffsets[O]) reserve(mem memory.Allocator, n int) { o.buf.reserve(mem, (n+1)*o.size()) }

// extend adds n offsets and returns them, of undefined content.
func (o *rowOffsets[O]) extend(mem memory.Allocator, n int) []O {
	if o.buf.n == 0 {
		clear(o.buf.extend(mem, o.size()))
	}
	return arrow.GetData[O](o.buf.extend(mem, n*o.size()))
}

// room adds n offsets for the rows of runs, and reports how many elements these have, of which src has the offsets. What is added is
// written by append.
func (o *rowOffsets[O]) room(mem memory.Allocator, src []O, runs [][2]int64, n int) ([]O, int64, error) {
	var total int64
	for _, r := range runs {
		total += int64(src[r[1]] - src[r[0]])
	}
	if total > maxOffset[O]()-int64(o.last) {
		return nil, 0, ErrOverflow
	}
	return o.extend(mem, n), total, nil
}

// append adds the lengths that runs of src have, and reports how many elements that is.
func (o *rowOffsets[O]) append(mem memory.Allocator, src []O, runs [][2]int64, n int) (int64, error) {
	dst, total, err := o.room(mem, src, runs, n)
	if err != nil {
		return 0, err
	}
	last := o.last
	for _, r := range runs {
		k := int(r[1] - r[0])
		if k == 0 {
			continue
		}
		shiftOffsets(dst, src[r[0]+1:], k, last-src[r[0]])
		last = dst[k-1]
		dst = dst[k:]
	}
	o.last = last
	return total, nil
}

// shiftOffsets writes the first k offsets of src, moved by delta, to dst.
func shiftOffsets[O int32 | int64](dst, src []O, k int, delta O) {
	if k <= shortRun && len(src) >= shortRun && len(dst) >= shortRun {
		d, s := (*[shortRun]O)(dst), (*[shortRun]O)(src)
		d[0], d[1], d[2], d[3] = s[0]+delta, s[1]+delta, s[2]+delta, s[3]+delta // what is too much is written over
		return
	}
	d := dst[:k]
	for i, x := range src[:k] {
		d[i] = x + delta
	}
}

func (o *rowOffsets[O]) take(mem memory.Allocator) *memory.Buffer {
	o.extend(mem, 0) // an array without rows has one offset
	o.last = 0
	return o.buf.take(mem)
}

func (o *rowOffsets[O]) release() {
	o.last = 0
	o.buf.release()
}

// binaryRows: strings and bytes behind offsets.
type binaryRows[O int32 | int64] struct {
	rowBase
	offsets rowOffsets[O]
	data    rowBuffer
	starts  []int32    // scratch
	runs    [][2]int64 // scratch
}

func (c *binaryRows[O]) reserve(n int) { c.offsets.reserve(c.mem, n) }

func (c *binaryRows[O]) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	src := offsetsOf[O](d)
	ends, total, err := c.offsets.room(c.mem, src, runs, n)
	if err != nil {
		return err
	}
	c.appendValidity(d, runs, n)
	var dst, bytes []byte
	if total > 0 {
		dst, bytes = c.data.extend(c.mem, int(total)), d.Buffers()[2].Bytes()
	}
	at := c.offsets.last
	for _, r := range runs {
		from, k := src[r[0]], int(r[1]-r[0])
		size := int(src[r[1]] - from)
		shiftOffsets(ends, src[r[0]+1:], k, at-from)
		if size > 0 && size <= longText && len(dst) >= longText && len(bytes)-int(from) >= longText {
			for i := 0; i < size; i += shortText { // what is too much is written over
				move64(dst[i:], bytes[int(from)+i:])
			}
		} else if size > 0 {
			copy(dst[:size], bytes[from:])
		}
		at, ends, dst = at+O(size), ends[k:], dst[size:]
	}
	c.offsets.last = at
	return nil
}

func (c *binaryRows[O]) take() *array.Data {
	return c.takeData(nil, c.offsets.take(c.mem), c.data.take(c.mem))
}

func (c *binaryRows[O]) release() {
	c.releaseBase()
	c.offsets.release()
	c.data.release()
}

// viewRows: headers of 16 bytes; values too long for a header are copied together, so that the result pins none of the
// data buffers of its inputs.
type viewRows struct {
	rowBase
	headers rowBuffer
	data    rowBuffer
	full    []*memory.Buffer // data buffers as long as an int32 offset allows
}

func (c *viewRows) reserve(n int) { c.headers.reserve(c.mem, n*arrow.ViewHeaderSizeBytes) }

func (c *viewRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	have := c.rows
	c.appendValidity(d, runs, n)
	dst := arrow.GetData[arrow.ViewHeader](c.headers.extend(c.mem, n*arrow.ViewHeaderSizeBytes))
	src := arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())[d.Offset():]
	buffers := d.Buffers()[2:]
	valid := c.valid.bytes()
	i := 0
	for _, r := range runs {
		for _, h := range src[r[0]:r[1]] {
			switch {
			case valid != nil && bitutil.BitIsNotSet(valid, have+i):
				h = arrow.ViewHeader{}
			case !h.IsInline():
				o := int(h.BufferOffset())
				h.SetIndexOffset(c.add(buffers[h.BufferIndex()].Bytes()[o : o+h.Len()]))
			}
			dst[i] = h
			i++
		}
	}
	return nil
}

// add copies one value and returns where it is.
func (c *viewRows) add(v []byte) (buffer, offset int32) {
	if c.data.n+len(v) > math.MaxInt32 {
		c.full = append(c.full, c.data.take(c.mem))
	}
	offset = int32(c.data.n)
	copy(c.data.extend(c.mem, len(v)), v)
	return int32(len(c.full)), offset
}

func (c *viewRows) take() *array.Data {
	buffers := append([]*memory.Buffer{c.headers.take(c.mem)}, c.full...)
	if c.data.n > 0 {
		buffers = append(buffers, c.data.take(c.mem))
	}
	c.full = nil
	return c.takeData(nil, buffers...)
}

func (c *viewRows) release() {
	c.releaseBase()
	c.headers.release()
	c.data.release()
	for _, b := range c.full {
		b.Release()
	}
	c.full = nil
}
