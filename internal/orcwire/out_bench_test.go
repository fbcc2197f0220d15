package orcwire_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// benchOut measures writing n values, into memory and not compressed.
func benchOut(b *testing.B, name string, n int, open func(o, o2 *orcwire.Out) func()) {
	b.Run(name, func(b *testing.B) {
		var o, o2 orcwire.Out
		var sc orcwire.OutScratch
		p := orcwire.OutPacking{BlockSize: 256 << 10}
		b.ReportAllocs()
		for range b.N {
			o.Open(p, &sc)
			o2.Open(p, &sc)
			open(&o, &o2)()
			o.Flush()
			o2.Flush()
		}
		rate(b, n)
		b.ReportMetric(float64(o.Size()+o2.Size())*8/float64(n), "bits/value")
	})
}

func benchIntsOut[T orcwire.Integer](b *testing.B, name string, v2, signed bool, next func(i int) int64) {
	v := make([]T, 1<<17)
	for i := range v {
		v[i] = T(next(i))
	}
	var w orcwire.IntsOut[T]
	benchOut(b, fmt.Sprintf("%s/int%d", name, bitsOf[T]()), len(v), func(o, _ *orcwire.Out) func() {
		w.Open(o, v2, signed)
		return func() { w.Put(v); w.Flush() }
	})
}

func BenchmarkIntsOut(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, bits := range []int{1, 3, 7, 10, 20, 31} {
		next := func(int) int64 { return r.Int63n(1<<bits) - 1<<(bits-1) }
		benchIntsOut[int64](b, fmt.Sprintf("direct/bits=%d", bits), true, true, next)
		benchIntsOut[int32](b, fmt.Sprintf("direct/bits=%d", bits), true, true, next)
	}
	benchIntsOut[int64](b, "direct/bits=64", true, true, func(int) int64 { return int64(r.Uint64()) })
	benchIntsOut[int32](b, "ids/of=3", true, false, func(int) int64 { return r.Int63n(3) })
	benchIntsOut[int32](b, "ids/of=1000", true, false, func(int) int64 { return r.Int63n(1000) })
	benchIntsOut[int64](b, "constant", true, true, func(int) int64 { return 77 })
	benchIntsOut[int64](b, "sequence", true, true, func(i int) int64 { return int64(i) * 3 })
	at := int64(0)
	benchIntsOut[int64](b, "rising", true, true, func(int) int64 { at += r.Int63n(100); return at })
	for _, k := range []int{4, 30} {
		benchIntsOut[int64](b, fmt.Sprintf("repeats/of=%d", k), true, true, func(int) int64 {
			if r.Intn(k) == 0 {
				at = r.Int63n(1 << 20)
			}
			return at
		})
	}
	benchIntsOut[int64](b, "patched", true, true, func(int) int64 {
		if r.Intn(50) == 0 {
			return r.Int63n(1 << 30)
		}
		return r.Int63n(200)
	})
	benchIntsOut[int64](b, "v1/bits=10", false, true, func(int) int64 { return r.Int63n(1 << 10) })
	benchIntsOut[int64](b, "v1/sequence", false, true, func(i int) int64 { return int64(i) })
}

func BenchmarkBytesOut(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, v := range byteLists(r, 1<<18) {
		var w orcwire.BytesOut[uint8]
		benchOut(b, name, len(v), func(o, _ *orcwire.Out) func() {
			w.Open(o)
			return func() { w.Put(v); w.Flush() }
		})
	}
}

func BenchmarkBoolsOut(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, percent := range []int{0, 1, 50, 99} {
		v := make([]byte, 1<<17)
		for i := range 8 * len(v) {
			if r.Intn(100) < percent {
				v[i>>3] |= 1 << (i & 7)
			}
		}
		for _, off := range []int{0, 3} {
			var w orcwire.BoolsOut
			n := 8*len(v) - off
			benchOut(b, fmt.Sprintf("true=%d%%/off=%d", percent, off), n, func(o, _ *orcwire.Out) func() {
				w.Open(o)
				return func() { w.Put(v, off, n); w.Flush() }
			})
		}
	}
}

func BenchmarkDecimalsOut(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, digits := range []int{7, 15, 18, 38} {
		v := make([][2]uint64, 1<<16)
		for i := range v {
			for range min(digits, 19) {
				v[i][0] = v[i][0]*10 + uint64(r.Intn(10))
			}
			if digits > 19 {
				v[i][1] = uint64(r.Int63())
			}
		}
		var w orcwire.DecimalsOut
		benchOut(b, fmt.Sprintf("digits=%d", digits), len(v), func(o, o2 *orcwire.Out) func() {
			w.Open(o, o2, true, 2)
			return func() { w.Put(v); w.Flush() }
		})
	}
}

func BenchmarkTimestampsOut(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, unit := range []orcwire.TimeUnit{orcwire.Second, orcwire.Millisecond, orcwire.Microsecond, orcwire.Nanosecond} {
		v := make([]int64, 1<<16)
		per := []int64{1e9, 1e6, 1e3, 1}[unit]
		for i := range v {
			v[i] = 1600000000*per + r.Int63n(1e8*per)
		}
		var w orcwire.TimestampsOut
		benchOut(b, unit.String(), len(v), func(o, o2 *orcwire.Out) func() {
			w.Open(o, o2, true, unit)
			return func() {
				if err := w.Put(v); err != nil {
					b.Error(err)
				}
				w.Flush()
			}
		})
	}
}

// What the others are to be held against: the same values packed, and copied, in the same minute.
func BenchmarkOutReference(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	v := make([]int64, 1<<17)
	for i := range v {
		v[i] = r.Int63n(1<<10) - 1<<9
	}
	dst := make([]byte, 8*len(v)+bitpack.PackSlack)
	b.Run("pack", func(b *testing.B) {
		for range b.N {
			for i := 0; i < len(v); i += 512 {
				bitpack.PackZigzagBE(dst, v[i:i+512], 16)
			}
		}
		rate(b, len(v))
	})
	out := make([]int64, len(v))
	b.Run("unpack", func(b *testing.B) {
		n := bitpack.PackZigzagBE(dst, v, 16)
		for range b.N {
			if _, err := bitpack.UnpackZigzagBE(out, dst[:n], 16); err != nil {
				b.Fatal(err)
			}
		}
		rate(b, len(v))
	})
	b.Run("copy", func(b *testing.B) {
		for range b.N {
			copy(out, v)
		}
		rate(b, len(v))
	})
}
