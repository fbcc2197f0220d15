package bitpack_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// checkRanks compares Ranks with counting bit by bit.
func checkRanks(t *testing.T, b []byte, off, n int) {
	t.Helper()
	got, want := make([]int32, n+1), make([]int32, n+1)
	for i := range got {
		got[i] = -1
	}
	bitpack.Ranks(got, b, off)
	for i := range n {
		want[i+1] = want[i] + int32(b[(off+i)>>3]>>((off+i)&7)&1)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d bits from %d on: %v, want %v", n, off, got, want)
	}
}

func TestRanks(t *testing.T) {
	bitpack.Ranks(nil, nil, 0)
	r := rand.New(rand.NewSource(1))
	for _, share := range []int{0, 1, 50, 99, 100} {
		b := make([]byte, 48)
		for i := range 8 * len(b) {
			if r.Intn(100) < share {
				b[i>>3] |= 1 << (i & 7)
			}
		}
		for off := range 20 {
			for n := range 8*len(b) - off + 1 {
				checkRanks(t, b[:(off+n+7)/8], off, n)
			}
		}
	}
}

func FuzzRanks(f *testing.F) {
	f.Add([]byte{0x5a, 0xff, 0, 1, 2, 3, 4, 5, 6, 7}, uint8(3), uint16(70))
	f.Fuzz(func(t *testing.T, b []byte, off uint8, n uint16) {
		if int(off)+int(n) <= 8*len(b) {
			checkRanks(t, b, int(off), int(n))
		}
	})
}

func BenchmarkRanks(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	bits, dst := make([]byte, 8<<10), make([]int32, 64<<10+1)
	r.Read(bits)
	b.SetBytes(int64(4 * len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		bitpack.Ranks(dst, bits, 0)
	}
}
