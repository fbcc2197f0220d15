package halffloat

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow/float16"
)

const (
	normal   = 1 << 10    // the least normal number, without its sign
	infinity = 0x1f << 10 // everything above it is NaN
)

// Float32 returns v, which float32 holds exactly. The bits of NaN stay.
func Float32(v float16.Num) float32 {
	b := uint32(v.Uint16())
	sign, magnitude := b>>15<<31, b&0x7fff
	switch {
	case magnitude < normal: // a multiple of 2⁻²⁴
		return math.Float32frombits(sign | math.Float32bits(float32(magnitude)*0x1p-24))
	case magnitude < infinity:
		return math.Float32frombits(sign | (magnitude<<13 + (127-15)<<23))
	}
	return math.Float32frombits(sign | 0xff<<23 | magnitude<<13)
}

// Widen sets each of dst to the value of src at the same place. dst must be at least as long as src.
func Widen[T float32 | float64](dst []T, src []float16.Num) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = T(Float32(v))
	}
}

// Nearest returns the half float nearest to v; of two as near, the one whose last bit is 0. From 65520 on it is an infinity.
func Nearest(v float64) float16.Num {
	sign, magnitude := uint16(math.Float64bits(v)>>48&0x8000), math.Abs(v)
	switch {
	case math.IsNaN(v):
		return float16.FromBits(sign | infinity | 1<<9)
	case magnitude >= 65520:
		return float16.FromBits(sign | infinity)
	case magnitude == 0:
		return float16.FromBits(sign)
	}
	_, exponent := math.Frexp(magnitude)
	exponent = max(exponent, -13) // below, half floats are as far apart as here
	steps := math.RoundToEven(math.Ldexp(magnitude, 11-exponent))
	return float16.FromBits(sign | (uint16(exponent+13)<<10 + uint16(steps))) // a normal float has 1024 steps, which add one to the exponent
}
