package blockcodec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// numbers are packed numbers: of few values, of all, ascending; and mixtures in which blocks of zstd differ in kind.
func numbers(kind string, n int) []byte {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	b := make([]byte, 0, n+8)
	for i := 0; len(b) < n; i++ {
		switch kind {
		case "digits":
			b = append(b, byte(r.IntN(11)))
		case "noise":
			b = binary.BigEndian.AppendUint64(b, r.Uint64())
		case "wide":
			b = binary.BigEndian.AppendUint32(b, uint32(r.IntN(200_000)))[:len(b)+4]
		case "ascending":
			b = binary.BigEndian.AppendUint64(b, uint64(i))
		case "same":
			b = append(b, 7)
		case "digits, noise, same, digits":
			switch len(b) * 4 / n {
			case 1:
				b = binary.BigEndian.AppendUint64(b, r.Uint64())
			case 2:
				b = append(b, 7)
			default:
				b = append(b, byte(r.IntN(11)))
			}
		}
	}
	return b[:n]
}

// TestNumbers: what EncodeNumbers writes decodes, whatever encoder writes it, and has the same bytes whatever it wrote before.
func TestNumbers(t *testing.T) {
	var used Encoder
	var d Decoder
	for _, kind := range []string{"digits", "noise", "wide", "ascending", "same", "digits, noise, same, digits"} {
		for _, n := range []int{0, 100, leastSampled - 1, leastSampled, zstdBlock, zstdBlock + 1, zstdBlock + 11, zstdBlock + 1000, 2*zstdBlock + 300, 4 * zstdBlock} {
			raw := numbers(kind, n)
			for _, c := range []Codec{Zstd, Deflate, Snappy, None} {
				for _, level := range []int{DefaultLevel, 1, 4, 9} {
					if checkLevel(c, level) != nil {
						continue
					}
					name := fmt.Sprintf("%s, %d bytes, %s:%d", kind, n, c, level)
					block, err := used.EncodeNumbers(c, level, []byte("head"), raw)
					if err != nil || string(block[:4]) != "head" {
						t.Fatalf("%s: %v", name, err)
					}
					block = block[4:]
					if got := decodeGuarded(t, &d, c, block, n, true); !bytes.Equal(got, raw) {
						t.Fatalf("%s: not what was encoded", name)
					}
					again, err := new(Encoder).EncodeNumbers(c, level, nil, raw)
					if err != nil || !bytes.Equal(again, block) {
						t.Fatalf("%s: a new encoder gives other bytes (%v)", name, err)
					}
					plain, err := used.Encode(c, level, nil, raw)
					if err != nil {
						t.Fatal(err)
					}
					if most := len(plain) + len(plain)/40 + 100; kind != "digits, noise, same, digits" && len(block) > most {
						t.Errorf("%s: %d bytes, with matches %d", name, len(block), len(plain))
					}
				}
			}
		}
	}
	if _, err := used.EncodeNumbers(Zstd, 99, nil, make([]byte, 1<<16)); err == nil {
		t.Error("level 99 is taken")
	}
	if _, err := used.EncodeNumbers(LZO, DefaultLevel, nil, make([]byte, 1<<16)); err == nil {
		t.Error("LZO is written")
	}
}

// TestUnmatched: what EncodeUnmatched writes decodes, and is no longer than what Encode writes where the sample tells.
func TestUnmatched(t *testing.T) {
	var e Encoder
	var d Decoder
	for _, kind := range []string{"digits", "noise", "wide", "same"} {
		for _, n := range []int{0, 100, 4*mostSample - 1, 4 * mostSample, 4*mostSample + 1, 4*mostSample + 21, 1<<18 + 3} {
			raw := numbers(kind, n)
			for _, c := range []Codec{None, Snappy, Deflate} {
				for _, level := range []int{DefaultLevel, 1, 3} {
					if checkLevel(c, level) != nil {
						continue
					}
					name := fmt.Sprintf("%s, %d bytes, %s:%d", kind, n, c, level)
					block, err := e.EncodeUnmatched(c, level, []byte("head"), raw)
					if err != nil || string(block[:4]) != "head" {
						t.Fatalf("%s: %v", name, err)
					}
					if got := decodeGuarded(t, &d, c, block[4:], n, true); !bytes.Equal(got, raw) {
						t.Fatalf("%s: not what was encoded", name)
					}
					plain, err := e.Encode(c, level, nil, raw)
					if err != nil || len(block)-4 > len(plain) {
						t.Errorf("%s: %d bytes, Encode makes %d (%v)", name, len(block)-4, len(plain), err)
					}
				}
			}
		}
	}
	// Noise in the middle is what the sample sees.
	raw := append(append(numbers("same", 1<<16), numbers("noise", 1<<16)...), numbers("same", 1<<16)...)
	block, err := e.EncodeUnmatched(Snappy, DefaultLevel, nil, raw)
	if got := decodeGuarded(t, &d, Snappy, block, len(raw), true); err != nil || !bytes.Equal(got, raw) || len(block) != len(raw)+3+4 {
		t.Errorf("%d bytes of %d (%v), want one literal", len(block), len(raw), err)
	}
	if _, err := e.EncodeUnmatched(Snappy, 99, nil, raw); err == nil {
		t.Error("level 99 is taken")
	}
}

// TestLiterals writes frames without matches of any content.
func TestLiterals(t *testing.T) {
	var e Encoder
	var d Decoder
	for _, kind := range []string{"digits", "noise", "wide", "same", "digits, noise, same, digits"} {
		for _, n := range []int{1, 2, 11, 12, 1000, zstdBlock - 1, zstdBlock + 3, 5*zstdBlock + 77} {
			raw := numbers(kind, n)
			block, err := e.zstdLiterals([]byte("head"), raw)
			if err != nil || string(block[:4]) != "head" {
				t.Fatalf("%s, %d bytes: %v", kind, n, err)
			}
			if got := decodeGuarded(t, &d, Zstd, block[4:], n, true); !bytes.Equal(got, raw) {
				t.Fatalf("%s, %d bytes: not what was encoded", kind, n)
			}
		}
	}
}

func FuzzLiterals(f *testing.F) {
	for _, kind := range []string{"digits", "wide", "same"} {
		f.Add(numbers(kind, 300))
	}
	var e Encoder
	var d Decoder
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 {
			return
		}
		for range 3 { // so that there are several blocks
			block, err := e.zstdLiterals(nil, raw)
			if err != nil {
				t.Fatal(err)
			}
			if got := decodeGuarded(t, &d, Zstd, block, len(raw), true); !bytes.Equal(got, raw) {
				t.Fatal("not what was encoded")
			}
			raw = bytes.Repeat(raw, 1+min(5, 300_000/(len(raw)+1)))
		}
	})
}

// Floating-point numbers without a pattern have no matches; codes of bytes make them shorter.
func TestZstdWithoutMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	src := make([]byte, 64<<10)
	for i := 0; i < len(src); i += 8 {
		binary.LittleEndian.PutUint64(src[i:], math.Float64bits(r.Float64()))
	}
	for _, level := range []int{DefaultLevel, 1, 19} {
		out, err := new(Encoder).Encode(Zstd, level, []byte("x"), src)
		if err != nil || len(out) > len(src)*96/100 {
			t.Errorf("level %d: %d bytes of %d, %v", level, len(out), len(src), err)
			continue
		}
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := d.DecodeAll(out[1:], nil); err != nil || !bytes.Equal(back, src) || out[0] != 'x' {
			t.Errorf("level %d: %v", level, err)
		}
		d.Close()
	}
}
