package orcwire_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

const benchValues = 1 << 20

// repeated calls write until there are n values.
func repeated(n int, write func(w *bitWriter) int) ([]byte, int) {
	w := &bitWriter{}
	k := 0
	for k < n {
		k += write(w)
	}
	return w.b, k
}

func code(width int) uint64 {
	for c := uint64(0); ; c++ {
		if referenceWidth(c) == width {
			return c
		}
	}
}

func directRun(r *rand.Rand, w *bitWriter, n, width int) int {
	w.bits(1<<14|code(width)<<9|uint64(n-1), 16)
	for range n {
		w.bits(r.Uint64(), width)
	}
	w.align()
	return n
}

func shortRun(w *bitWriter, n, bytes int, v uint64) int {
	w.bits(uint64(bytes-1)<<3|uint64(n-3), 8)
	w.bits(v, 8*bytes)
	return n
}

// ids writes random ids of a small dictionary as the Java writer does: from three equal ones on a short repeat.
func ids(r *rand.Rand, entries, width int) ([]byte, int) {
	w := &bitWriter{}
	var lit []uint64
	flush := func() {
		if len(lit) == 0 {
			return
		}
		w.bits(1<<14|code(width)<<9|uint64(len(lit)-1), 16)
		for _, v := range lit {
			w.bits(v, width)
		}
		w.align()
		lit = lit[:0]
	}
	n := 0
	for n < benchValues {
		v := uint64(r.Intn(entries))
		k := 1
		for r.Intn(entries) == 0 && k < 10 {
			k++
		}
		n += k
		if k >= 3 {
			flush()
			shortRun(w, k, 1, v)
			continue
		}
		for range k {
			if lit = append(lit, v); len(lit) == 512 {
				flush()
			}
		}
	}
	flush()
	return w.b, n
}

func BenchmarkInts(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, width := range []int{1, 2, 4, 8, 10, 16, 17, 24, 32, 40, 64} {
		in, n := repeated(benchValues, func(w *bitWriter) int { return directRun(r, w, 512, width) })
		name := fmt.Sprintf("direct/w=%d", width)
		benchInts[int64](b, name, in, n, true, true)
		if width <= 32 {
			benchInts[int32](b, name, in, n, true, true)
		}
		if width <= 31 {
			benchInts[int32](b, name, in, n, true, false)
		}
		if width <= 16 {
			benchInts[int16](b, name, in, n, true, true)
		}
	}
	in, n := repeated(benchValues, func(w *bitWriter) int { return shortRun(w, 3+r.Intn(8), 1, r.Uint64()>>57) })
	benchInts[int64](b, "short", in, n, true, true)
	benchInts[int32](b, "short", in, n, true, false)
	for _, k := range []int{3, 7} {
		in, n := ids(r, k, 4)
		benchInts[int32](b, fmt.Sprintf("ids/of=%d", k), in, n, true, false)
	}
	in, n = repeated(benchValues, func(w *bitWriter) int { return directRun(r, w, 1+r.Intn(30), 4) })
	benchInts[int32](b, "direct/short/w=4", in, n, true, false)
	for _, width := range []int{0, 2, 8, 16, 24} {
		in, n := repeated(benchValues, func(w *bitWriter) int {
			c := uint64(0)
			if width > 0 {
				c = code(width)
			}
			w.bits(3<<14|c<<9|511, 16)
			w.varint(1000, 0)
			w.varint(2, 0)
			for range 510 {
				if width > 0 {
					w.bits(r.Uint64()>>(64-width), width)
				}
			}
			w.align()
			return 512
		})
		name := fmt.Sprintf("delta/w=%d", width)
		benchInts[int64](b, name, in, n, true, true)
		if width <= 16 {
			benchInts[int32](b, name, in, n, true, true)
		}
	}
	in, n = repeated(benchValues, func(w *bitWriter) int {
		w.bits(2<<14|code(8)<<9|511, 16)
		w.bits(0<<5|code(16), 8)
		w.bits(4<<5|20, 8) // gaps of 5 bits
		w.bits(50, 8)
		for range 512 {
			w.bits(r.Uint64(), 8)
		}
		for range 20 {
			w.bits(25, 5)
			w.bits(r.Uint64(), 16)
		}
		w.align()
		return 512
	})
	benchInts[int64](b, "patched/w=8", in, n, true, true)
	benchInts[int32](b, "patched/w=8", in, n, true, true)
	in, n = repeated(benchValues, func(w *bitWriter) int {
		k := r.Intn(128)
		w.bits(uint64(k), 8)
		w.bits(1, 8)
		w.varint(r.Uint64()>>50, 0)
		return k + 3
	})
	benchInts[int64](b, "v1/runs", in, n, false, true)
	benchInts[int32](b, "v1/runs", in, n, false, true)
	in, n = repeated(benchValues, func(w *bitWriter) int {
		w.bits(0x80, 8)
		for range 128 {
			w.varint(upTo(r, 20), 0)
		}
		return 128
	})
	benchInts[int64](b, "v1/literals", in, n, false, true)
	benchInts[int32](b, "v1/literals", in, n, false, true)
}

