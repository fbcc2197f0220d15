package orc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// newContent chooses by type what encodes the values.
func (w *writer) newContent(n *node) content {
	switch n.typ.Kind {
	case orcwire.Boolean:
		c := &bools{leaf: leaf{node: n}}
		c.stats = n.stats.(*boolStats)
		c.begin()
		return c
	case orcwire.Byte:
		c := &tinyInts{leaf: leaf{node: n}}
		c.stats = n.stats.(*intStats)
		c.begin()
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
		return newFloats[float32](n)
	case orcwire.Double:
		return newFloats[float64](n)
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return newTimestamps(n)
	case orcwire.Decimal:
		return newDecimals(n)
	case orcwire.Struct:
		return w.newStruct(n)
	case orcwire.List, orcwire.Map:
		return w.newList(n)
	case orcwire.Union:
		return w.newUnion(n)
	default: // string, varchar, char, binary, geometry, geography
		return newStrings(n)
	}
}

// direct is the encoding of what has no dictionary; version 2 of integers where the file's version has it.
func (d *driver) direct(hasInts bool) orcwire.Encoding {
	if hasInts && !d.opt.V11 {
		return orcwire.Encoding{Kind: orcwire.DirectV2}
	}
	return orcwire.Encoding{Kind: orcwire.Direct}
}

// openInts begins a stream of integers in the encoding that the options ask for.
func openInts[T orcwire.Integer](d *driver, runs *orcwire.IntsOut[T], o *orcwire.Out, signed bool) {
	runs.Tight = d.opt.Tight
	runs.Open(o, !d.opt.V11, signed)
}

// leaf is what contents without children have in common: up to three streams, and the positions of row groups.
type leaf struct {
	node   *node
	outs   [3]orcwire.Out
	kinds  [3]orcwire.StreamKind
	n      int // streams
	flat   []uint64
	groups int
}

// open prepares streams of the given kinds.
func (l *leaf) open(kinds ...orcwire.StreamKind) {
	l.n = copy(l.kinds[:], kinds)
	for i := range kinds {
		l.outs[i].Open(l.packing(i), nil)
	}
}

// packing returns how stream i is stored. Nanoseconds are no numbers that codes of bytes alone suit: of milliseconds and microseconds
// there are few, which come again.
func (l *leaf) packing(i int) orcwire.OutPacking {
	p := l.node.d.packing
	switch l.kinds[i] {
	case orcwire.Length:
		p.Numbers = true
	case orcwire.Data:
		switch l.node.typ.Kind {
		case orcwire.Short, orcwire.Int, orcwire.Long, orcwire.Date, orcwire.Timestamp, orcwire.TimestampInstant, orcwire.Decimal:
			p.Numbers = true
		}
	}
	p.Tries = !p.Numbers
	return p
}

func (l *leaf) streams() []stream {
	out := make([]stream, l.n)
	for i := range out {
		out[i] = stream{l.kinds[i], &l.outs[i]}
	}
	return out
}

func (l *leaf) size() (n int64) {
	for i := range l.n {
		n += l.outs[i].Raw()
	}
	return n
}

func (l *leaf) packed() (n int64) {
	for i := range l.n {
		n += l.outs[i].Size()
	}
	return n
}

func (l *leaf) flush() {
	for i := range l.n {
		l.outs[i].Flush()
	}
}

func (l *leaf) marks() (positions []uint64, each int) {
	each = len(l.flat) / max(1, l.groups)
	for i := 0; i < len(l.flat); i += each {
		orcwire.Settle(l.flat[i:i+each], &l.outs[0], &l.outs[1])
	}
	return l.flat, each
}

func (l *leaf) clear() {
	for i := range l.n {
		l.outs[i].Open(l.packing(i), nil)
	}
	l.flat, l.groups = l.flat[:0], 0
}

func (l *leaf) children() []*node { return nil }

// mismatch says that an array is not of the planned type, which Writer checks before.
func mismatch(n *node, arr arrow.Array) error {
	return errs.Errorf(errs.ErrInternal, "%v for a column of type %s", arr.DataType(), n.typ)
}

// ints encodes smallint, int and bigint.
type ints[T int16 | int32 | int64] struct {
	leaf
	runs    orcwire.IntsOut[T]
	stats   *intStats
	scratch []T
}

func newInts[T int16 | int32 | int64](n *node) *ints[T] {
	c := &ints[T]{leaf: leaf{node: n}}
	c.stats, _ = n.stats.(*intStats)
	c.begin()
	return c
}

func (c *ints[T]) begin() {
	c.open(orcwire.Data)
	openInts(c.node.d, &c.runs, &c.outs[0], true)
}

func (c *ints[T]) write(arr arrow.Array) error {
	v, err := c.values(arr)
	if err != nil {
		return err
	}
	addInts(c.stats, v)
	if b := c.node.bloom; b != nil {
		addBloomInts(b, v)
	}
	c.runs.Put(v)
	return nil
}

// values views or converts an array.
func (c *ints[T]) values(arr arrow.Array) ([]T, error) {
	v, scratch, err := intValues(c.scratch, arr)
	c.scratch = scratch
	if err == nil && v == nil && arr.Len() > 0 {
		err = mismatch(c.node, arr)
	}
	return v, err
}

