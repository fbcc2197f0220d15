package arrowbuf

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// nullRows: rows without anything.
type nullRows struct{ rowBase }

func (c *nullRows) reserve(int) {}

func (c *nullRows) append(_ arrow.ArrayData, _ [][2]int64, n int) error {
	c.rows += n
	return nil
}

func (c *nullRows) take() *array.Data {
	n := c.rows
	d := c.takeData(nil)
	d.SetNullN(n)
	return d
}

func (c *nullRows) release() { c.releaseBase() }

// boolRows: one bit a row.
type boolRows struct {
	rowBase
	values rowBuffer
}

func (c *boolRows) reserve(n int) { c.values.reserve(c.mem, n/8+1) }

func (c *boolRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	have := c.rows
	c.appendValidity(d, runs, n)
	c.values.extend(c.mem, (c.rows+7)/8-c.values.n)
	appendBitRuns(c.values.bytes(), have, d.Buffers()[1].Bytes(), d.Offset(), runs)
	return nil
}

func (c *boolRows) take() *array.Data { return c.takeData(nil, c.values.take(c.mem)) }

func (c *boolRows) release() {
	c.releaseBase()
	c.values.release()
}

// fixedRows: width bytes a row.
type fixedRows struct {
	rowBase
	width  int
	values rowBuffer
	runs   [][2]int64 // scratch
}

func (c *fixedRows) reserve(n int) { c.values.reserve(c.mem, n*c.width) }

func (c *fixedRows) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	c.appendValidity(d, runs, n)
	if c.width == 0 {
		return nil
	}
	w := c.width
	dst := c.values.extend(c.mem, n*w)
	src := d.Buffers()[1].Bytes()[d.Offset()*w:]
	switch w {
	case 16:
		copyRuns(arrow.GetData[decimal128.Num](dst), arrow.GetData[decimal128.Num](src), runs)
	case 8:
		copyRuns(arrow.GetData[uint64](dst), arrow.GetData[uint64](src), runs)
	case 4:
		copyRuns(arrow.GetData[uint32](dst), arrow.GetData[uint32](src), runs)
	case 2:
		copyRuns(arrow.GetData[uint16](dst), arrow.GetData[uint16](src), runs)
	case 1:
		copyRuns(dst, src, runs)
	default:
		for _, r := range runs {
			dst = dst[copy(dst, src[int(r[0])*w:int(r[1])*w]):]
		}
	}
	return nil
}

// copyRuns copies runs of src together.
func copyRuns[T uint8 | uint16 | uint32 | uint64 | decimal128.Num](dst, src []T, runs [][2]int64) {
	for _, r := range runs {
		s := src[r[0]:]
		k := int(r[1] - r[0])
		if k <= shortRun && len(s) >= shortRun && len(dst) >= shortRun {
			*(*[shortRun]T)(dst) = *(*[shortRun]T)(s) // what is too much is written over
		} else {
			copy(dst, s[:k])
		}
		dst = dst[k:]
	}
}

func (c *fixedRows) take() *array.Data { return c.takeData(nil, c.values.take(c.mem)) }

func (c *fixedRows) release() {
	c.releaseBase()
	c.values.release()
}

// unknownRows stands for a type that this module has never heard of.
type unknownRows struct{ rowBase }

func (c *unknownRows) reserve(int) {}

func (c *unknownRows) append(arrow.ArrayData, [][2]int64, int) error {
	return fmt.Errorf("rows of type %s cannot be copied", c.dt)
}

func (c *unknownRows) take() *array.Data { return array.NewData(arrow.Null, 0, nil, nil, 0, 0) }

func (c *unknownRows) release() {}
