package orc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// newContent chooses by type what decodes a type of the file into the wanted Arrow type.
func (n *node) newContent(pf arrowio.ProjectedField) content {
	mem := &n.branch.arena
	switch k := n.typ.Kind; k {
	case orcwire.Boolean:
		c := &bools{node: n, out: arrowbuf.NewBits(mem)}
		n.uses(&c.data, numbersOfBits)
		return c
	case orcwire.Byte:
		c := &tinyInts{node: n, out: arrowbuf.NewVec[int8](mem)}
		n.uses(&c.data, numbersOfRuns)
		return c
	case orcwire.Short:
		return newInts[int16](n)
	case orcwire.Int:
		return newInts[int32](n)
	case orcwire.Long:
		return newInts[int64](n)
	case orcwire.Date:
		return newDates(n)
	case orcwire.Float:
		return newFloats[uint32](n, 4)
	case orcwire.Double:
		return newFloats[uint64](n, 8)
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return newTimestamps(n)
	case orcwire.Decimal:
		return newDecimals(n)
	case orcwire.Struct:
		return newStruct(n, pf)
	case orcwire.List:
		return newList(n, pf)
	case orcwire.Map:
		return newMap(n, pf)
	case orcwire.Union:
		return newUnion(n)
	default: // string, varchar, char, binary, geometry, geography: the schema has refused other kinds
		return newStrings(n)
	}
}

// direct returns whether integers are coded by the second version, or an error where the encoding is not for them.
func (n *node) direct(s *stripe) (v2 bool, err error) {
	switch e := s.encoding(n.typ.ID).Kind; e {
	case orcwire.Direct:
		return false, nil
	case orcwire.DirectV2:
		return true, nil
	default:
		return false, errs.Errorf(errs.ErrCorrupt, "encoding %v for a column of type %s", e, n.typ)
	}
}

// ints decodes integers, and dates, which are days.
type ints[T int16 | int32 | int64] struct {
	node *node
	data input
	runs orcwire.Ints[T]
	out  arrowbuf.Vec[T]
	each func([]T) // nil, or what is done to the values
}

func newInts[T int16 | int32 | int64](n *node) *ints[T] {
	c := &ints[T]{node: n, out: arrowbuf.NewVec[T](&n.branch.arena)}
	n.uses(&c.data, numbersOfRuns)
	return c
}

// newDates decodes days since 1970-01-01; those of the hybrid calendar keep their year, month and day.
func newDates(n *node) *ints[int32] {
	c := newInts[int32](n)
	if n.tree.file.hybrid {
		c.each = orcwire.HybridDays
	}
	return c
}

func (c *ints[T]) open(s *stripe) error {
	v2, err := c.node.direct(s)
	c.data.open(c.node.branch, s, c.node.typ.ID, orcwire.Data)
	c.runs.Open(&c.data.Bytes, v2, true)
	return err
}

func (c *ints[T]) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }

func (c *ints[T]) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.runs.Place()) }

func (c *ints[T]) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(int64(s.N) * int64(c.node.field.Type.(arrow.FixedWidthDataType).BitWidth()) / 8); err != nil {
		return err
	}
	dst := c.out.Grow(s.N)
	stored := dst[s.N-s.Count:]
	if err := c.runs.Next(stored); err != nil {
		return c.data.fail(err)
	}
	if c.each != nil {
		c.each(stored)
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (c *ints[T]) skip(n int64) error            { return c.data.fail(skipAll(n, c.runs.Skip)) }
func (c *ints[T]) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *ints[T]) release()                      { c.out.Release() }

// skipAll passes over any number of values, as many at a time as an int can count on every machine.
func skipAll(n int64, skip func(n int) error) error {
	for n > 0 {
		k := min(n, 1<<30)
		if err := skip(int(k)); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// tinyInts decodes tinyint: bytes in runs.
type tinyInts struct {
	node *node
	data input
	runs orcwire.ByteRuns[int8]
	out  arrowbuf.Vec[int8]
}

func (c *tinyInts) open(s *stripe) error {
	_, err := c.node.direct(s)
	c.data.open(c.node.branch, s, c.node.typ.ID, orcwire.Data)
	c.runs.Open(&c.data.Bytes)
	return err
}

func (c *tinyInts) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }

func (c *tinyInts) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.runs.Place()) }

func (c *tinyInts) read(s arrowbuf.Slots) error {
	dst := c.out.Grow(s.N)
	if err := c.runs.Next(dst[s.N-s.Count:]); err != nil {
		return c.data.fail(err)
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (c *tinyInts) skip(n int64) error            { return c.data.fail(skipAll(n, c.runs.Skip)) }
func (c *tinyInts) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *tinyInts) release()                      { c.out.Release() }

// bools decodes booleans: bits in runs of bytes.
type bools struct {
	node  *node
	data  input
	runs  orcwire.Bools
	out   arrowbuf.Bits
	dense []byte
}

func (c *bools) open(s *stripe) error {
	_, err := c.node.direct(s)
	c.data.open(c.node.branch, s, c.node.typ.ID, orcwire.Data)
	c.runs.Open(&c.data.Bytes)
	return err
}

func (c *bools) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }

func (c *bools) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.runs.Place()) }

func (c *bools) read(s arrowbuf.Slots) error {
	dst, at := c.out.Grow(s.N)
	if s.Present == nil {
		return c.data.fail(c.runs.Next(dst, at, s.N))
	}
	c.dense = grow(c.dense, (s.Count+7)>>3)
	if err := c.runs.Next(c.dense, 0, s.Count); err != nil {
		return c.data.fail(err)
	}
	bitpack.SpreadBits(dst, at, c.dense, 0, s.Present, s.Off, s.N)
	return nil
}

func (c *bools) skip(n int64) error {
	return c.data.fail(skipAll(n, func(n int) error {
		_, err := c.runs.Skip(n)
		return err
	}))
}

func (c *bools) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *bools) release()                      { c.out.Release() }

// floats copies IEEE values, little-endian as Arrow has them. Their bits are kept.
type floats[T uint32 | uint64] struct {
	node  *node
	data  input
	out   arrowbuf.Vec[T]
	width int64
}

func newFloats[T uint32 | uint64](n *node, width int64) *floats[T] {
	c := &floats[T]{node: n, width: width, out: arrowbuf.NewVec[T](&n.branch.arena)}
	n.uses(&c.data, numbersOfBytes)
	return c
}

func (c *floats[T]) open(s *stripe) error {
	_, err := c.node.direct(s)
	c.data.open(c.node.branch, s, c.node.typ.ID, orcwire.Data)
	return err
}

func (c *floats[T]) seek(p *orcwire.Positions) error { return c.data.Seek(p) }

func (c *floats[T]) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.data.Place()) }

func (c *floats[T]) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(int64(s.N) * c.width); err != nil {
		return err
	}
	dst := c.out.Grow(s.N)
	if err := c.data.Take(arrowbuf.AsBytes(dst[s.N-s.Count:])); err != nil {
		return c.data.fail(err)
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (c *floats[T]) skip(n int64) error { return c.data.fail(c.data.Discard(n * c.width)) }

func (c *floats[T]) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *floats[T]) release()                      { c.out.Release() }
