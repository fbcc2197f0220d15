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
		want := value(b)
		switch {
		case math.IsNaN(want) && math.IsNaN(got):
		case got != want || math.Signbit(got) != math.Signbit(want):
			t.Errorf("%04x: got %g, want %g", b, got, want)
		}
	}
}

// value is what IEEE 754 says of the bits of a half float.
func value(b int) float64 {
	fraction, exponent := float64(b&0x3ff), b>>10&0x1f
	v := math.Ldexp(fraction+1024, exponent-15-10)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -14-10)
	case exponent == 0x1f && fraction == 0:
		v = math.Inf(1)
	case exponent == 0x1f:
		return math.NaN()
	}
	return math.Copysign(v, float64(1-2*(b>>15)))
}

// Every half float comes back from its value, and what lies between two becomes the nearer one, or that with an even last bit.
func TestNearest(t *testing.T) {
	check := func(v float64, want int) {
		t.Helper()
		if got := Nearest(v).Uint16(); int(got) != want {
			t.Errorf("%v: got %04x, want %04x", v, got, want)
		}
	}
	for b := range 0x7c00 {
		v, next := value(b), value(b+1)
		if b+1 == 0x7c00 {
			next = 65536
		}
		middle := (v + next) / 2
		for _, sign := range []int{0, 0x8000} {
			s := float64(1 - 2*(sign>>15))
			check(math.Copysign(v, s), sign|b)
			check(s*math.Nextafter(middle, 0), sign|b)
			check(s*middle, sign|(b+b&1))
			check(s*math.Nextafter(middle, 1e9), sign|(b+1))
		}
	}
	check(math.Inf(1), 0x7c00)
	check(math.Inf(-1), 0xfc00)
	check(math.MaxFloat64, 0x7c00)
	check(math.SmallestNonzeroFloat64, 0)
	for b := 0x7c01; b <= 0xffff; b++ {
		if b&0x7fff > 0x7c00 && !math.IsNaN(float64(Float32(Nearest(float64(Float32(float16.FromBits(uint16(b)))))))) {
			t.Errorf("%04x: NaN is a number", b)
		}
	}
}
