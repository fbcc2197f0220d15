package unzstd_test

import (
	"math/rand"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/internal/unzstd"
)

// BenchmarkDecode decodes frames of 64 KiB, with klauspost's decoder beside it. Compare the MB/s of one run only:
//
//	go test -bench Decode -count 5 ./internal/unzstd
func BenchmarkDecode(b *testing.B) {
	const size, frames = 64 << 10, 8
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		b.Fatal(err)
	}
	peer, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		b.Fatal(err)
	}
	defer peer.Close()
	for _, s := range append(shapes, struct {
		name string
		make func(r *rand.Rand, size int) []byte
	}{"zeros", func(_ *rand.Rand, size int) []byte { return make([]byte, size) }}) {
		r := rand.New(rand.NewSource(1))
		var raw, packed [][]byte
		total := 0
		for range frames {
			x := s.make(r, size)
			raw = append(raw, x)
			packed = append(packed, e.EncodeAll(x, nil))
			total += len(x)
		}
		dst := make([]byte, size+64+unzstd.Slack)
		run := func(name string, f func(i int) (int, error)) {
			b.Run(s.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(total))
				b.ReportAllocs()
				for b.Loop() {
					for i := range packed {
						if n, err := f(i); err != nil || n != len(raw[i]) {
							b.Fatal(n, err)
						}
					}
				}
			})
		}
		var d unzstd.Decoder
		run("arrowio", func(i int) (int, error) { return d.Decode(dst, packed[i], len(raw[i])) })
		run("klauspost", func(i int) (int, error) {
			out, err := peer.DecodeAll(packed[i], dst[:0])
			return len(out), err
		})
	}
}
