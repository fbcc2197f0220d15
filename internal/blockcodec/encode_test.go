package blockcodec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/race"
)

var writable = []Codec{None, Deflate, Zlib, Snappy, LZ4, Zstd, Brotli}

// kinds are the shapes of data that codecs treat differently.
var kinds = map[string]func(n int) []byte{
	"zeros": func(n int) []byte { return make([]byte, n) },
	"noise": func(n int) []byte {
		r := rand.NewChaCha8([32]byte{1})
		b := make([]byte, n)
		r.Read(b)
		return b
	},
	"text": func(n int) []byte {
		r := rand.New(rand.NewPCG(1, 2))
		words := []string{"final ", "deposits ", "sleep ", "above ", "the ", "regular ", "requests. "}
		var b []byte
		for len(b) < n {
			b = append(b, words[r.IntN(len(words))]...)
		}
		return b[:n]
	},
	"sequence": func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i / 8 >> (i % 8 * 8) & 0xff)
		}
		return b
	},
	"few": func(n int) []byte {
		r := rand.New(rand.NewPCG(3, 4))
		b := make([]byte, n)
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return b
	},
}

func TestRoundTrip(t *testing.T) {
	var e Encoder
	var d Decoder
	large := 1 << 20
	if race.Enabled {
		large = 1 << 18
	}
	for _, c := range writable {
		t.Run(c.String(), func(t *testing.T) {
			for kind, gen := range kinds {
				for _, n := range []int{0, 1, 63, 64, 65535, 65536, large} {
					if n > 65536 && kind != "text" && (kind != "noise" || c == Brotli) {
						continue // slow, and no other path
					}
					raw := gen(n)
					block, err := e.Encode(c, DefaultLevel, []byte("head"), raw)
					if err != nil {
						t.Fatalf("%s, %d bytes: %v", kind, n, err)
					}
					if string(block[:4]) != "head" {
						t.Fatalf("%s, %d bytes: what dst held is gone", kind, n)
					}
					got := decodeGuarded(t, &d, c, block[4:], n, true)
					if !bytes.Equal(got, raw) {
						t.Fatalf("%s, %d bytes: not what was encoded", kind, n)
					}
				}
			}
		})
	}
}

// Every level decodes, and an encoder that has seen other blocks gives the bytes that a fresh one gives.
func TestLevelsAndDeterminism(t *testing.T) {
	var used Encoder
	var d Decoder
	for _, c := range writable {
		levels := []int{DefaultLevel}
		for l := codecs[c].min; l <= codecs[c].max; l++ {
			if c == Zstd && l != 1 && l%5 != 3 && l != 22 { // its levels share four speeds
				continue
			}
			if race.Enabled && l != codecs[c].min && l != codecs[c].max && l%3 != 0 {
				continue
			}
			levels = append(levels, l)
		}
		for _, l := range levels {
			for _, kind := range []string{"noise", "text"} {
				raw := kinds[kind](4000)
				fresh, err := new(Encoder).Encode(c, l, nil, raw)
				if err != nil {
					t.Fatalf("%s:%d: %v", c, l, err)
				}
				again, err := used.Encode(c, l, nil, raw)
				if err != nil || !bytes.Equal(fresh, again) {
					t.Fatalf("%s:%d: %s: a used encoder gives other bytes (%v)", c, l, kind, err)
				}
				if got := decodeGuarded(t, &d, c, again, len(raw), true); !bytes.Equal(got, raw) {
					t.Fatalf("%s:%d: %s: not what was encoded", c, l, kind)
				}
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	var e Encoder
	for _, c := range []struct {
		codec Codec
		level int
		kind  errs.Kind
	}{
		{LZO, DefaultLevel, errs.ErrUnsupported},
		{Bzip2, DefaultLevel, errs.ErrUnsupported},
		{Codec(99), DefaultLevel, errs.ErrUnsupported},
		{None, 0, errs.ErrOption},
		{Deflate, 10, errs.ErrOption},
		{Deflate, -2, errs.ErrOption},
		{Snappy, 0, errs.ErrOption},
		{Snappy, 4, errs.ErrOption},
		{LZ4, 10, errs.ErrOption},
		{Zstd, 0, errs.ErrOption},
		{Zstd, 23, errs.ErrOption},
		{Brotli, 12, errs.ErrOption},
	} {
		got, err := e.Encode(c.codec, c.level, []byte("head"), []byte("x"))
		if !errors.Is(err, c.kind) || string(got) != "head" {
			t.Errorf("%s:%d: %q, %v", c.codec, c.level, got, err)
		}
	}
}
