package inflate_test

import (
	"bytes"
	stdflate "compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/inflate"
	kpflate "github.com/klauspost/compress/flate"
)

// shapes are blocks as columnar files have them, made from a fixed seed.
var shapes = []struct {
	name string
	make func(r *rand.Rand, size int) []byte
}{
	{"ints", func(r *rand.Rand, size int) (b []byte) { // zigzag varints of a slowly rising key and a small quantity
		key := int64(1_000_000)
		for len(b) < size {
			key += int64(r.Intn(40))
			b = binary.AppendVarint(b, key)
			b = binary.AppendVarint(b, int64(r.Intn(50)))
		}
		return b
	}},
	{"decimals", func(r *rand.Rand, size int) (b []byte) { // varints of prices
		for len(b) < size {
			b = binary.AppendVarint(b, int64(90000+r.Intn(1000)*100*(1+r.Intn(50))))
		}
		return b
	}},
	{"dates", func(r *rand.Rand, size int) (b []byte) { // packed 12-bit offsets that crowd around a day
		for len(b) < size {
			x := 1200 + int(r.NormFloat64()*400)&0xfff
			y := 1200 + int(r.NormFloat64()*400)&0xfff
			b = append(b, byte(x), byte(x>>8&15|y<<4), byte(y>>4))
		}
		return b
	}},
	{"text", func(r *rand.Rand, size int) (b []byte) {
		words := make([]string, 400)
		for i := range words {
			w := make([]byte, 2+r.Intn(9))
			for j := range w {
				w[j] = "etaoinshrdlcumwfgypbvk"[min(r.Intn(22), r.Intn(22))]
			}
			words[i] = string(w)
		}
		for len(b) < size {
			b = append(b, words[min(r.Intn(400), r.Intn(400))]...)
			b = append(b, ' ')
		}
		return b
	}},
	{"doubles", func(r *rand.Rand, size int) (b []byte) {
		for len(b) < size {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(r.Intn(100000))/100))
		}
		return b
	}},
	{"short strings", func(r *rand.Rand, size int) (b []byte) {
		for len(b) < size {
			b = append(b, fmt.Sprintf("category-%04d", r.Intn(1000))...)
		}
		return b
	}},
}

func deflate(tb testing.TB, b []byte, level int) []byte {
	tb.Helper()
	var o bytes.Buffer
	w, err := stdflate.NewWriter(&o, level)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return o.Bytes()
}

// BenchmarkDecode inflates blocks of 64 KiB at level 6, with the peers beside it. Compare the MB/s of one run only:
//
//	go test -bench Decode -count 5 ./internal/inflate
//
// With Go 1.26 on an AMD EPYC it was, times klauspost/compress 1.20.3 and compress/flate: ints 1.7 and 2.5, decimals 2.3
// and 3.1, dates 1.9 and 2.8, text 2.7 and 3.5, doubles 2.0 and 2.7, short strings 2.2 and 2.9.
func BenchmarkDecode(b *testing.B) {
	const size, blocks = 64 << 10, 8
	for _, s := range shapes {
		r := rand.New(rand.NewSource(1))
		var raw, packed [][]byte
		total, small := 0, 0
		for range blocks {
			x := s.make(r, size)
			raw = append(raw, x)
			packed = append(packed, deflate(b, x, 6))
			total += len(x)
			small += len(packed[len(packed)-1])
		}
		dst := make([]byte, size+64+inflate.Slack)
		run := func(name string, f func(i int) error) {
			b.Run(fmt.Sprintf("%s/%s", s.name, name), func(b *testing.B) {
				b.SetBytes(int64(total))
				b.ReportAllocs()
				for b.Loop() {
					for i := range packed {
						if err := f(i); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(total)/float64(small), "ratio")
			})
		}
		var d inflate.Decoder
		run("arrowio", func(i int) error {
			n, _, err := d.Decode(dst, packed[i], len(raw[i]))
			if err == nil && n != len(raw[i]) {
				err = io.ErrUnexpectedEOF
			}
			return err
		})
		var br bytes.Reader
		kp, std := kpflate.NewReader(&br), stdflate.NewReader(&br)
		run("klauspost", func(i int) error {
			br.Reset(packed[i])
			if err := kp.(kpflate.Resetter).Reset(&br, nil); err != nil {
				return err
			}
			_, err := io.ReadFull(kp, dst[:len(raw[i])])
			return err
		})
		run("std", func(i int) error {
			br.Reset(packed[i])
			if err := std.(stdflate.Resetter).Reset(&br, nil); err != nil {
				return err
			}
			_, err := io.ReadFull(std, dst[:len(raw[i])])
			return err
		})
	}
}