const benchBatch = 1 << 16

// inPlace fetches from memory without a copy.
func inPlace(b []byte) orcwire.Fetch {
	b = append(make([]byte, 0, len(b)+bitpack.SrcSlack), b...)
	return func(off, _, most int64) ([]byte, error) { return b[off : off+most], nil }
}

func benchInts[T orcwire.Integer](b *testing.B, name string, in []byte, n int, v2, signed bool) {
	b.Helper()
	sign := "unsigned"
	if signed {
		sign = "signed"
	}
	dst := make([]T, benchBatch+bitpack.DstSlack)[:benchBatch]
	b.Run(fmt.Sprintf("%s/%T/%s", name, T(0), sign), func(b *testing.B) {
		fetch := inPlace(in)
		var s orcwire.Bytes
		var sc orcwire.Scratch
		var r orcwire.Ints[T]
		for b.Loop() {
			s.Open(int64(len(in)), fetch, orcwire.Packing{}, &sc)
			r.Open(&s, v2, signed)
			for left := n; left > 0; left -= benchBatch {
				if err := r.Next(dst[:min(left, benchBatch)]); err != nil {
					b.Fatal(err)
				}
			}
		}
		rate(b, n)
	})
}

// rate reports millions of values a second.
func rate(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(n)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mvalues/s")
}

func BenchmarkByteRuns(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, in := range byteStreams(r) {
		dst := make([]int8, benchBatch)
		b.Run(name, func(b *testing.B) {
			fetch := inPlace(in)
			var s orcwire.Bytes
			var sc orcwire.Scratch
			var x orcwire.ByteRuns[int8]
			for b.Loop() {
				s.Open(int64(len(in)), fetch, orcwire.Packing{}, &sc)
				x.Open(&s)
				for range benchValues / benchBatch {
					if err := x.Next(dst); err != nil {
						b.Fatal(err)
					}
				}
			}
			rate(b, benchValues)
		})
	}
}

func byteStreams(r *rand.Rand) map[string][]byte {
	all := map[string][]byte{}
	all["literals"], _ = repeated(benchValues, func(w *bitWriter) int {
		w.bits(0x80, 8)
		for range 128 {
			w.bits(r.Uint64(), 8)
		}
		return 128
	})
	all["runs"], _ = repeated(benchValues, func(w *bitWriter) int {
		w.bits(127, 8)
		w.bits(255, 8)
		return 130
	})
	all["short"], _ = repeated(benchValues, func(w *bitWriter) int {
		k := 1 + r.Intn(10)
		if k >= 3 && r.Intn(2) == 0 {
			w.bits(uint64(k-3), 8)
			w.bits(r.Uint64(), 8)
			return k
		}
		w.bits(uint64(-k), 8)
		for range k {
			w.bits(r.Uint64(), 8)
		}
		return k
	})
	return all
}

func BenchmarkBools(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, in := range byteStreams(r) {
		for _, off := range []int{0, 3} {
			dst := make([]byte, benchBatch+1)
			b.Run(fmt.Sprintf("%s/off=%d", name, off), func(b *testing.B) {
				fetch := inPlace(in)
				var s orcwire.Bytes
				var sc orcwire.Scratch
				var x orcwire.Bools
				for b.Loop() {
					s.Open(int64(len(in)), fetch, orcwire.Packing{}, &sc)
					x.Open(&s)
					for range benchValues / benchBatch {
						if err := x.Next(dst, off, 8*benchBatch); err != nil {
							b.Fatal(err)
						}
					}
				}
				rate(b, 8*benchValues)
			})
		}
	}
}

func BenchmarkTake(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	content := text(r, 8<<20)
	dst := make([]byte, 1<<20+blockcodec.Slack)
	for _, codec := range []blockcodec.Codec{blockcodec.None, blockcodec.Snappy, blockcodec.Zstd, blockcodec.Deflate} {
		s := store(b, r, content, codec, 256<<10)
		fetch := inPlace(s.bytes)
		b.Run(codec.String(), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			var in orcwire.Bytes
			var sc orcwire.Scratch
			for b.Loop() {
				in.Open(int64(len(s.bytes)), fetch, s.packing, &sc)
				for range 8 {
					if err := in.Take(dst[:1<<20]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
