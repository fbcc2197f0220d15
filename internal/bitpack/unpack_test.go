package bitpack_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// packBE and packLE pack bit by bit.
func packBE(values []uint64, width uint) []byte {
	b := make([]byte, bitpack.PackedSize(len(values), width))
	p := 0
	for _, v := range values {
		for k := int(width) - 1; k >= 0; k-- {
			b[p>>3] |= byte(v>>k&1) << (7 - p&7)
			p++
		}
	}
	return b
}

func packLE(values []uint64, width uint) []byte {
	b := make([]byte, bitpack.PackedSize(len(values), width))
	p := 0
	for _, v := range values {
		for k := range width {
			b[p>>3] |= byte(v>>k&1) << (p & 7)
			p++
		}
	}
	return b
}

func random(r *rand.Rand, n int, width uint) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		if width > 0 {
			v[i] = r.Uint64() >> (64 - width)
		}
	}
	return v
}

func unzigzag(x uint64) int64 {
	if x&1 == 1 {
		return -int64(x>>1) - 1
	}
	return int64(x >> 1)
}

func unpackAll[T bitpack.Integer](t *testing.T, values []uint64, width uint, be, le []byte) {
	t.Helper()
	n := len(values)
	plain, signed := make([]T, n), make([]T, n)
	for i, v := range values {
		plain[i], signed[i] = T(v), T(unzigzag(v))
	}
	for _, k := range []struct {
		name string
		f    func([]T, []byte, uint) (int, error)
		src  []byte
		want []T
	}{
		{"BE", bitpack.UnpackBE[T], be, plain},
		{"zigzag BE", bitpack.UnpackZigzagBE[T], be, signed},
		{"LE", bitpack.UnpackLE[T], le, plain},
	} {
		room := make([]T, n+2)
		for i := range room {
			room[i] = 85
		}
		got, size := room[1:n+1], bitpack.PackedSize(n, width)
		if m, err := k.f(got, k.src, width); m != size || err != nil || !slices.Equal(got, k.want) {
			t.Fatalf("%s, %d values of %d bits: %d of %d bytes, %v\n got %v\nwant %v", k.name, n, width, m, size, err, got, k.want)
		}
		if room[0] != 85 || room[n+1] != 85 {
			t.Fatalf("%s, %d values of %d bits: wrote outside of dst", k.name, n, width)
		}
	}
}

func TestUnpack(t *testing.T) {
	kernels(func(string) { testUnpack(t) })
}

func testUnpack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	edge := fixtures.AtEdge(t, make([]byte, 130*8), 0)
	for width := range uint(65) {
		for n := range 131 {
			values := random(r, n, width)
			be, le := packBE(values, width), packLE(values, width)
			// Exact slices at the end of readable memory.
			tail := edge[len(edge)-len(be):]
			copy(tail, be)
			unpackAll[int64](t, values, width, tail, le)
			copy(tail, le)
			unpackAll[int64](t, values, width, be, tail)
			unpackAll[int32](t, values, width, be, le)
			if n%9 == 1 {
				unpackAll[int16](t, values, width, be, le)
				unpackAll[uint8](t, values, width, be, le)
			}
			// Other bytes behind: the fast loop to the end.
			noise := make([]byte, bitpack.SrcSlack)
			r.Read(noise)
			unpackAll[uint64](t, values, width, append(be, noise...), append(le, noise...))
		}
	}
}

// FuzzUnpack holds the vector kernels to those for all machines, which TestUnpack holds to a loop over bits.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("sixteen bytes and then some more of them"), uint8(3), uint8(40))
	f.Add(bytes.Repeat([]byte{0x81, 0x7f, 0xff, 0}, 100), uint8(25), uint8(99))
	f.Fuzz(func(t *testing.T, src []byte, width, n uint8) {
		if width > 64 || bitpack.PackedSize(int(n), uint(width)) > len(src) {
			return
		}
		var before string
		kernels(func(name string) {
			a, b, c := make([]int32, n), make([]int64, n), make([]uint32, n)
			for _, f := range []func() (int, error){
				func() (int, error) { return bitpack.UnpackZigzagBE(a, src, uint(width)) },
				func() (int, error) { return bitpack.UnpackBE(b, src, uint(width)) },
				func() (int, error) { return bitpack.UnpackLE(c, src, uint(width)) },
			} {
				if _, err := f(); err != nil {
					t.Fatal(err)
				}
			}
			got := fmt.Sprint(a, b, c)
			if before != "" && got != before {
				t.Fatalf("%d values of %d bits in % x: %s %s, not %s", n, width, src, name, got, before)
			}
			before = got
		})
	})
}

func TestUnpackErrors(t *testing.T) {
	dst := make([]int64, 100)
	for _, f := range []func([]int64, []byte, uint) (int, error){bitpack.UnpackBE[int64], bitpack.UnpackZigzagBE[int64], bitpack.UnpackLE[int64]} {
		for _, width := range []uint{1, 7, 8, 33, 64} {
			if n, err := f(dst, make([]byte, bitpack.PackedSize(100, width)-1), width); n != 0 || err != bitpack.ErrShort {
				t.Errorf("width %d: %d, %v", width, n, err)
			}
		}
		if _, err := f(dst, make([]byte, 10000), 65); err != bitpack.ErrWidth {
			t.Errorf("width 65: %v", err)
		}
		if n, err := f(nil, nil, 64); n != 0 || err != nil {
			t.Errorf("nothing: %d, %v", n, err)
		}
		dst[50] = 1
		if n, err := f(dst, nil, 0); n != 0 || err != nil || dst[50] != 0 {
			t.Errorf("width 0: %d, %v, %d", n, err, dst[50])
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	const n = 1 << 14
	r := rand.New(rand.NewSource(1))
	d64, o64 := make([]int64, n), make([]int64, n)
	d32 := make([]int32, n)
	bench := func(name string, size int64, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	bench("memmove/int64", n*8, func() { copy(d64, o64) })
	for _, w := range []uint{1, 3, 7, 8, 10, 12, 16, 17, 21, 24, 30, 32, 33, 40, 56, 60, 64} {
		values := random(r, n, w)
		be, le := append(packBE(values, w), make([]byte, 72)...), append(packLE(values, w), make([]byte, 72)...)
		bench(fmt.Sprintf("BE/int64/w=%d", w), n*8, func() { bitpack.UnpackBE(d64, be, w) })
		bench(fmt.Sprintf("zigzagBE/int64/w=%d", w), n*8, func() { bitpack.UnpackZigzagBE(d64, be, w) })
		if w <= 32 {
			bench(fmt.Sprintf("LE/int32/w=%d", w), n*4, func() { bitpack.UnpackLE(d32, le, w) })
		}
	}
}