func (c *ints[T]) mark()                      { c.flat, c.groups = c.runs.Position(c.flat), c.groups+1 }
func (c *ints[T]) finish()                    { c.runs.Flush(); c.flush() }
func (c *ints[T]) encoding() orcwire.Encoding { return c.node.d.direct(true) }
func (c *ints[T]) reset()                     { c.clear(); openInts(c.node.d, &c.runs, &c.outs[0], true) }

// dates encodes days, which are ints with other statistics.
type dates struct {
	ints[int32]
	days *dateStats
}

func newDates(n *node) *dates {
	c := &dates{days: n.stats.(*dateStats)}
	c.leaf.node = n
	c.begin()
	return c
}

func (c *dates) write(arr arrow.Array) error {
	var v []int32
	switch a := arr.(type) {
	case *array.Date32:
		v = view[int32](a.Date32Values())
	case *array.Date64:
		const day = 24 * 60 * 60 * 1000
		c.scratch = grow(c.scratch, a.Len())
		for i, x := range a.Date64Values() {
			d := int64(x) / day
			if int64(x)%day != 0 || d != int64(int32(d)) {
				return errs.Errorf(errs.ErrSchema, "date64 %d ms is no whole day that a date can be", x)
			}
			c.scratch[i] = int32(d)
		}
		v = c.scratch
	default:
		return mismatch(c.node, arr)
	}
	c.days.add(v)
	if b := c.node.bloom; b != nil {
		addBloomInts(b, v)
	}
	c.runs.Put(v)
	return nil
}

// tinyInts encodes tinyint: bytes in runs.
type tinyInts struct {
	leaf
	runs  orcwire.BytesOut[int8]
	stats *intStats
}

func (c *tinyInts) begin() {
	c.open(orcwire.Data)
	c.runs.Open(&c.outs[0])
}

func (c *tinyInts) write(arr arrow.Array) error {
	a, ok := arr.(*array.Int8)
	if !ok {
		return mismatch(c.node, arr)
	}
	addInts(c.stats, a.Int8Values())
	if b := c.node.bloom; b != nil {
		addBloomInts(b, a.Int8Values())
	}
	c.runs.Put(a.Int8Values())
	return nil
}

func (c *tinyInts) mark()                      { c.flat, c.groups = c.runs.Position(c.flat), c.groups+1 }
func (c *tinyInts) finish()                    { c.runs.Flush(); c.flush() }
func (c *tinyInts) encoding() orcwire.Encoding { return c.node.d.direct(false) }
func (c *tinyInts) reset()                     { c.clear(); c.runs.Open(&c.outs[0]) }

// bools encodes bits.
type bools struct {
	leaf
	runs  orcwire.BoolsOut
	stats *boolStats
}

func (c *bools) begin() {
	c.open(orcwire.Data)
	c.runs.Open(&c.outs[0])
}

func (c *bools) write(arr arrow.Array) error {
	switch a := arr.(type) {
	case *array.Null:
		return nil // a column of nothing but nulls
	case *array.Boolean:
		bits, off := a.Data().Buffers()[1], a.Data().Offset()
		if a.Len() == 0 {
			return nil
		}
		c.stats.add(bits.Bytes(), off, a.Len())
		if b := c.node.bloom; b != nil {
			b.addBools(bits.Bytes(), off, a.Len())
		}
		c.runs.Put(bits.Bytes(), off, a.Len())
		return nil
	}
	return mismatch(c.node, arr)
}

func (c *bools) mark()                      { c.flat, c.groups = c.runs.Position(c.flat), c.groups+1 }
func (c *bools) finish()                    { c.runs.Flush(); c.flush() }
func (c *bools) encoding() orcwire.Encoding { return c.node.d.direct(false) }
func (c *bools) reset()                     { c.clear(); c.runs.Open(&c.outs[0]) }

// floats copies IEEE values. Their bits are kept.
type floats[T float32 | float64] struct {
	leaf
	stats   *doubleStats
	scratch []T
}

func newFloats[T float32 | float64](n *node) *floats[T] {
	c := &floats[T]{leaf: leaf{node: n}, stats: n.stats.(*doubleStats)}
	c.open(orcwire.Data)
	return c
}

func (c *floats[T]) write(arr arrow.Array) error {
	var v []T
	switch a := arr.(type) {
	case *array.Float16:
		c.scratch = grow(c.scratch, a.Len())
		halffloat.Widen(c.scratch, a.Values())
		v = c.scratch
	case *array.Float32:
		v = same[T](a.Float32Values())
	case *array.Float64:
		v = same[T](a.Float64Values())
	}
	if v == nil && arr.Len() > 0 {
		return mismatch(c.node, arr)
	}
	addFloats(c.stats, v)
	if b := c.node.bloom; b != nil {
		addBloomFloats(b, v)
	}
	c.outs[0].Write(arrowbuf.AsBytes(v))
	return nil
}

func (c *floats[T]) mark()                      { c.flat, c.groups = c.outs[0].Position(c.flat), c.groups+1 }
func (c *floats[T]) finish()                    { c.flush() }
func (c *floats[T]) encoding() orcwire.Encoding { return c.node.d.direct(false) }
func (c *floats[T]) reset()                     { c.clear() }
