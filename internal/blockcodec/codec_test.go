package blockcodec

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var all = []Codec{None, Deflate, Zlib, Snappy, LZ4, LZO, Zstd, Brotli, Bzip2}

func TestParseCodec(t *testing.T) {
	for _, c := range []struct {
		in    string
		codec Codec
		level int
	}{
		{"none", None, DefaultLevel},
		{"deflate", Deflate, DefaultLevel},
		{"deflate:0", Deflate, 0},
		{"zlib:9", Zlib, 9},
		{"snappy:3", Snappy, 3},
		{"lz4", LZ4, DefaultLevel},
		{"lz4:9", LZ4, 9},
		{"zstd:22", Zstd, 22},
		{"brotli:11", Brotli, 11},
		{"lzo", LZO, DefaultLevel},
		{"bzip2", Bzip2, DefaultLevel},
	} {
		codec, level, err := ParseCodec(c.in, all...)
		if err != nil || codec != c.codec || level != c.level {
			t.Errorf("%q: %v, %d, %v", c.in, codec, level, err)
		}
	}
}

func TestParseCodecErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":           "not one of none, deflate, zstd",
		"gzip":       "not one of none, deflate, zstd",
		"Zstd":       "not one of none, deflate, zstd",
		"snappy":     "not one of none, deflate, zstd", // known, but not here
		"none:1":     "none takes no level",
		"deflate:":   "levels of deflate are 0 to 9",
		"deflate:-1": "levels of deflate are 0 to 9",
		"deflate:10": "levels of deflate are 0 to 9",
		"zstd:fast":  "levels of zstd are 1 to 22",
		"zstd:0":     "levels of zstd are 1 to 22",
		"zstd:3:4":   "levels of zstd are 1 to 22",
	} {
		_, _, err := ParseCodec(in, None, Deflate, Zstd)
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func TestMaxRaw(t *testing.T) {
	for _, c := range all {
		if got := MaxRaw(c, 0); got != 0 {
			t.Errorf("%s: nothing becomes %d", c, got)
		}
		if got := MaxRaw(c, -1); got != 0 {
			t.Errorf("%s: -1 becomes %d", c, got)
		}
		if got := MaxRaw(c, math.MaxInt64); got != math.MaxInt64 {
			t.Errorf("%s: everything becomes %d", c, got)
		}
	}
	if got := MaxRaw(Codec(77), 5); got != 0 {
		t.Errorf("an unknown codec makes %d", got)
	}
	// The best cases of every encoder stay below.
	raw := make([]byte, 1<<20)
	for _, c := range writable {
		b, err := new(Encoder).Encode(c, DefaultLevel, nil, raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := MaxRaw(c, int64(len(b))); got < int64(len(raw)) {
			t.Errorf("%s: %d bytes hold %d, at most %d by MaxRaw", c, len(b), len(raw), got)
		}
	}
}
