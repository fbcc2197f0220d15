package blockcodec

import (
	"testing"
)

// blockSize is what the formats write: Trevni 64 KiB, ORC and Kudu 256 KiB.
const blockSize = 64 << 10

func BenchmarkDecode(b *testing.B) {
	for _, c := range writable {
		for _, kind := range []string{"text", "noise"} {
			b.Run(c.String()+"/"+kind, func(b *testing.B) {
				var e Encoder
				var d Decoder
				block, err := e.Encode(c, DefaultLevel, nil, kinds[kind](blockSize))
				if err != nil {
					b.Fatal(err)
				}
				benchmarkDecode(b, &d, c, block, blockSize)
			})
		}
	}
	raw, blocks := vectors(b)
	for _, name := range []string{"lzo-aircompressor0.27.bin", "bzip2-bzip2.bin"} {
		b.Run(codecOf(b, name).String()+"/mixed", func(b *testing.B) {
			var d Decoder
			benchmarkDecode(b, &d, codecOf(b, name), blocks[name], len(raw))
		})
	}
}

func benchmarkDecode(b *testing.B, d *Decoder, c Codec, block []byte, size int) {
	dst := make([]byte, size+Slack)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(c, dst, block, size, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	raw := kinds["text"](blockSize)
	for _, c := range []struct {
		codec Codec
		level int
	}{
		{None, DefaultLevel},
		{Deflate, 1},
		{Deflate, DefaultLevel},
		{Zlib, DefaultLevel},
		{Snappy, 1},
		{Snappy, 2},
		{Snappy, 3},
		{LZ4, DefaultLevel},
		{LZ4, 9},
		{Zstd, DefaultLevel},
		{Brotli, DefaultLevel},
	} {
		name := c.codec.String()
		if c.level != DefaultLevel {
			name += string(rune('0' + c.level))
		}
		b.Run(name, func(b *testing.B) {
			var e Encoder
			dst := make([]byte, 0, 2*blockSize)
			b.SetBytes(blockSize)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				out, err := e.Encode(c.codec, c.level, dst, raw)
				if err != nil {
					b.Fatal(err)
				}
				n = len(out)
			}
			b.ReportMetric(float64(blockSize)/float64(n), "ratio")
		})
	}
}
