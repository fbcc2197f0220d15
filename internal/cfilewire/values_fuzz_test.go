package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// FuzzPlain opens what may be PLAIN blocks; those that are, are just as long as they say.
func FuzzPlain(f *testing.F) {
	f.Add(append(le32(nil, 3, 1), 1, 2, 3), uint8(1), int64(1))
	f.Add(append(le32(nil, 1, 1), make([]byte, 16)...), uint8(16), int64(2))
	f.Add(append(le32(nil, 24, 1), 1, 2, 3), uint8(0), int64(3))
	f.Fuzz(func(t *testing.T, b []byte, width uint8, seed int64) {
		b = exact(b)
		var bits cfilewire.PlainBits
		if h, err := bits.Open(b); err == nil {
			if len(b) != 8+(int(h.Count)+7)/8 {
				t.Fatalf("%d bits in %d bytes", h.Count, len(b))
			}
			checkBits(t, b[8:], int(h.Count), func() bitReader {
				p := new(cfilewire.PlainBits)
				if _, err := p.Open(b); err != nil {
					t.Fatal(err)
				}
				return p
			})
		}
		width = width%16 + 1
		var p cfilewire.PlainFixed
		h, err := p.Open(b, int(width))
		if err != nil {
			return
		}
		if len(b) != 8+int(h.Count)*int(width) {
			t.Fatalf("%d values of %d in %d bytes", h.Count, width, len(b))
		}
		r := rand.New(rand.NewSource(seed))
		for at := 8; p.Left() > 0; {
			k := r.Intn(p.Left() + 1)
			got := make([]byte, k*int(width))
			if r.Intn(2) == 0 {
				err = p.Skip(k)
			} else if err = p.Next(got); !bytes.Equal(got, b[at:at+len(got)]) {
				t.Fatalf("%x", got)
			}
			if err != nil {
				t.Fatal(err)
			}
			at += len(got)
		}
	})
}

// FuzzRLE compares with what goes value by value, whatever the bytes are.
func FuzzRLE(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 20 {
		b, values := oddRuns(r, []int{1, 8, 16, 32, 64}[i%5])
		f.Add(append(le32(nil, uint32(len(values)), 0), b...), int64(i))
	}
	f.Add(fromHex(f, "7600000000000000 24feff 3affff 380000 3a0100 1c0200"), int64(1))
	f.Add(fromHex(f, nullableBlock), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		if len(b) < 8 || len(b) > 2000 {
			return
		}
		b = exact(b)
		b[3] = 0 // runs of 2^24 and more values take too long to check
		b[2] &= 1
		count := int(binary.LittleEndian.Uint32(b))
		r := rand.New(rand.NewSource(seed))
		checkRuns[int8](t, r, b, slowRuns(b[8:], 8, count))
		checkRuns[uint16](t, r, b, slowRuns(b[8:], 16, count))
		checkRuns[int32](t, r, b, slowRuns(b[8:], 32, count))
		checkRuns[int64](t, r, b, slowRuns(b[8:], 64, count))
		checkBitRuns(t, b, slowRuns(b[8:], 1, count))
		if rows, bitmap, rest, err := cfilewire.ParseNulls(b); err == nil && len(bitmap)+len(rest) > len(b)-2 {
			t.Fatalf("%d rows, %d and %d of %d bytes", rows, len(bitmap), len(rest), len(b))
		}
	})
}

// FuzzStrings opens what may be blocks of strings. Those that are say the same whichever way they are read, and when
// they are written again.
func FuzzStrings(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 10 {
		values := randomStrings(r, i*4, 1+i*5)
		f.Add(encodePlainStrings(uint32(i), values), int64(i))
		f.Add(encodePrefix(uint32(i), values, 16), int64(i))
		f.Add(encodePrefix(uint32(i), values, 2), int64(i))
	}
	f.Add(fromHex(f, "00000000 06000000 15000000 00 0000 0001 010002 ff 00 0c0c0d0f 00 11140000"), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		b = exact(b)
		r := rand.New(rand.NewSource(seed))
		var s cfilewire.Strings
		all := func(h cfilewire.Head) (values []string) {
			if int(h.Count) != s.Len() || int(h.Count) > len(b) {
				t.Fatalf("%d strings of %d, in %d bytes", s.Len(), h.Count, len(b))
			}
			for i := range s.Len() {
				values = append(values, string(s.At(i)))
			}
			return values
		}
		if h, err := s.OpenPlain(b); err == nil {
			values := all(h)
			checkStrings(t, r, &s, values)
			end := binary.LittleEndian.Uint32(b[8:])
			if again := encodePlainStrings(h.Ordinal, values); !bytes.Equal(again[:end], b[:end]) {
				t.Fatalf("%x, again %x", b, again)
			}
		} else if s.Len() != 0 {
			t.Fatalf("%d strings, %v", s.Len(), err)
		}
		const limit = 1 << 16
		if h, err := s.OpenPrefix(b, limit); err == nil {
			values := all(h)
			if len(strings.Join(values, "")) > limit {
				t.Fatal("more than the limit")
			}
			checkStrings(t, r, &s, values)
			if want := slowPrefix(b); strings.Join(want, "|") != strings.Join(values, "|") {
				t.Fatalf("%q, want %q", values, want)
			}
		} else if s.Len() != 0 {
			t.Fatalf("%d strings, %v", s.Len(), err)
		}
	})
}

