package bitpack_test

import (
	"bytes"
	"encoding/hex"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// From docs/formats/cfile.md, and every width beside every other.
func TestPutGroupVarint(t *testing.T) {
	put := func(values ...uint32) []byte {
		b := make([]byte, bitpack.GroupVarintRoom(len(values)))
		return b[:bitpack.PutGroupVarint(b, values)]
	}
	for _, c := range []struct {
		want   string
		values []uint32
	}{
		{"", nil},
		{"000c0d0000", []uint32{12, 13}},
		{"100c2c010000", []uint32{12, 300}},
		{"1003e8030000", []uint32{3, 1000, 0, 0}},
		{"1bff000100000100000001", []uint32{0xff, 0x100, 0x10000, 0x1000000}},
		{"ffffffffffffffffffffffffffffffffff", []uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1}},
	} {
		if got := hex.EncodeToString(put(c.values...)); got != c.want {
			t.Errorf("%d: %s, want %s", c.values, got, c.want)
		}
	}
	r := rand.New(rand.NewSource(1))
	for n := range 200 {
		values := make([]uint32, n)
		for i := range values {
			values[i] = r.Uint32() >> r.Intn(33)
		}
		b := put(values...)
		got := make([]uint32, n)
		if used, err := bitpack.DecodeGroupVarint(got, b); err != nil || used != len(b) || !slices.Equal(got, values) {
			t.Fatalf("%d values: %d of %d bytes, %v", n, used, len(b), err)
		}
		room := fixtures.AtEdge(t, make([]byte, bitpack.GroupVarintRoom(n)), 0)
		if !bytes.Equal(room[:bitpack.PutGroupVarint(room, values)], b) {
			t.Fatalf("%d values differ at a page's end", n)
		}
	}
}

func BenchmarkPutGroupVarint(b *testing.B) {
	values := make([]uint32, 20000)
	for i := range values {
		values[i] = uint32(13 * i)
	}
	dst := make([]byte, bitpack.GroupVarintRoom(len(values)))
	b.SetBytes(int64(4 * len(values)))
	for b.Loop() {
		bitpack.PutGroupVarint(dst, values)
	}
}
