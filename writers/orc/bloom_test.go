package orc

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// What BloomFilterUtf8 of orc-core 2.3.1 has.
func TestBloomSize(t *testing.T) {
	for _, k := range []struct {
		stride int
		fpp    float64
		size   uint64
		hashes uint32
	}{
		{0, 0.5, 64, 44},
		{1, 0.5, 64, 44},
		{1, 1e-9, 64, 44},
		{10, 0.05, 64, 4},
		{10, 0.01, 128, 9},
		{10, 0.001, 192, 13},
		{10, 1e-9, 448, 31},
		{1000, 0.5, 1472, 1},
		{1000, 0.1, 4800, 3},
		{1000, 0.05, 6272, 4},
		{1000, 0.01, 9600, 7},
		{1000, 0.99, 64, 1},
		{10000, 0.05, 62400, 4},
		{10000, 0.01, 95872, 7},
		{10000, 1e-9, 431360, 30},
		{12345, 0.001, 177536, 10},
		{100000, 0.1, 479296, 3},
		{10000000, 0.99, 209216, 1},
		{10000000, 1e-9, 431327680, 30},
	} {
		if size, hashes := bloomSize(k.stride, k.fpp); size != k.size || hashes != k.hashes {
			t.Errorf("%d values, %g: %d bits, %d hashes; want %d, %d", k.stride, k.fpp, size, hashes, k.size, k.hashes)
		}
	}
	if size, _ := bloomSize(1<<31-1, 1e-300); size > 1<<31-1 || size%64 != 0 {
		t.Errorf("%d bits", size)
	}
}

// The bits are those of the filter that readers ask, for any size; and take leaves nothing behind.
func TestBloomHash(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 200 {
		b := newBloom(1+r.Intn(20000), []float64{0.5, 0.1, 0.01, 1e-6}[r.Intn(4)])
		want := orcwire.BloomFilter{Hashes: b.hashes, Bits: make([]uint64, b.size/64)}
		for range 50 {
			h := r.Uint64()
			b.addHash(h)
			want.Add(h)
		}
		if got := b.take(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d bits: other bits are set", b.size)
		}
		for _, w := range b.take().Bits {
			if w != 0 {
				t.Fatal("bits of the row group before")
			}
		}
	}
}

// Each kernel adds what the specification hashes.
func TestBloomKernels(t *testing.T) {
	for name, k := range map[string]struct {
		add  func(b *bloom)
		want []uint64
	}{
		"ints":     {func(b *bloom) { addBloomInts(b, []int32{-7, 300}) }, []uint64{orcwire.HashLong(-7), orcwire.HashLong(300)}},
		"floats":   {func(b *bloom) { addBloomFloats(b, []float32{0.1}) }, []uint64{orcwire.HashDouble(float64(float32(0.1)))}},
		"bools":    {func(b *bloom) { b.addBools([]byte{0b101}, 1, 2) }, []uint64{orcwire.HashLong(0), orcwire.HashLong(1)}},
		"trues":    {func(b *bloom) { b.addBools([]byte{0b110}, 1, 2) }, []uint64{orcwire.HashLong(1)}},
		"strings":  {func(b *bloom) { addBloomStrings(b, []int32{1, 3, 3}, []byte("xab")) }, []uint64{orcwire.HashBytes([]byte("ab")), orcwire.HashBytes(nil)}},
		"words":    {func(b *bloom) { addBloomIDs(b, []int32{1}, []int32{0, 1, 3}, []byte("xab")) }, []uint64{orcwire.HashBytes([]byte("ab"))}},
		"ns":       {func(b *bloom) { addBloomTimestamps(b, []int64{-1_000_000_001, -5}, arrow.Nanosecond) }, []uint64{orcwire.HashLong(-1001), orcwire.HashLong(999)}},
		"s":        {func(b *bloom) { addBloomTimestamps(b, []int64{-1}, arrow.Second) }, []uint64{orcwire.HashLong(-1000)}},
		"decimals": {func(b *bloom) { addBloomDecimals(b, decimalWords(t, "-1200"), decimalType(20, 3)) }, []uint64{orcwire.HashBytes([]byte("-1.2"))}},
		"nothing":  {func(b *bloom) { addBloomStrings(b, nil, nil) }, nil},
	} {
		b := newBloom(1000, 0.01)
		k.add(b)
		want := orcwire.BloomFilter{Hashes: b.hashes, Bits: make([]uint64, b.size/64)}
		for _, h := range k.want {
			want.Add(h)
		}
		if fmt.Sprint(b.take()) != fmt.Sprint(want) {
			t.Errorf("%s: other bits", name)
		}
	}
}

func TestAppendDecimal(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 5000 {
		v := (r.Int63() >> r.Intn(63)) / []int64{1, 10, 1000, 1 << 40}[r.Intn(4)] * []int64{1, 10, 1000, -1, -100}[r.Intn(5)]
		scale := r.Intn(39)
		got := appendDecimal([]byte("x"), uint64(v), uint64(v>>63), scale)
		if want := orcwire.AppendDecimal([]byte("x"), uint64(v), uint64(v>>63), scale); string(got) != string(want) {
			t.Fatalf("%d of scale %d: %s, want %s", v, scale, got, want)
		}
	}
	for _, v := range []int64{0, -1 << 63, 1<<63 - 1} {
		for scale := range 20 {
			got := appendDecimal(nil, uint64(v), uint64(v>>63), scale)
			if want := orcwire.AppendDecimal(nil, uint64(v), uint64(v>>63), scale); string(got) != string(want) {
				t.Fatalf("%d of scale %d: %s, want %s", v, scale, got, want)
			}
		}
	}
}