// slowPrefix decodes a PREFIX block that is good.
func slowPrefix(b []byte) (values []string) {
	head, before := make([]uint32, 4), ""
	selector, p := b[0], 1
	for k := range head {
		for i := range int(selector>>(6-2*k)&3) + 1 {
			head[k] |= uint32(b[p]) << (8 * i)
			p++
		}
	}
	for range head[0] {
		shared, n := binary.Uvarint(b[p:])
		p += n
		own, n := binary.Uvarint(b[p:])
		p += n
		before = before[:shared] + string(b[p:p+int(own)])
		p += int(own)
		values = append(values, before)
	}
	return values
}

// FuzzGroupVarint compares with what goes value by value.
func FuzzGroupVarint(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 10 {
		values := make([]uint32, i*7)
		for k := range values {
			values[k] = r.Uint32() >> r.Intn(32)
		}
		f.Add(encodeFrame(uint32(i), values), int64(i))
	}
	f.Add(encodeGroups(encodeGroups(nil, 3, 1<<32-1, 0, 0), 0, 1, 0), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		b = exact(b)
		r := rand.New(rand.NewSource(seed))
		var g cfilewire.GroupVarint
		h, err := g.Open(b)
		if err != nil {
			return
		}
		words := slowGroupVarint(b)
		base := words[1]
		var want []uint32
		for _, v := range words[4:] {
			if len(want) == int(h.Count) || uint64(v)+uint64(base) > 1<<32-1 {
				break
			}
			want = append(want, v+base)
		}
		if h != (cfilewire.Head{Count: words[0], Ordinal: words[2]}) {
			t.Fatalf("%v, want %v", h, words[:3])
		}
		if len(want) == int(h.Count) { // else skipping need not notice
			checkFrame(t, r, b, want)
		} else if err := g.Next(make([]uint32, h.Count)); err == nil {
			t.Fatalf("%d of %d values are good", len(want), h.Count)
		}
	})
}

// slowGroupVarint decodes all whole groups.
func slowGroupVarint(b []byte) (values []uint32) {
	for len(b) > 0 {
		selector := b[0]
		b = b[1:]
		var group []uint32
		for k := range 4 {
			width := int(selector>>(6-2*k)&3) + 1
			if width > len(b) {
				return values
			}
			var v [4]byte
			copy(v[:], b[:width])
			group = append(group, binary.LittleEndian.Uint32(v[:]))
			b = b[width:]
		}
		values = append(values, group...)
	}
	return values
}

// FuzzArrays cuts what may be blocks of arrays. The parts are those of the block, in order, and read as such.
func FuzzArrays(f *testing.F) {
	v := uint32(7)
	f.Add(encodeArrays(1, [][]*uint32{{&v, nil}, nil, {}}), int64(1))
	f.Add(encodeArrays(1, make([][]*uint32, 100)), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		a, err := cfilewire.ParseArrays(exact(b))
		if err != nil {
			return
		}
		n := len(a.ElementValid) + len(a.Lengths) + len(a.ArrayValid) + len(a.Values)
		if n > len(b)-5 || !bytes.HasSuffix(b, a.Values) {
			t.Fatalf("%d of %d bytes", n, len(b))
		}
		if a.Elements > 1<<16 || a.Count > 1<<16 {
			return
		}
		r := rand.New(rand.NewSource(seed))
		checkBitRuns(t, append(le32(nil, a.Elements, 0), a.ElementValid...), slowRuns(a.ElementValid, 1, int(a.Elements)))
		checkBitRuns(t, append(le32(nil, a.Count, 0), a.ArrayValid...), slowRuns(a.ArrayValid, 1, int(a.Count)))
		checkRuns[uint16](t, r, append(le32(nil, a.Count, 0), a.Lengths...), slowRuns(a.Lengths, 16, int(a.Count)))
	})
}
