package expr

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/arrowio/arrowio/internal/halffloat"
)

// A float's key is an integer of the same order: the bits of positive floats are in order already, those of negative
// ones run backwards. NaNs have keys beyond the infinities', on either side. The two zeros have keys of their own, -1
// and 0.

// floatBits turns a key back into the bits of a float of width bytes; it is its own inverse.
func floatBits(key int64, width int) int64 {
	if key < 0 {
		return key ^ (1<<(8*width-1) - 1)
	}
	return key
}

// floatOf is the float of a key, as a float64, which holds all narrower ones.
func floatOf(key int64, width int) float64 {
	b := floatBits(key, width)
	switch width {
	case 2:
		return float16Value(uint16(b))
	case 4:
		return float64(math.Float32frombits(uint32(b)))
	}
	return math.Float64frombits(uint64(b))
}

// infinityKey is the key of +Inf; that of -Inf is its complement.
func infinityKey(width int) int64 {
	switch width {
	case 2:
		return 0x7c00
	case 4:
		return 0x7f80_0000
	}
	return 0x7ff0_0000_0000_0000
}

func float16Value(b uint16) float64 { return float64(halffloat.Float32(float16.FromBits(b))) }

// nearestFloat is the float of width bytes that is nearest to q; of two as near, it is the one whose last bit is 0.
func nearestFloat(q *big.Rat, width int) float64 {
	switch width {
	case 8:
		f, _ := q.Float64()
		return f
	case 4:
		f, _ := q.Float32()
		return float64(f)
	}
	// Half floats are too few to need more than a search for the two around q.
	inf := infinityKey(width)
	above := firstNot(^inf+1, inf-1, func(key int64) bool { return new(big.Rat).SetFloat64(floatOf(key, width)).Cmp(q) < 0 })
	if above == inf || above == ^inf+1 { // beyond the greatest, or the least; rounding to them ends half a step further on
		end := new(big.Rat).SetFloat64(65520)
		if above != inf {
			end.Neg(end)
		}
		if q.Cmp(end) == q.Sign() || q.Cmp(end) == 0 {
			return math.Inf(q.Sign())
		}
		return floatOf(min(above, inf-1), width)
	}
	hi, lo := floatOf(above, width), floatOf(above-1, width)
	toHi := new(big.Rat).Sub(new(big.Rat).SetFloat64(hi), q)
	toLo := new(big.Rat).Sub(q, new(big.Rat).SetFloat64(lo))
	if c := toHi.Cmp(toLo); c < 0 || c == 0 && floatBits(above, width)&1 == 0 {
		return hi
	}
	return lo
}
