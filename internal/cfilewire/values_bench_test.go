package cfilewire_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// benchBlock is the block size that Kudu writes unless told otherwise.
const benchBlock = 256 << 10

func BenchmarkPlain(b *testing.B) {
	block := append(le32(nil, benchBlock/8, 0), make([]byte, benchBlock)...)
	dst := make([]byte, benchBlock)
	b.SetBytes(benchBlock)
	var p cfilewire.PlainFixed
	for b.Loop() {
		if _, err := p.Open(block, 8); err != nil {
			b.Fatal(err)
		}
		if err := p.Next(dst); err != nil {
			b.Fatal(err)
		}
	}
}

func benchRuns[T cfilewire.RLEValue](b *testing.B, name string, bits, run int) {
	r := rand.New(rand.NewSource(1))
	var values []uint64
	for len(values) < benchBlock/8 {
		v := r.Uint64() >> (64 - bits)
		for range 1 + r.Intn(2*run-1) {
			values = append(values, v)
		}
	}
	block := append(le32(nil, uint32(len(values)), 0), encodeRuns(values, bits)...)
	dst := make([]T, len(values))
	b.Run(fmt.Sprintf("%s/run=%d", name, run), func(b *testing.B) {
		b.SetBytes(int64(len(values) * bits / 8))
		var x cfilewire.RLE[T]
		for b.Loop() {
			if _, err := x.Open(block); err != nil {
				b.Fatal(err)
			}
			if err := x.Next(dst); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(values))*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
	})
}

func BenchmarkRLE(b *testing.B) {
	for _, run := range []int{1, 20, 1000} {
		benchRuns[int8](b, "int8", 8, run)
		benchRuns[int32](b, "int32", 32, run)
		benchRuns[int64](b, "int64", 64, run)
	}
}

// BenchmarkRLEBits is about null bitmaps: n rows of which so many are null, alone or in runs.
func BenchmarkRLEBits(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const n = 1 << 20
	for _, c := range []struct{ null, run int }{{1, 1}, {10, 1}, {50, 1}, {50, 20}, {50, 200}} {
		var values []uint64
		for len(values) < n {
			v := boolBit(r.Intn(100) >= c.null)
			for range 1 + r.Intn(2*c.run-1) {
				values = append(values, v)
			}
		}
		values = values[:n]
		stream := encodeRuns(values, 1)
		dst := make([]byte, n/8+1)
		for off := range 2 {
			b.Run(fmt.Sprintf("null=%d/run=%d/off=%d", c.null, c.run, off), func(b *testing.B) {
				var x cfilewire.RLEBits
				for b.Loop() {
					x.OpenStream(stream, n)
					if err := x.Next(dst, off, n); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gbit/s")
			})
		}
	}
}

func BenchmarkStrings(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789"
	for _, most := range []int{8, 52} { // 52: the comments of lineitem
		var values []string
		for size := 0; size < benchBlock; {
			v := letters[r.Intn(10):][:1+r.Intn(most)]
			values = append(values, v)
			size += len(v)
		}
		benchStrings(b, fmt.Sprintf("plain/most=%d", most), values, encodePlainStrings(0, values), (*cfilewire.Strings).OpenPlain)
	}
	open := func(s *cfilewire.Strings, block []byte) (cfilewire.Head, error) { return s.OpenPrefix(block, 1<<30) }
	var keys, paths []string
	for i := range benchBlock / 16 {
		keys = append(keys, fmt.Sprintf("\x80\x00\x00\x00%08d%04d", i/10, i%10))
		paths = append(paths, fmt.Sprintf("https://example.org/a/%s/%d", letters[:10+i/1000%40], i))
	}
	benchStrings(b, "prefix/keys", keys, encodePrefix(0, keys, 16), open)
	benchStrings(b, "prefix/paths", paths, encodePrefix(0, paths, 16), open)
}

func benchStrings(b *testing.B, name string, values []string, block []byte, open func(*cfilewire.Strings, []byte) (cfilewire.Head, error)) {
	size := len(strings.Join(values, ""))
	ends := make([]int32, len(values)+1)
	data := make([]byte, size+bitpack.DstSlack)
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(size + 4*len(values)))
		var s cfilewire.Strings
		for b.Loop() {
			if _, err := open(&s, block); err != nil {
				b.Fatal(err)
			}
			if err := s.Next(ends, data); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(values))*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
	})
}

func BenchmarkGroupVarintBlock(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	values := make([]uint32, benchBlock/4)
	for i := range values {
		values[i] = 1<<20 + r.Uint32()>>20
	}
	block := encodeFrame(0, values)
	dst := make([]uint32, len(values))
	b.SetBytes(benchBlock)
	var g cfilewire.GroupVarint
	for b.Loop() {
		if _, err := g.Open(block); err != nil {
			b.Fatal(err)
		}
		if err := g.Next(dst); err != nil {
			b.Fatal(err)
		}
	}
}
