package orcwire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// TestVarintExamples: the tables of the specification ("Base 128 Varint"), written and read.
func TestVarintExamples(t *testing.T) {
	for _, c := range []struct {
		value  int64
		signed bool
		want   string
	}{
		{0, false, "00"},
		{1, false, "01"},
		{127, false, "7f"},
		{128, false, "80 01"},
		{129, false, "81 01"},
		{16_383, false, "ff 7f"},
		{16_384, false, "80 80 01"},
		{16_385, false, "81 80 01"},
		{0, true, "00"},
		{-1, true, "01"},
		{1, true, "02"},
		{-2, true, "03"},
		{2, true, "04"},
	} {
		stored := make([]byte, 32)
		stored = stored[:bitpack.PutVarints(stored, []int64{c.value}, c.signed)]
		if got := fmt.Sprintf("% x", stored); got != c.want {
			t.Errorf("%d, signed %v: %s, want %s", c.value, c.signed, got, c.want)
		}
		decode := bitpack.DecodeUvarints[int64]
		if c.signed {
			decode = bitpack.DecodeZigzag[int64]
		}
		var back [1]int64
		if n, err := decode(back[:], stored); err != nil || n != len(stored) || back[0] != c.value {
			t.Errorf("%s, signed %v: %d in %d bytes, %v", c.want, c.signed, back[0], n, err)
		}
	}
}

// TestWidthExamples: every width of the table of version 2 ("Direct"), also those that are deprecated, and its code.
func TestWidthExamples(t *testing.T) {
	codes := map[int]byte{1: 0, 2: 1, 4: 3, 8: 7, 16: 15, 24: 23, 32: 27, 40: 28, 48: 29, 56: 30, 64: 31, 3: 2, 26: 24, 28: 25, 30: 26}
	for _, span := range [][2]int{{5, 7}, {9, 15}, {17, 21}} {
		for width := span[0]; width <= span[1]; width++ {
			codes[width] = byte(width - 1)
		}
	}
	for width, code := range codes {
		run := []byte{0x40 | code<<1, 1} // direct, of two values: all ones, and 1
		packed := make([]byte, (2*width+7)/8)
		for i := range width {
			packed[i/8] |= 0x80 >> (i % 8)
		}
		packed[(2*width-1)/8] |= 0x80 >> ((2*width - 1) % 8)
		run = append(run, packed...)
		got, err := readAll[int64](t, stored{bytes: run, size: len(run)}, true, false, 2)
		if want := []int64{int64(^uint64(0) >> (64 - width)), 1}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%d bits: %v, %v, want %v", width, got, err, want)
		}
	}
}

// TestTimestampExamples: the nanoseconds of the specification ("Timestamp Columns"), behind the first second of 2015.
func TestTimestampExamples(t *testing.T) {
	const start = 1_420_070_400
	for nanos, want := range map[int64]byte{1000: 0x0a, 100_000: 0x0c} {
		var seconds, secondary orcwire.Out
		var w orcwire.TimestampsOut
		seconds.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
		secondary.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
		w.Open(&seconds, &secondary, false, orcwire.Nanosecond)
		if err := w.Put([]int64{start*1e9 + nanos}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		seconds.Flush()
		secondary.Flush()
		// A list of one number, in version 1.
		if got := bytes.Join(secondary.Parts(), nil); !bytes.Equal(got, []byte{0xff, want}) {
			t.Errorf("%d ns: SECONDARY is % x, want ff %02x", nanos, got, want)
		}
		if got := bytes.Join(seconds.Parts(), nil); !bytes.Equal(got, []byte{0xff, 0}) {
			t.Errorf("%d ns: DATA is % x, want ff 00", nanos, got)
		}
		back := []int64{0}
		var in orcwire.Timestamps
		if err := in.Combine(back, []int64{int64(want)}); err != nil || back[0] != start*1e9+nanos {
			t.Errorf("%02x: %d, %v", want, back[0], err)
		}
	}
}

// TestChunkExamples reads the chunks whose headers the specification gives ("Compression"): of 100,000 bytes that are compressed, and of 5 that are not.
func TestChunkExamples(t *testing.T) {
	content := make([]byte, 99_990)
	rand.New(rand.NewSource(1)).Read(content)
	long := []byte{0x40, 0x0d, 0x03}
	for i, part := range [][]byte{content[:65_535], content[65_535:]} { // blocks of deflate that are stored: 5 bytes, and theirs
		size := uint16(len(part))
		long = binary.LittleEndian.AppendUint16(append(long, byte(i)), size)
		long = append(binary.LittleEndian.AppendUint16(long, ^size), part...)
	}
	for _, c := range []struct{ stored, want []byte }{{long, content}, {[]byte("\x0b\x00\x00hello"), []byte("hello")}} {
		var b orcwire.Bytes
		var sc orcwire.Scratch
		s := stored{packing: orcwire.Packing{Codec: blockcodec.Deflate, Chunked: true, BlockSize: 256 << 10}, bytes: c.stored, size: len(c.want)}
		s.open(t, &b, &sc)
		got := make([]byte, len(c.want))
		if err := b.Take(got); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("chunk % x: %v", c.stored[:3], err)
		}
		if ended, err := b.Ended(); err != nil || !ended {
			t.Errorf("chunk % x: not at the end: %v", c.stored[:3], err)
		}
	}
}
