package bitpack_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// From docs/formats/cfile.md: eight elements of two bytes.
func TestShuffleLayout(t *testing.T) {
	var src []byte
	for _, v := range []uint16{1, 2, 3, 4, 5, 6, 7, 256} {
		src = binary.LittleEndian.AppendUint16(src, v)
	}
	want := []byte{0x55, 0x66, 0x78, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0}
	got := make([]byte, 16)
	if bitpack.Shuffle(got, src, 2); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestShuffle(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range shuffledWidths {
		for _, st := range strides {
			src := fixtures.AtEdge(t, noise(r, 8*st*width), 0)
			want := shuffle(src, width)
			kernels(func(name string) {
				room := bytes.Repeat([]byte{0xa5}, len(want)+128)
				bitpack.Shuffle(room[63:63+len(want)], src, width) // not aligned
				if !bytes.Equal(room[63:63+len(want)], want) {
					t.Fatalf("%s: %d elements of %d bytes differ", name, 8*st, width)
				}
				for _, b := range append(bytes.Clone(room[:63]), room[63+len(want):]...) {
					if b != 0xa5 {
						t.Fatalf("%s: %d elements of %d bytes: wrote beside them", name, 8*st, width)
					}
				}
				edge := fixtures.AtEdge(t, noise(r, len(want)), 0)
				bitpack.Shuffle(edge, src, width)
				if !bytes.Equal(edge, want) {
					t.Fatalf("%s: %d elements of %d bytes at a page's end differ", name, 8*st, width)
				}
			})
		}
	}
}

func TestShuffleMisuse(t *testing.T) {
	for _, c := range []struct {
		name     string
		dst, src int
		width    int
	}{
		{"width 0", 64, 64, 0},
		{"width 3", 24, 24, 3},
		{"seven elements", 7, 7, 1},
		{"short destination", 63, 64, 4},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", c.name)
				}
			}()
			bitpack.Shuffle(make([]byte, c.dst), make([]byte, c.src), c.width)
		}()
	}
}

func FuzzShuffle(f *testing.F) {
	f.Add(uint8(0), []byte("12345678"))
	f.Add(uint8(2), bytes.Repeat([]byte{0xff, 0, 0x55, 0xaa}, 300))
	f.Add(uint8(4), bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, 700))
	f.Fuzz(func(t *testing.T, w uint8, src []byte) {
		width := shuffledWidths[int(w)%len(shuffledWidths)]
		src = src[:len(src)/(8*width)*(8*width)]
		kernels(func(name string) {
			planes, back := make([]byte, len(src)), make([]byte, len(src))
			bitpack.Shuffle(planes, src, width)
			bitpack.Unshuffle(back, planes, width)
			if !bytes.Equal(back, src) {
				t.Fatalf("%s: width %d: not the reverse", name, width)
			}
		})
	})
}

func BenchmarkShuffle(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const size = 8 << 10
	src, dst := noise(r, size), make([]byte, size)
	for _, width := range shuffledWidths {
		kernels(func(name string) {
			b.Run(fmt.Sprintf("bytes=%d/%s", width, name), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					bitpack.Shuffle(dst, src, width)
				}
			})
		})
	}
}
