package bitpack_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

var shuffledWidths = []int{1, 2, 4, 8, 16}

// strides are the bytes of a plane, around the steps of the kernels.
var strides = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 96, 100, 128, 500, 512, 1024}

// shuffle takes the bits of elements apart, one by one.
func shuffle(src []byte, width int) []byte {
	dst := make([]byte, len(src))
	n := len(src) / width
	for e := range n {
		for p := range 8 * width {
			dst[p*(n/8)+e/8] |= src[e*width+p/8] >> (p % 8) & 1 << (e % 8)
		}
	}
	return dst
}

// kernels calls f with the vector kernels switched on, where there are any, and with those for all machines.
func kernels(f func(name string)) {
	if bitpack.UnshuffleWith(true) {
		f("vectors")
	}
	bitpack.UnshuffleWith(false)
	f("words")
	bitpack.UnshuffleWith(true)
}

// From the description of the layout: sixteen elements of two bytes, of which each has one bit.
func TestUnshuffleLayout(t *testing.T) {
	src := make([]byte, 32)
	want := make([]byte, 32)
	for e := range 16 {
		src[2*e+e/8] = 1 << (e % 8) // plane e holds element e alone
		binary.LittleEndian.PutUint16(want[2*e:], 1<<e)
	}
	got := make([]byte, 32)
	if bitpack.Unshuffle(got, src, 2); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestUnshuffle(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range shuffledWidths {
		for _, st := range strides {
			want := noise(r, 8*st*width)
			src := fixtures.AtEdge(t, shuffle(want, width), 0)
			longer := append(bytes.Clone(src), 0xff, 0xff)
			kernels(func(name string) {
				got := fixtures.AtEdge(t, noise(r, len(want)), 0)
				bitpack.Unshuffle(got, src, width)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d elements of %d bytes differ", name, 8*st, width)
				}
				clear(got)
				bitpack.Unshuffle(got, longer, width)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d elements of %d bytes with more behind them differ", name, 8*st, width)
				}
				odd := make([]byte, len(want)+1)[1:] // not aligned
				bitpack.Unshuffle(odd, src, width)
				if !bytes.Equal(odd, want) {
					t.Errorf("%s: %d elements of %d bytes at an odd address differ", name, 8*st, width)
				}
			})
		}
	}
}

func TestUnshuffleCodes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range []int{1, 2, 4} {
		for _, st := range strides {
			narrow := noise(r, 8*st*width)
			want := make([]int32, 8*st)
			for i := range want {
				var b [4]byte
				copy(b[:], narrow[i*width:(i+1)*width])
				want[i] = int32(binary.LittleEndian.Uint32(b[:]))
			}
			src := fixtures.AtEdge(t, shuffle(narrow, width), 0)
			kernels(func(name string) {
				b := fixtures.AtEdge(t, noise(r, 32*st), 0)
				got := bitpack.Int32s(b)
				bitpack.UnshuffleCodes(got, src, width)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d codes of %d bytes differ", name, 8*st, width)
				}
			})
		}
	}
}

// What lies beside the destination stays.
func TestUnshuffleStaysInside(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range shuffledWidths {
		for _, st := range strides {
			want := noise(r, 8*st*width)
			src := shuffle(want, width)
			kernels(func(name string) {
				room := bytes.Repeat([]byte{0xa5}, len(want)+128)
				bitpack.Unshuffle(room[64:64+len(want)], src, width)
				for _, b := range append(bytes.Clone(room[:64]), room[64+len(want):]...) {
					if b != 0xa5 {
						t.Fatalf("%s: %d elements of %d bytes: wrote beside them", name, 8*st, width)
					}
				}
			})
		}
	}
}

func TestUnshuffleMisuse(t *testing.T) {
	for _, c := range []struct {
		name     string
		dst, src int
		width    int
	}{
		{"width 0", 64, 64, 0},
		{"width 3", 24, 24, 3},
		{"width 32", 256, 256, 32},
		{"seven elements", 7, 7, 1},
		{"half an element", 33, 33, 4},
		{"short source", 64, 63, 4},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", c.name)
				}
			}()
			bitpack.Unshuffle(make([]byte, c.dst), make([]byte, c.src), c.width)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("codes of 8 bytes: no panic")
		}
	}()
	bitpack.UnshuffleCodes(make([]int32, 8), make([]byte, 64), 8)
}

func FuzzUnshuffle(f *testing.F) {
	f.Add(uint8(0), []byte("12345678"))
	f.Add(uint8(2), bytes.Repeat([]byte{0xff, 0, 0x55, 0xaa}, 300))
	f.Add(uint8(4), bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, 700))
	f.Fuzz(func(t *testing.T, w uint8, src []byte) {
		width := shuffledWidths[int(w)%len(shuffledWidths)]
		src = src[:len(src)/(8*width)*(8*width)]
		var first []byte
		kernels(func(name string) {
			got := make([]byte, len(src))
			bitpack.Unshuffle(got, src, width)
			if first == nil {
				first = got
				if !bytes.Equal(shuffle(got, width), src) {
					t.Fatalf("%s: width %d: not the inverse", name, width)
				}
			}
			if !bytes.Equal(got, first) {
				t.Fatalf("width %d: kernels differ", width)
			}
		})
	})
}

// A chunk of 8 KiB, as the format has them; moving is what memory allows.
func BenchmarkUnshuffle(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const size = 8 << 10
	src, dst := noise(r, size), make([]byte, size)
	b.Run("move", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			copy(dst, src)
		}
	})
	for _, width := range shuffledWidths {
		kernels(func(name string) {
			b.Run(fmt.Sprintf("bytes=%d/%s", width, name), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					bitpack.Unshuffle(dst, src, width)
				}
			})
		})
	}
}

// Codes straight to 32 bits, against doing so in a second pass; the bytes counted are those of the output.
func BenchmarkUnshuffleCodes(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const n = 4096
	src, narrow, dst := noise(r, 2*n), make([]byte, 2*n), make([]int32, n)
	for _, width := range []int{1, 2} {
		kernels(func(name string) {
			b.Run(fmt.Sprintf("bytes=%d/%s", width, name), func(b *testing.B) {
				b.SetBytes(4 * n)
				for b.Loop() {
					bitpack.UnshuffleCodes(dst, src, width)
				}
			})
			b.Run(fmt.Sprintf("bytes=%d/%s-twice", width, name), func(b *testing.B) {
				b.SetBytes(4 * n)
				for b.Loop() {
					bitpack.Unshuffle(narrow[:n*width], src, width)
					if width == 1 {
						for i, v := range narrow[:len(dst)] {
							dst[i] = int32(v)
						}
						continue
					}
					for i := range dst {
						dst[i] = int32(binary.LittleEndian.Uint16(narrow[2*i:]))
					}
				}
			})
		})
	}
}
