package bitpack_test

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// checkUsedBits compares the bits of the longest value with those of each, and the kernels with what goes without them.
func checkUsedBits[T int8 | int16 | int32 | int64](t *testing.T, v []T) {
	t.Helper()
	for _, zigzag := range []bool{false, true} {
		longest := 0
		for _, x := range v {
			k := bits.Len64(uint64(int64(x)))
			if zigzag {
				k = max(0, bits.Len64(uint64(int64(x)<<1)^uint64(int64(x)>>63))-1)
			}
			longest = max(longest, k)
		}
		with := bitpack.UsedBits(v, zigzag)
		have := bitpack.UnshuffleWith(false)
		without := bitpack.UsedBits(v, zigzag)
		bitpack.UnshuffleWith(have)
		if bits.Len64(with) != longest || with != without {
			t.Fatalf("%d values of %T, zigzag %v: %x, without vectors %x, want %d bits", len(v), v, zigzag, with, without, longest)
		}
	}
}

// checkWithin compares with the numbers as those of package math/big.
func checkWithin(t *testing.T, words [][2]uint64, limit uint64) {
	t.Helper()
	want := true
	for _, w := range words {
		x := new(big.Int).Lsh(big.NewInt(int64(w[1])), 64)
		x.Add(x, new(big.Int).SetUint64(w[0]))
		want = want && x.CmpAbs(new(big.Int).SetUint64(limit)) <= 0
	}
	with := bitpack.Within(words, limit)
	have := bitpack.UnshuffleWith(false)
	without := bitpack.Within(words, limit)
	bitpack.UnshuffleWith(have)
	if with != want || without != want {
		t.Fatalf("%d numbers within %d: %v, without vectors %v, want %v: %x", len(words), limit, with, without, want, words)
	}
}

func TestUsedBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 150 {
		for _, wide := range []int{0, 1, 7, 31, 63} {
			v64, v32, v16, v8 := make([]int64, n), make([]int32, n), make([]int16, n), make([]int8, n)
			for i := range v64 {
				x := r.Int63() >> (63 - wide)
				if wide > 7 && r.Intn(n) > 0 {
					x = int64(r.Intn(5))
				}
				if r.Intn(2) == 0 {
					x = ^x
				}
				v64[i], v32[i], v16[i], v8[i] = x, int32(x), int16(x), int8(x)
			}
			checkUsedBits(t, v64)
			checkUsedBits(t, v32)
			checkUsedBits(t, v16)
			checkUsedBits(t, v8)
		}
	}
	checkUsedBits(t, []int64{math.MinInt64, math.MaxInt64})
}

func TestWithin(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 40 {
		for _, limit := range []uint64{0, 9, 999_999_999_999_999_999, math.MaxInt64} {
			words := make([][2]uint64, n)
			for i := range words {
				x := int64(r.Uint64() % (limit + 1))
				if r.Intn(2) == 0 {
					x = -x
				}
				words[i] = [2]uint64{uint64(x), uint64(x >> 63)}
			}
			checkWithin(t, words, limit)
			for range min(n, 5) { // one is beyond, or just not
				i := r.Intn(n)
				was := words[i]
				for _, w := range [][2]uint64{{limit, 0}, {limit + 1, 0}, {-limit, uint64(-int64(limit) >> 63)}, {-limit - 1, ^uint64(0)}, {was[0], was[1] ^ 1<<r.Intn(64)}, {0, 1}, {0, ^uint64(0)}, {1 << 63, 0}, {1 << 63, ^uint64(0)}} {
					words[i] = w
					checkWithin(t, words, limit)
				}
				words[i] = was
			}
		}
	}
}

func FuzzSizes(f *testing.F) {
	f.Add(make([]byte, 300), uint64(9))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127, 0, 0, 0, 0, 0, 0, 0, 0}, uint64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, b []byte, limit uint64) {
		var words [][2]uint64
		var v64 []int64
		var v32 []int32
		for word := uint64(0); len(b) > 0; b = b[1:] {
			word = word<<8 | uint64(b[0])
			v64, v32 = append(v64, int64(word)), append(v32, int32(word))
			words = append(words, [2]uint64{word, uint64(int64(word) >> 63)})
		}
		checkUsedBits(t, v64)
		checkUsedBits(t, v32)
		checkWithin(t, words, limit>>1)
	})
}

func BenchmarkSizes(b *testing.B) {
	v64, v32, words := make([]int64, 512), make([]int32, 512), make([][2]uint64, 512)
	b.Run("int32", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(512 * 4)
		for b.Loop() {
			bitpack.UsedBits(v32, true)
		}
	})
	b.Run("int64", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(512 * 8)
		for b.Loop() {
			bitpack.UsedBits(v64, true)
		}
	})
	b.Run("within", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(512 * 16)
		for b.Loop() {
			bitpack.Within(words, 1<<50)
		}
	})
}
