package cfilewire_test

import (
	"encoding/binary"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// encodeArrays writes a block of arrays of INT32, PLAIN. A nil array is null, a nil element too.
func encodeArrays(ordinal uint32, arrays [][]*uint32) []byte {
	var elements, lengths, valid []uint64
	var values []uint32
	for _, a := range arrays {
		lengths = append(lengths, uint64(len(a)))
		valid = append(valid, boolBit(a != nil))
		for _, v := range a {
			elements = append(elements, boolBit(v != nil))
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(elements)))
	b = binary.AppendUvarint(b, uint64(len(arrays)))
	for _, s := range [][]byte{encodeRuns(elements, 1), encodeRuns(lengths, 16), encodeRuns(valid, 1)} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return le32(le32(b, uint32(len(values)), ordinal), values...)
}

func boolBit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func TestParseArrays(t *testing.T) {
	// [1, null, 3], null, [], [4]: the bytes one by one.
	b := fromHex(t, "04 04  02 030d  09 03 0300 0000 0000 0100  02 030d  03000000 07000000 010000000300000004000000")
	v := []uint32{1, 3, 4}
	if got := encodeArrays(7, [][]*uint32{{&v[0], nil, &v[1]}, nil, {}, {&v[2]}}); !slices.Equal(got, b) {
		t.Fatalf("%x", got)
	}
	a, err := cfilewire.ParseArrays(b)
	if err != nil || a.Elements != 4 || a.Count != 4 {
		t.Fatalf("%v, %v", a, err)
	}
	var bits cfilewire.RLEBits
	var lengths cfilewire.RLE[uint16]
	var values cfilewire.PlainFixed
	valid := make([]byte, 2)
	bits.OpenStream(a.ElementValid, int(a.Elements))
	if err := bits.Next(valid, 0, 4); err != nil {
		t.Fatal(err)
	}
	bits.OpenStream(a.ArrayValid, int(a.Count))
	if err := bits.Next(valid, 8, 4); err != nil {
		t.Fatal(err)
	}
	lengths.OpenStream(a.Lengths, int(a.Count))
	n := make([]uint16, 4)
	if err := lengths.Next(n); err != nil || !slices.Equal(n, []uint16{3, 0, 0, 1}) || !slices.Equal(valid, []byte{13, 13}) {
		t.Fatalf("%v, %x, %v", n, valid, err)
	}
	h, err := values.Open(a.Values, 4)
	if err != nil || h != (cfilewire.Head{Count: 3, Ordinal: 7}) {
		t.Fatalf("%v, %v", h, err)
	}
	// Null arrays only: no elements, and no bytes about them.
	a, err = cfilewire.ParseArrays(encodeArrays(0, make([][]*uint32, 1000)))
	if err != nil || a.Elements != 0 || a.Count != 1000 || len(a.ElementValid) != 0 || len(a.Lengths) != 4 || len(a.ArrayValid) != 3 {
		t.Errorf("%v, %v", a, err)
	}
	for n := range 18 {
		if a, err := cfilewire.ParseArrays(exact(b[:n])); !errors.Is(err, errs.ErrCorrupt) || a.Count != 0 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, s := range []string{"ffffffff1f", "00 ffffffff1f", "00 00 ffffffff0f", "00 00 01", "00 00 00 ffffffff0f", "00 00 00 00 01"} {
		if _, err := cfilewire.ParseArrays(fromHex(t, s)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestParseArraysRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 100 {
		arrays := make([][]*uint32, 1+r.Intn(200))
		var elements, lengths, valid, values []uint64
		for i := range arrays {
			if r.Intn(3) > 0 {
				arrays[i] = make([]*uint32, r.Intn(5))
				for k := range arrays[i] {
					if r.Intn(4) > 0 {
						v := r.Uint32()
						arrays[i][k] = &v
						values = append(values, uint64(v))
					}
					elements = append(elements, boolBit(arrays[i][k] != nil))
				}
			}
			lengths = append(lengths, uint64(len(arrays[i])))
			valid = append(valid, boolBit(arrays[i] != nil))
		}
		a, err := cfilewire.ParseArrays(encodeArrays(5, arrays))
		if err != nil || int(a.Elements) != len(elements) || int(a.Count) != len(arrays) {
			t.Fatalf("%v, %v", a, err)
		}
		checkBitRuns(t, append(le32(nil, a.Elements, 0), a.ElementValid...), elements)
		checkBitRuns(t, append(le32(nil, a.Count, 0), a.ArrayValid...), valid)
		checkRuns[uint16](t, r, append(le32(nil, a.Count, 0), a.Lengths...), lengths)
		if !slices.Equal(a.Values[8:], packed(nil, values, 32)) {
			t.Fatalf("values %x", a.Values)
		}
	}
}
