package trevni

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// checkBounds compares the statistics of the current block with its values. An error ends in what that means.
func (c *column) checkBounds(b *trevniwire.Bounds, means string) error {
	c.spot = spot{}
	at := c.blocks[c.block].Off
	values := int64(0)
	for c.p < len(c.raw) || c.run > 0 {
		n := int64(1)
		if c.Array {
			k, each, err := c.group(math.MaxInt32)
			if err != nil {
				return nil //nolint:nilerr // the rows will tell
			}
			n = int64(k) * int64(each)
		}
		for ; n > 0; n-- {
			v, err := c.one()
			if err != nil {
				return nil //nolint:nilerr // likewise
			}
			values++
			if !within(c.Type, b, v) {
				return c.failAt(errs.Errorf(errs.ErrCorrupt, "the value %s is not within the bounds that the statistics give its block%s", firstText(c.Type, v), means), at)
			}
		}
	}
	if nulls := c.blocks[c.block].Rows - values; nulls != b.Nulls {
		return c.failAt(errs.Errorf(errs.ErrCorrupt, "the statistics count %d nulls in the block, which has %d%s", b.Nulls, nulls, means), at)
	}
	return nil
}

// within reports whether the bounds of a block hold a value.
func within(t trevniwire.Type, b *trevniwire.Bounds, v []byte) bool {
	switch t {
	case trevniwire.Int, trevniwire.Long, trevniwire.Fixed32, trevniwire.Fixed64:
		x, ok := firstInt(t, v)
		return ok && (!b.Min || x >= b.MinInt) && (!b.Max || x <= b.MaxInt)
	case trevniwire.Float:
		return withinFloats(b, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))))
	case trevniwire.Double:
		return withinFloats(b, math.Float64frombits(binary.LittleEndian.Uint64(v)))
	}
	return (!b.Min || bytes.Compare(v, b.MinText) >= 0) && (!b.Max || bytes.Compare(v, b.MaxText) <= 0)
}

func withinFloats(b *trevniwire.Bounds, x float64) bool {
	return x != x || (!b.Min || x >= b.MinFloat) && (!b.Max || x <= b.MaxFloat)
}
