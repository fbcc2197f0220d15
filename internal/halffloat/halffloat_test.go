package halffloat

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/float16"
)

// Every half float has the value that IEEE 754 gives it.
func TestFloat32(t *testing.T) {
	src := make([]float16.Num, 1<<16)
	for b := range src {
		src[b] = float16.FromBits(uint16(b))
	}
	wide := make([]float64, len(src))
	Widen(wide, src)
	for b, got := range wide {
		fraction, exponent := float64(b&0x3ff), b>>10&0x1f
		want := math.Ldexp(fraction+1024, exponent-15-10)
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -14-10)
		case exponent == 0x1f && fraction == 0:
			want = math.Inf(1)
		case exponent == 0x1f:
			if !math.IsNaN(got) {
				t.Errorf("%04x: got %g, want NaN", b, got)
			}
			continue
		}
		if want = math.Copysign(want, float64(1-2*(b>>15))); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("%04x: got %g, want %g", b, got, want)
		}
	}
}
