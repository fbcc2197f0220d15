package arrowbuf

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// dictRows: indices, and the dictionary of the first input for as long as all inputs have the same. When another one
// comes, the entries that its rows use and that are not there yet are added behind the first one's. I is the unsigned
// type of the index type's width: indices are never negative.
type dictRows[I uint8 | uint16 | uint32 | uint64] struct {
	rowBase
	valueType arrow.DataType
	width     int
	max       uint64 // largest index
	indices   rowBuffer

	first arrow.ArrayData // dictionary of the first rows
	last  arrow.ArrayData // dictionary of the last rows, where it is another one
	moved []int64         // last's entries in the result, -1 = not there yet; nil = the same as first

	values  rowNode          // first and what was added, once something has to be looked up
	known   map[string]int64 // entry by key
	entries int64            // in values
	key     []byte
}

func newDictRows(b rowBase, t *arrow.DictionaryType) rowNode {
	switch t.IndexType.ID() {
	case arrow.INT8:
		return &dictRows[uint8]{rowBase: b, valueType: t.ValueType, width: 1, max: math.MaxInt8}
	case arrow.UINT8:
		return &dictRows[uint8]{rowBase: b, valueType: t.ValueType, width: 1, max: math.MaxUint8}
	case arrow.INT16:
		return &dictRows[uint16]{rowBase: b, valueType: t.ValueType, width: 2, max: math.MaxInt16}
	case arrow.UINT16:
		return &dictRows[uint16]{rowBase: b, valueType: t.ValueType, width: 2, max: math.MaxUint16}
	case arrow.INT32:
		return &dictRows[uint32]{rowBase: b, valueType: t.ValueType, width: 4, max: math.MaxInt32}
	case arrow.UINT32:
		return &dictRows[uint32]{rowBase: b, valueType: t.ValueType, width: 4, max: math.MaxUint32}
	case arrow.INT64, arrow.UINT64:
		return &dictRows[uint64]{rowBase: b, valueType: t.ValueType, width: 8, max: math.MaxInt64}
	}
	return &unknownRows{b}
}

func (c *dictRows[I]) reserve(n int) { c.indices.reserve(c.mem, n*c.width) }

func (c *dictRows[I]) append(d arrow.ArrayData, runs [][2]int64, n int) error {
	have := c.rows
	c.appendValidity(d, runs, n)
	dst := arrow.GetData[I](c.indices.extend(c.mem, n*c.width))
	src := arrow.GetData[I](d.Buffers()[1].Bytes())[d.Offset():]
	if err := c.use(d.Dictionary()); err != nil {
		return err
	}
	if c.moved == nil {
		for _, r := range runs {
			dst = dst[copy(dst, src[r[0]:r[1]]):]
		}
		return nil
	}
	valid := c.valid.bytes()
	i := 0
	for _, r := range runs {
		for _, x := range src[r[0]:r[1]] {
			if valid != nil && bitutil.BitIsNotSet(valid, have+i) {
				dst[i] = 0
				i++
				continue
			}
			if uint64(x) >= uint64(len(c.moved)) {
				return fmt.Errorf("index %d into a dictionary of %d", x, len(c.moved))
			}
			to := c.moved[x]
			if to < 0 {
				var err error
				if to, err = c.find(int(x)); err != nil {
					return err
				}
			}
			dst[i] = I(to)
			i++
		}
	}
	return nil
}

func (c *dictRows[I]) adopt(d arrow.ArrayData) error { return c.use(d.Dictionary()) }

// use makes dict the one that indices refer to.
func (c *dictRows[I]) use(dict arrow.ArrayData) error {
	switch {
	case c.first == nil:
		dict.Retain()
		c.first = dict
		return nil
	case sameData(dict, c.first):
		c.forget()
		return nil
	case c.last != nil && sameData(dict, c.last):
		return nil
	}
	if c.known == nil {
		c.values = newRowNode(c.valueType, c.mem)
		n := c.first.Len()
		if n > 0 {
			all := [1][2]int64{{0, int64(n)}}
			if err := c.values.append(c.first, all[:], n); err != nil {
				return err
			}
		}
		c.known = make(map[string]int64, n)
		for i := range n {
			c.key = appendKey(c.key[:0], c.first, i)
			if _, dup := c.known[string(c.key)]; !dup {
				c.known[string(c.key)] = int64(i)
			}
		}
		c.entries = int64(n)
	}
	c.forget()
	dict.Retain()
	c.last = dict
	c.moved = make([]int64, dict.Len())
	for i := range c.moved {
		c.moved[i] = -1
	}
	return nil
}

// find looks entry x of the last dictionary up in the result and adds it where it is new.
func (c *dictRows[I]) find(x int) (int64, error) {
	c.key = appendKey(c.key[:0], c.last, x)
	to, ok := c.known[string(c.key)]
	if !ok {
		to = c.entries
		if uint64(to) > c.max {
			return 0, ErrOverflow
		}
		one := [1][2]int64{{int64(x), int64(x) + 1}}
		if err := c.values.append(c.last, one[:], 1); err != nil {
			return 0, err
		}
		c.entries++
		c.known[string(c.key)] = to
	}
	c.moved[x] = to
	return to, nil
}

func (c *dictRows[I]) forget() {
	if c.last != nil {
		c.last.Release()
	}
	c.last, c.moved = nil, nil
}

func (c *dictRows[I]) take() *array.Data {
	var dict arrow.ArrayData
	switch {
	case c.known != nil:
		dict = c.values.take()
	case c.first != nil:
		dict = c.first
		dict.Retain()
	default: // no rows: arrow wants a dictionary all the same
		values := newRowNode(c.valueType, c.mem)
		dict = values.take()
	}
	d := c.takeData(nil, c.indices.take(c.mem))
	d.SetDictionary(dict)
	dict.Release()
	c.reset()
	return d
}

func (c *dictRows[I]) reset() {
	c.forget()
	if c.first != nil {
		c.first.Release()
	}
	if c.values != nil {
		c.values.release()
	}
	c.first, c.values, c.known, c.entries = nil, nil, nil, 0
}

func (c *dictRows[I]) release() {
	c.releaseBase()
	c.indices.release()
	c.reset()
}

// sameData reports whether a and b are alike byte by byte. False says nothing.
func sameData(a, b arrow.ArrayData) bool {
	if a == b {
		return true
	}
	if a.Len() != b.Len() || a.Offset() != b.Offset() || len(a.Buffers()) != len(b.Buffers()) || len(a.Children()) != len(b.Children()) {
		return false
	}
	for i, x := range a.Buffers() {
		if y := b.Buffers()[i]; x != y && !sameBytes(x, y) {
			return false
		}
	}
	for i, x := range a.Children() {
		if !sameData(x, b.Children()[i]) {
			return false
		}
	}
	x, y := dictionaryOf(a), dictionaryOf(b)
	return x == nil && y == nil || x != nil && y != nil && sameData(x, y)
}

func sameBytes(a, b *memory.Buffer) bool {
	return a != nil && b != nil && bytes.Equal(a.Bytes(), b.Bytes())
}

// dictionaryOf returns d's dictionary, or a nil that can be compared.
func dictionaryOf(d arrow.ArrayData) arrow.ArrayData {
	if x, ok := d.Dictionary().(*array.Data); ok && x != nil {
		return x
	}
	return nil
}
