package blockcodec

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
	"strings"
	"testing"
)

func FuzzDeflate(f *testing.F) { fuzzDecoder(f, Deflate) }
func FuzzZlib(f *testing.F)    { fuzzDecoder(f, Zlib) }
func FuzzSnappy(f *testing.F)  { fuzzDecoder(f, Snappy) }
func FuzzLZ4(f *testing.F)     { fuzzDecoder(f, LZ4) }
func FuzzLZO(f *testing.F)     { fuzzDecoder(f, LZO) }
func FuzzZstd(f *testing.F)    { fuzzDecoder(f, Zstd) }
func FuzzBrotli(f *testing.F)  { fuzzDecoder(f, Brotli) }
func FuzzBzip2(f *testing.F)   { fuzzDecoder(f, Bzip2) }

// fuzzDecoder feeds any bytes to one codec, in memory that is watched behind its slack. What decodes must decode again
// the same way, by a decoder that has seen an error meanwhile, and as the standard library has it where that knows the
// codec.
func fuzzDecoder(f *testing.F, c Codec) {
	raw, blocks := vectors(f)
	for name, b := range blocks {
		if strings.HasPrefix(name, c.String()+"-") {
			f.Add(b, uint32(len(raw)))
			f.Add(b[:len(b)/2], uint32(len(raw)))
			f.Add(b, uint32(100))
		}
	}
	var e Encoder
	for _, gen := range kinds {
		if b, err := e.Encode(c, DefaultLevel, nil, gen(300)); err == nil {
			f.Add(b, uint32(300))
		}
	}
	for _, s := range map[Codec][]string{
		Bzip2:  {bzip2Empty, bzip2A, bzip2Zeros64, bzip2Two},
		LZO:    {"110000", "1541424344110000", "1241110000", "03414243444546110000"},
		Snappy: {"ffffffff0f0041", "0400414243"},
		Zstd:   {"28b52ffde00000000000000040010000", "28b52ffd00980b0000000b00000003008000"},
	}[c] {
		f.Add(unhex(f, s), uint32(64))
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, src []byte, size uint32) {
		n := int(size % (1 << 20))
		got, err := tryGuarded(t, &d, c, src, n, false)
		if err != nil {
			return
		}
		_, _ = tryGuarded(t, &d, c, src[:len(src)/2], len(got)/2, true)
		if again := decodeGuarded(t, &d, c, src, len(got), true); !bytes.Equal(again, got) {
			t.Fatal("decodes to other bytes the second time")
		}
		if want, ok := standard(t, c, src); ok && !bytes.Equal(want, got) {
			t.Fatal("decodes to other bytes than by the standard library")
		}
	})
}

func standard(t *testing.T, c Codec, src []byte) ([]byte, bool) {
	t.Helper()
	var r io.Reader
	var err error
	switch c {
	case Deflate:
		r = flate.NewReader(bytes.NewReader(src))
	case Zlib:
		r, err = zlib.NewReader(bytes.NewReader(src))
	default:
		return nil, false
	}
	if err != nil {
		t.Fatalf("the standard library: %v", err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("the standard library: %v", err)
	}
	return b, true
}

func FuzzRoundTrip(f *testing.F) {
	for _, c := range writable {
		for _, gen := range kinds {
			f.Add(uint8(c), int8(DefaultLevel), gen(200))
			f.Add(uint8(c), int8(codecs[c].max), gen(70))
		}
	}
	var e Encoder
	var d Decoder
	f.Fuzz(func(t *testing.T, c uint8, level int8, raw []byte) {
		codec := Codec(c)
		block, err := e.Encode(codec, int(level), nil, raw)
		if err != nil {
			return
		}
		if got := decodeGuarded(t, &d, codec, block, len(raw), true); !bytes.Equal(got, raw) {
			t.Fatal("not what was encoded")
		}
	})
}
