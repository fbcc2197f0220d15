package arrowbuf

import (
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// runEndRows: ends of runs, and one value a run. T is the type of the ends.
type runEndRows[T int16 | int32 | int64] struct {
	rowBase
	endType arrow.DataType
	size    int
	runEnds rowBuffer
	values  rowNode
	runs    [][2]int64
}

func newRunEndRows(b rowBase, t *arrow.RunEndEncodedType) rowNode {
	values := newRowNode(t.Encoded(), b.mem)
	switch t.RunEnds().ID() {
	case arrow.INT16:
		return &runEndRows[int16]{rowBase: b, endType: t.RunEnds(), size: 2, values: values}
	case arrow.INT32:
		return &runEndRows[int32]{rowBase: b, endType: t.RunEnds(), size: 4, values: values}
	case arrow.INT64:
		return &runEndRows[int64]{rowBase: b, endType: t.RunEnds(), size: 8, values: values}
	}
	return &unknownRows{b}
}

func (c *runEndRows[T]) reserve(int) {}

func (c *runEndRows[T]) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	if int64(T(c.rows+n)) != int64(c.rows+n) {
		return ErrOverflow
	}
	src := arrow.GetValues[T](d.Children()[0], 1)
	c.runs = c.runs[:0]
	at, total, last := int64(c.rows), 0, int64(-1)
	for _, r := range runs {
		if r[0] == r[1] {
			continue
		}
		lo, hi := r[0]+int64(d.Offset()), r[1]+int64(d.Offset())
		first := sort.Search(len(src), func(i int) bool { return int64(src[i]) > lo })
		end := first + sort.Search(len(src)-first, func(i int) bool { return int64(src[first+i]) >= hi }) + 1
		from := first
		if int64(first) == last { // the row before came from the same run: that run grows
			ends := arrow.GetData[T](c.runEnds.bytes())
			ends[len(ends)-1] = T(at + min(int64(src[first]), hi) - lo)
			from++
		}
		dst := arrow.GetData[T](c.runEnds.extend(c.mem, (end-from)*c.size))
		for i, e := range src[from:end] {
			dst[i] = T(at + min(int64(e), hi) - lo)
		}
		c.runs = addRun(c.runs, int64(from), int64(end))
		total += end - from
		last = int64(end - 1)
		at += hi - lo
	}
	c.rows += n
	return c.values.append(d.Children()[1], c.runs, total)
}

func (c *runEndRows[T]) adopt(d arrow.ArrayData) error { return c.values.adopt(d.Children()[1]) }

func (c *runEndRows[T]) take() *array.Data {
	buf := c.runEnds.take(c.mem)
	ends := array.NewData(c.endType, buf.Len()/c.size, []*memory.Buffer{nil, buf}, nil, 0, 0)
	buf.Release()
	return c.takeData([]arrow.ArrayData{ends, c.values.take()})
}

func (c *runEndRows[T]) release() {
	c.releaseBase()
	c.runEnds.release()
	c.values.release()
}
