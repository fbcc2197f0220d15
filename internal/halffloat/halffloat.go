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
