package orc

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/decimaltext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// timestamps encodes seconds since 2015 and nanoseconds.
type timestamps struct {
	leaf
	out   orcwire.TimestampsOut
	stats *timestampStats
}

func newTimestamps(n *node) *timestamps {
	c := &timestamps{leaf: leaf{node: n}, stats: n.stats.(*timestampStats)}
	c.open(orcwire.Data, orcwire.Secondary)
	c.begin()
	return c
}

func (c *timestamps) begin() {
	c.out.Tight = c.node.d.opt.Tight
	c.out.Open(&c.outs[0], &c.outs[1], !c.node.d.opt.V11, timeUnits[c.node.arrow.(*arrow.TimestampType).Unit])
}

var timeUnits = [...]orcwire.TimeUnit{
	arrow.Second: orcwire.Second, arrow.Millisecond: orcwire.Millisecond, arrow.Microsecond: orcwire.Microsecond, arrow.Nanosecond: orcwire.Nanosecond,
}

func (c *timestamps) write(arr arrow.Array) error {
	a, ok := arr.(*array.Timestamp)
	if !ok {
		return mismatch(c.node, arr)
	}
	unit := a.DataType().(*arrow.TimestampType).Unit
	v := view[int64](a.TimestampValues())
	c.stats.add(v, unit)
	if b := c.node.bloom; b != nil {
		addBloomTimestamps(b, v, unit)
	}
	late := c.out.Late
	if err := c.out.Put(v); err != nil {
		return err
	}
	if c.out.Late > late && !c.node.d.opt.Shift {
		return errs.Errorf(errs.ErrSchema, "a time in the last second before 1970, which ORC has no way to store, and Parquet has: %w stores it a second later, as other writers do", errs.Opt("orc-last-second", "shift"))
	}
	return nil
}

func (c *timestamps) mark()                      { c.flat, c.groups = c.out.Position(c.flat), c.groups+1 }
func (c *timestamps) finish()                    { c.out.Flush(); c.flush() }
func (c *timestamps) encoding() orcwire.Encoding { return c.node.d.direct(true) }
func (c *timestamps) reset()                     { c.clear(); c.begin() }

// decimals encodes unscaled values as varints, all of the scale of the type.
type decimals struct {
	leaf
	out     orcwire.DecimalsOut
	stats   *decimalStats
	most    int128 // the greatest value of so many digits
	scratch [][2]uint64
}

func newDecimals(n *node) *decimals {
	c := &decimals{leaf: leaf{node: n}, stats: n.stats.(*decimalStats)}
	c.open(orcwire.Data, orcwire.Secondary)
	precision, _ := n.typ.DecimalType()
	for range precision {
		over, low := bits.Mul64(c.most.low, 10)
		low, carry := bits.Add64(low, 9, 0)
		c.most = int128{10*c.most.high + int64(over+carry), low}
	}
	c.begin()
	return c
}

// fit reports whether no value has more digits than the type.
func (c *decimals) fit(words [][2]uint64) bool {
	most := c.most
	if most.high == 0 && most.low <= math.MaxInt64 { // 18 digits and fewer
		return bitpack.Within(words, most.low)
	}
	low, borrow := bits.Sub64(0, most.low, 0)
	high, _ := bits.Sub64(0, uint64(most.high), borrow)
	least := int128{int64(high), low}
	for i := range words {
		v := int128{int64(words[i][1]), words[i][0]}
		if v.less(least) || most.less(v) {
			return false
		}
	}
	return true
}

func (c *decimals) begin() {
	c.out.Open(&c.outs[0], &c.outs[1], !c.node.d.opt.V11, int(c.node.typ.Scale))
}

func (c *decimals) write(arr arrow.Array) error {
	var v [][2]uint64
	switch a := arr.(type) {
	case *array.Decimal128:
		v = view[[2]uint64](a.Values())
	case *array.Decimal256:
		c.scratch = grow(c.scratch, a.Len())
		for i, x := range view[[4]uint64](a.Values()) {
			if sign := uint64(int64(x[1]) >> 63); x[2] != sign || x[3] != sign {
				return c.tooLong(decimaltext.Append256(nil, a.Value(i), a.DataType().(*arrow.Decimal256Type).Scale))
			}
			c.scratch[i] = [2]uint64{x[0], x[1]}
		}
		v = c.scratch
	default:
		return mismatch(c.node, arr)
	}
	if !c.fit(v) {
		i := 0
		for c.fit(v[i : i+1]) {
			i++
		}
		return c.tooLong(decimaltext.Append128(nil, decimal128.New(int64(v[i][1]), v[i][0]), int32(c.node.typ.Scale)))
	}
	c.stats.add(v)
	if b := c.node.bloom; b != nil {
		addBloomDecimals(b, v, c.node.typ)
	}
	c.out.Put(v)
	return nil
}

func (c *decimals) tooLong(text []byte) error {
	return errs.Errorf(errs.ErrSchema, "%s does not fit %s: too many digits", text, c.node.typ)
}

func (c *decimals) mark()                      { c.flat, c.groups = c.out.Position(c.flat), c.groups+1 }
func (c *decimals) finish()                    { c.out.Flush(); c.flush() }
func (c *decimals) encoding() orcwire.Encoding { return c.node.d.direct(true) }
func (c *decimals) reset()                     { c.clear(); c.begin() }
