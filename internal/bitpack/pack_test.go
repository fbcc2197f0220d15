package bitpack_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
)

func TestPackBE(t *testing.T) {
	t.Run("int8", testPackBE[int8])
	t.Run("int16", testPackBE[int16])
	t.Run("int32", testPackBE[int32])
	t.Run("int64", testPackBE[int64])
	t.Run("uint64", testPackBE[uint64])
}

func testPackBE[T bitpack.Integer](t *testing.T) {
	r := rand.New(rand.NewSource(1))
	bits := uint(0)
	for x := T(1); x != 0; x <<= 1 {
		bits++
	}
	for width := uint(1); width <= 64; width++ {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 65, 512} {
			plain := random(r, n, min(width, bits-1))
			if width == 64 && bits == 64 {
				plain = random(r, n, 64)
			}
			zigzag := random(r, n, min(width, bits))
			v, z := make([]T, n), make([]T, n)
			for i := range v {
				v[i] = T(plain[i])
				z[i] = T(zigzag[i]>>1 ^ -(zigzag[i] & 1))
			}
			size := bitpack.PackedSize(n, width)
			for what, want := range map[string][]byte{"PackBE": packBE(plain, width), "PackZigzagBE": packBE(zigzag, width)} {
				dst := bytes.Repeat([]byte{0xee}, size+bitpack.PackSlack+1)
				pack, src := bitpack.PackBE[T], v
				if what == "PackZigzagBE" {
					pack, src = bitpack.PackZigzagBE[T], z
				}
				if k := pack(dst, src, width); k != size || !bytes.Equal(dst[:size], want) {
					t.Fatalf("%s(%d values of %d bits) = %d, % x; want %d, % x", what, n, width, k, dst[:min(k, size)], size, want)
				}
				if dst[size+bitpack.PackSlack] != 0xee {
					t.Fatalf("%s(%d values of %d bits) writes behind its slack", what, n, width)
				}
			}
		}
	}
}

func BenchmarkPackBE(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, width := range []uint{1, 2, 4, 8, 10, 16, 17, 24, 32, 40, 64} {
		src := make([]int64, 512)
		for i, x := range random(r, len(src), width) {
			src[i] = int64(x>>1 ^ -(x & 1))
		}
		dst := make([]byte, 8*len(src)+bitpack.PackSlack)
		b.Run(fmt.Sprintf("zigzag/w=%d", width), func(b *testing.B) {
			for range b.N {
				bitpack.PackZigzagBE(dst, src, width)
			}
			b.ReportMetric(float64(b.N)*float64(len(src))/b.Elapsed().Seconds()/1e6, "Mvalues/s")
		})
	}
}
