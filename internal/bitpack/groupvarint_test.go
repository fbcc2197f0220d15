package bitpack_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// slowGroups decodes n integers of group varint coding one by one. p is -1 where src ends before.
func slowGroups(n int, src []byte) (dst []uint32, p int) {
	for len(dst) < n {
		if p >= len(src) {
			return nil, -1
		}
		selector := src[p]
		p++
		for k := range 4 {
			width := int(selector>>(6-2*k)&3) + 1
			if width > len(src)-p {
				return nil, -1
			}
			v := uint32(0)
			for i := range width {
				v |= uint32(src[p+i]) << (8 * i)
			}
			p += width
			dst = append(dst, v)
		}
	}
	return dst[:n], p
}

// groups encodes integers; the group at the end is padded with zeros. pad says how many bytes an integer may take more
// than it needs.
func groups(r *rand.Rand, src []uint32, pad int) (b []byte) {
	for i := 0; i < len(src); i += 4 {
		at := len(b)
		b = append(b, 0)
		for k := range 4 {
			v := uint32(0)
			if i+k < len(src) {
				v = src[i+k]
			}
			width := 1
			for width < 4 && v>>(8*width) != 0 {
				width++
			}
			if pad > 0 {
				width = min(4, width+r.Intn(pad+1))
			}
			b[at] |= byte(width-1) << (6 - 2*k)
			for range width {
				b = append(b, byte(v))
				v >>= 8
			}
		}
	}
	return b
}

func checkGroups(t *testing.T, n int, src []byte) {
	t.Helper()
	want, p := slowGroups(n, src)
	got := make([]uint32, n)
	k, err := bitpack.DecodeGroupVarint(got, src)
	if p < 0 {
		if err != bitpack.ErrShort {
			t.Fatalf("%d of %d bytes: %v", n, len(src), err)
		}
		if _, err := bitpack.SkipGroupVarint(src, (n+3)/4); err != bitpack.ErrShort {
			t.Fatalf("skip %d of %d bytes: %v", n, len(src), err)
		}
		return
	}
	if err != nil || k != p || !slices.Equal(got, want) {
		t.Fatalf("%d of %d bytes: %d bytes, %v; want %d bytes", n, len(src), k, err, p)
	}
	if k, err := bitpack.SkipGroupVarint(src, (n+3)/4); err != nil || k != p {
		t.Fatalf("skip %d of %d bytes: %d bytes, %v; want %d", n, len(src), k, err, p)
	}
}

// A group of all widths, and offsets as a file has them.
func TestGroupVarintVector(t *testing.T) {
	src := []byte{0b00_01_10_11, 0x05, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09}
	want := []uint32{0x05, 0x0201, 0x050403, 0x09080706}
	for n := range 5 {
		got := make([]uint32, n)
		k, err := bitpack.DecodeGroupVarint(got, src)
		if err != nil || !slices.Equal(got, want[:n]) || k != min(n, 1)*len(src) {
			t.Errorf("%d: %x in %d bytes, %v", n, got, k, err)
		}
	}
	offsets := make([]int32, 6)
	k, err := bitpack.DecodeGroupVarint(offsets, []byte{0, 0x0c, 0x0c, 0x0d, 0x0f, 0, 0x11, 0x14, 0, 0})
	if err != nil || k != 10 || !slices.Equal(offsets, []int32{12, 12, 13, 15, 17, 20}) {
		t.Errorf("%v in %d bytes, %v", offsets, k, err)
	}
}

func TestGroupVarint(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		n := r.Intn(100)
		values := make([]uint32, n)
		shift := r.Intn(33)
		for i := range values {
			if r.Intn(20) == 0 {
				shift = r.Intn(33)
			}
			values[i] = uint32(r.Uint64() & 0xffffffff >> shift)
		}
		src := fixtures.AtEdge(t, groups(r, values, r.Intn(2)*r.Intn(4)), 0)
		got := make([]uint32, n)
		if k, err := bitpack.DecodeGroupVarint(got, src); err != nil || k != len(src) || !slices.Equal(got, values) {
			t.Fatalf("%v: %v, %d of %d bytes, %v", values, got, k, len(src), err)
		}
		checkGroups(t, n, src)
		cut := r.Intn(len(src) + 1)
		checkGroups(t, n, fixtures.AtEdge(t, src[:cut], 0))
	}
	src := make([]byte, 300)
	for range 5000 {
		r.Read(src)
		if r.Intn(2) == 0 {
			for i := range src {
				src[i] &= 0x80
			}
		}
		checkGroups(t, r.Intn(60), src[:r.Intn(len(src))])
	}
}

func BenchmarkGroupVarint(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const n = 8192
	for _, c := range []struct {
		name string
		of   func(i int) uint32
	}{
		{"bytes=1", func(int) uint32 { return r.Uint32() >> 24 }},
		{"bytes=2", func(int) uint32 { return 0x100 + r.Uint32()>>17 }},
		{"bytes=3", func(int) uint32 { return 0x10000 + r.Uint32()>>9 }},
		{"bytes=4", func(int) uint32 { return 0x1000000 + r.Uint32()>>1 }},
		{"offsets", func(i int) uint32 { return 12 + uint32(i)*26 }},
		{"mixed", func(int) uint32 { return r.Uint32() >> r.Intn(32) }},
	} {
		values := make([]uint32, n)
		for i := range values {
			values[i] = c.of(i)
		}
		src := groups(r, values, 0)
		dst := make([]int32, n)
		b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				if _, err := bitpack.DecodeGroupVarint(dst, src); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
