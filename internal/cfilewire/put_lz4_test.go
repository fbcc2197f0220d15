package cfilewire

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// lz4Samples are bytes that have matches of all kinds.
func lz4Sample(r *rand.Rand, n int) []byte {
	b := make([]byte, 0, n)
	for len(b) < n {
		switch k := r.Intn(300); r.Intn(4) {
		case 0:
			b = append(b, randomBytes(r, k/8)...)
		case 1:
			b = append(b, bytes.Repeat([]byte{byte(r.Intn(256))}, 7*k)...)
		case 2:
			for at := r.Intn(len(b) + 1); k > 0 && at < len(b); k-- {
				b = append(b, b[at])
				at++
			}
		case 3:
			for ; k > 0; k-- {
				b = append(b, byte(r.Intn(4)))
			}
		}
	}
	return b[:n]
}

func TestLZ4Out(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var z lz4Out
	for i := range 1500 {
		n := i
		switch {
		case i%100 == 0:
			n = r.Intn(400000)
		case i > 1000:
			n = lz4Long - 250 + i - 1000
		}
		checkLZ4(t, &z, lz4Sample(r, n))
	}
}

func checkLZ4(t *testing.T, z *lz4Out, src []byte) {
	t.Helper()
	src = bytes.Clone(src)[:len(src):len(src)]
	b := z.append([]byte{7}, src)
	if len(b) > 1+lz4Bound(len(src)) {
		t.Fatalf("%d bytes become %d", len(src), len(b))
	}
	got := make([]byte, len(src))
	if n, err := lz4.UncompressBlock(b[1:], got); b[0] != 7 || err != nil || n != len(src) || !bytes.Equal(got, src) {
		t.Fatalf("%d bytes: %d, %v", len(src), n, err)
	}
}

// The LZ4 library's own, of three blocks of docs/formats/cfile.md: chunks of 104 numbers, of 120 zeros, of a block of runs.
func TestLZ4OutVectors(t *testing.T) {
	var z lz4Out
	for _, c := range []struct{ src, want []byte }{
		{nil, []byte{0}},
		{make([]byte, 120), []byte{0x1f, 0, 1, 0, 0x5f, 0x50, 0, 0, 0, 0, 0}},
		{
			[]byte{0x78, 0, 0, 0, 0, 0, 0, 0, 0xf0, 1, 0, 0, 0, 0},
			[]byte{0x22, 0x78, 0, 1, 0, 0x60, 0xf0, 1, 0, 0, 0, 0},
		},
	} {
		if got := z.append(nil, c.src); !bytes.Equal(got, c.want) {
			t.Errorf("%x: %x, want %x", c.src, got, c.want)
		}
	}
}

func FuzzLZ4Out(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 12, 13, 14, 100, 5000} {
		f.Add(lz4Sample(r, n), uint8(0))
	}
	f.Add(lz4Sample(r, 1000), uint8(70))
	f.Fuzz(func(t *testing.T, src []byte, times uint8) {
		checkLZ4(t, new(lz4Out), bytes.Repeat(src, int(times)+1))
	})
}

func BenchmarkLZ4Out(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{chunkBytes, 256 << 10} {
		src := lz4Sample(r, n)
		dst := make([]byte, 0, lz4Bound(n))
		var z lz4Out
		b.Run("", func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				z.append(dst, src)
			}
		})
	}
}
