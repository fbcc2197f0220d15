package bitpack_test

import (
	"bytes"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

func bit(b []byte, i int) bool { return b[i>>3]>>(i&7)&1 == 1 }

func setBit(b []byte, i int, v bool) {
	b[i>>3] &^= 1 << (i & 7)
	if v {
		b[i>>3] |= 1 << (i & 7)
	}
}

func bitmap(r *rand.Rand, n, percent int) []byte {
	b := make([]byte, (n+7)/8)
	for i := range n {
		setBit(b, i, r.Intn(100) < percent)
	}
	return b
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// lengths around the steps of the kernels.
var someLengths = []int{0, 1, 2, 7, 8, 9, 31, 55, 63, 64, 65, 71, 72, 73, 127, 128, 129, 200, 255, 256, 257, 300, 511, 640}

func TestCopyBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for from := range 17 {
			for to := range 17 {
				src := fixtures.AtEdge(t, noise(r, (from+n+7)/8), 0)
				dst := fixtures.AtEdge(t, noise(r, (to+n+7)/8), 0)
				want := bytes.Clone(dst)
				for i := range n {
					setBit(want, to+i, bit(src, from+i))
				}
				bitpack.CopyBits(dst, to, src, from, n)
				if !bytes.Equal(dst, want) {
					t.Fatalf("%d bits from %d to %d:\n got %x\nwant %x", n, from, to, dst, want)
				}
			}
		}
	}
	bitpack.CopyBits(nil, 0, nil, 0, 0)
	// Towards the beginning, by however few bits.
	for _, n := range someLengths {
		for to := range 11 {
			for from := to; from < to+140; from++ {
				b := noise(r, (from+n+7)/8)
				want := bytes.Clone(b)
				for i := range n {
					setBit(want, to+i, bit(b, from+i))
				}
				bitpack.CopyBits(b, to, b, from, n)
				if !bytes.Equal(b, want) {
					t.Fatalf("%d bits from %d to %d of the same:\n got %x\nwant %x", n, from, to, b, want)
				}
			}
		}
	}
}

func TestFillCountBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for off := range 17 {
			b := fixtures.AtEdge(t, noise(r, (off+n+7)/8), 0)
			set := 0
			for i := range n {
				if bit(b, off+i) {
					set++
				}
			}
			if got := bitpack.CountBits(b, off, n); got != set {
				t.Fatalf("%d of %d bits from %d, want %d", got, n, off, set)
			}
			for _, v := range []bool{true, false} {
				want := bytes.Clone(b)
				for i := range n {
					setBit(want, off+i, v)
				}
				bitpack.FillBits(b, off, n, v)
				if !bytes.Equal(b, want) {
					t.Fatalf("%d bits from %d to %v:\n got %x\nwant %x", n, off, v, b, want)
				}
			}
		}
	}
}

func TestReverseBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 40 {
		src := fixtures.AtEdge(t, noise(r, n), 0)
		want := make([]byte, n)
		for i, b := range src {
			want[i] = bits.Reverse8(b)
		}
		dst := fixtures.AtEdge(t, make([]byte, n), 0)
		if bitpack.ReverseBits(dst, src); !bytes.Equal(dst, want) {
			t.Fatalf("%x: %x", src, dst)
		}
		if bitpack.ReverseBits(src, src); !bytes.Equal(src, want) {
			t.Fatalf("in place: %x, want %x", src, want)
		}
	}
}

func TestRuns(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range []int{0, 1, 50, 95, 100} {
			for off := range 10 {
				b := fixtures.AtEdge(t, bitmap(r, off+n, percent), 0)
				got := make([]byte, (n+7)/8)
				last := -1
				runs := bitpack.NewRuns(b, off, n)
				for start, k := runs.Next(); k > 0; start, k = runs.Next() {
					if start <= last {
						t.Fatalf("run at %d joins the one to %d", start, last)
					}
					last = start + k
					bitpack.FillBits(got, start, k, true)
				}
				if _, k := runs.Next(); k != 0 {
					t.Fatal("a run behind the end")
				}
				for i := range n {
					if bit(got, i) != bit(b, off+i) {
						t.Fatalf("bit %d of %d, offset %d", i, n, off)
					}
				}
			}
		}
	}
}

func BenchmarkBits(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	src, dst := noise(r, n/8+16), make([]byte, n/8+16)
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"memmove", func() { copy(dst[:n/8], src) }},
		{"CopyBits/aligned", func() { bitpack.CopyBits(dst, 0, src, 8, n) }},
		{"CopyBits/from 3", func() { bitpack.CopyBits(dst, 0, src, 3, n) }},
		{"CopyBits/to 3", func() { bitpack.CopyBits(dst, 3, src, 0, n) }},
		{"CopyBits/5 to 3", func() { bitpack.CopyBits(dst, 3, src, 5, n) }},
		{"CountBits/aligned", func() { bitpack.CountBits(src, 0, n) }},
		{"CountBits/from 3", func() { bitpack.CountBits(src, 3, n) }},
		{"ReverseBits", func() { bitpack.ReverseBits(dst, src) }},
		{"FillBits", func() { bitpack.FillBits(dst, 3, n, true) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(n / 8)
			b.ReportAllocs()
			for b.Loop() {
				k.f()
			}
		})
	}
}
