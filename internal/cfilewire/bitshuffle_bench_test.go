package cfilewire

import (
	"encoding/binary"
	"math/rand"
	"testing"
)

// Blocks of 256 KiB, the size that Kudu aims at, in batches of all of it. What is counted is output.
func BenchmarkBitShuffle(b *testing.B) {
	const size = 256 << 10
	r := rand.New(rand.NewSource(1))
	clock := uint64(1_600_000_000_000_000)
	for _, c := range []struct {
		name  string
		elem  int // stored
		width int
		value func(i int) uint64
	}{
		{"int64/timestamps", 8, 8, func(int) uint64 { clock += uint64(r.Intn(2_000_000)); return clock }},
		{"int64/sequence", 8, 8, func(i int) uint64 { return 5_000_000_000 + uint64(i) }},
		{"int64/random", 8, 8, func(int) uint64 { return r.Uint64() }},
		{"int32/below1000", 4, 4, func(int) uint64 { return uint64(r.Intn(1000)) }},
		{"int32/sequence", 4, 4, func(i int) uint64 { return 1_000_000 + uint64(i) }},
		{"int16/below100", 2, 2, func(int) uint64 { return uint64(r.Intn(100)) }},
		{"int8/below10", 1, 1, func(int) uint64 { return uint64(r.Intn(10)) }},
		{"decimal128/below1e9", 16, 16, func(int) uint64 { return uint64(r.Intn(1e9)) }},
		{"codes/of-25", 1, 0, func(int) uint64 { return uint64(r.Intn(25)) }},
		{"codes/of-200", 1, 0, func(int) uint64 { return uint64(r.Intn(200)) }},
		{"codes/of-5000", 2, 0, func(int) uint64 { return uint64(r.Intn(5000)) }},
		{"codes/runs", 1, 0, func(i int) uint64 { return uint64(i/500) & 7 }},
	} {
		codes := c.width == 0
		n := size / 4
		if !codes {
			n = size / c.width
		}
		var elements []byte
		for i := range n {
			e := binary.LittleEndian.AppendUint64(nil, c.value(i))
			elements = append(elements, append(e, make([]byte, 8)...)[:c.elem]...)
		}
		block := shuffleBlock(elements, c.elem, 0)
		dst, ids := make([]byte, size), make([]int32, n)
		b.Run(c.name, func(b *testing.B) {
			var s BitShuffle
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if codes {
					if _, err = s.Open(block, 4, true); err == nil {
						err = s.NextCodes(ids)
					}
				} else if _, err = s.Open(block, c.width, false); err == nil {
					err = s.Next(dst)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(elements))/float64(len(block)), "ratio")
		})
	}
	src, dst := make([]byte, size), make([]byte, size)
	b.Run("move", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			copy(dst, src)
		}
	})
}
