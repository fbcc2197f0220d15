package cfilewire_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Blocks of STRING and VARCHAR values as Kudu 1.17 wrote them, and the form of a block without values.
func TestPrefixVectors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s cfilewire.Strings
	h, err := s.OpenPrefix(fromHex(t, `10 12 1a01 10 00
		00 01 74  00 07 6e616661737777  00 0c 7065707364656676767a7a7a  00 0e 6c786e7264657a63666d72737363
		00 09 786a6a77686676646f  00 09 6971746e736f66706a  01 01 61  00 0d 6174656e6d7172736c6d6c6871
		00 0b 737865766b777878626c6c  00 01 6e  00 0e 646d62646f637068616a79787263  00 0e 6f666f626361706d6770636b726b
		00 0e 74747a796968727a6a686b697571  00 05 6c6e796679  00 04 74726164  00 02 6b6b
		00 0e 736f71666d657163776c72736771  00 05 72626d6f64
		a9000000 01000000`), 1<<20)
	if err != nil || h != (cfilewire.Head{Count: 18, Ordinal: 282}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, []string{
		"t", "nafasww", "pepsdefvvzzz", "lxnrdezcfmrssc", "xjjwhfvdo", "iqtnsofpj", "ia", "atenmqrslmlhq", "sxevkwxxbll",
		"n", "dmbdocphajyxrc", "ofobcapmgpckrk", "ttzyihrzjhkiuq", "lnyfy", "trad", "kk", "soqfmeqcwlrsgq", "rbmod",
	})
	h, err = s.OpenPrefix(fromHex(t, `00 28 00 10 00
		00 08 636f6e7374616e74 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800
		00 08 636f6e7374616e74 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800 0800
		00 08 636f6e7374616e74 0800 0800 0800 0800 0800 0800 0800
		2d000000 55000000 02000000`), 320)
	if err != nil || h != (cfilewire.Head{Count: 40}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, slices.Repeat([]string{"constant"}, 40))
	h, err = s.OpenPrefix(fromHex(t, "00 00 07 10 00 00000000"), 0)
	if err != nil || h != (cfilewire.Head{Ordinal: 7}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, nil)
}

func TestPrefix(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s cfilewire.Strings
	for range 500 {
		want := randomStrings(r, r.Intn(100), 1+r.Intn(2)*r.Intn(400))
		interval := 16
		if r.Intn(3) == 0 {
			interval = 1 + r.Intn(40)
		}
		b := exact(encodePrefix(9, want, interval))
		size := int64(len(strings.Join(want, "")))
		h, err := s.OpenPrefix(b, size)
		if err != nil || h != (cfilewire.Head{Count: uint32(len(want)), Ordinal: 9}) {
			t.Fatalf("%v, %v", h, err)
		}
		checkStrings(t, r, &s, want)
		if size > 0 {
			var s cfilewire.Strings
			if _, err := s.OpenPrefix(b, r.Int63n(size)); !errors.Is(err, errs.ErrLimit) {
				t.Fatalf("limit: %v", err)
			}
		}
		n := r.Intn(len(b))
		if _, err := s.OpenPrefix(exact(b[:n]), math.MaxInt64); !errors.Is(err, errs.ErrCorrupt) || s.Len() != 0 {
			t.Fatalf("%d of %d bytes: %v, %d strings", n, len(b), err, s.Len())
		}
	}
}

func TestPrefixHostile(t *testing.T) {
	want := slices.Repeat([]string{"abcde", "abcdef", "b"}, 20)
	b := encodePrefix(3, want, 16)
	var s cfilewire.Strings
	refuse := func(what string, b []byte) {
		t.Helper()
		if _, err := s.OpenPrefix(exact(b), 1<<30); !errors.Is(err, errs.ErrCorrupt) || s.Len() != 0 {
			t.Errorf("%s: %v, %d strings", what, err, s.Len())
		}
	}
	for n := range b {
		refuse("cut", b[:n])
	}
	for _, v := range []uint32{0, 2, 4, 1 << 30, math.MaxUint32} {
		c := slices.Clone(b)
		binary.LittleEndian.PutUint32(c[len(c)-4:], v)
		refuse("restarts", c)
	}
	for i := len(b) - 16; i < len(b)-4; i++ {
		c := slices.Clone(b)
		c[i] ^= 1
		refuse("restart", c)
	}
	body := b[5 : len(b)-4]
	for _, head := range [][]uint32{
		{59, 3, 16, 0},
		{61, 3, 16, 0},
		{0, 3, 16, 0},
		{math.MaxUint32, 3, 16, 0},
		{60, 3, 0, 0},
		{60, 3, 15, 0},
		{60, 3, 17, 0},
		{60, 3, 32, 0},
		{60, 3, math.MaxUint32, 0},
	} {
		refuse("header", append(append(encodeGroups(nil, head...), body...), b[len(b)-4:]...))
	}
	// No restarts, and an interval that none fits in.
	one := func(entries string, count uint32) []byte {
		return append(append(encodeGroups(nil, count, 0, math.MaxUint32, 0), fromHex(t, entries)...), 0, 0, 0, 0)
	}
	if _, err := s.OpenPrefix(one("0003616263 0200 0000 800080808000 0081808000 61", 5), 10); err != nil || string(s.At(4)) != "a" {
		t.Errorf("varints longer than need be: %v", err)
	}
	for _, e := range []string{"0100", "010161", "000161 0200", "000161 02ff7f61", "00ffffffff0f", "ffffffff0f00", "000161 ffffffff0f 0161", "0001", "000161 0001", "000161 8080808080808080808001 00", "80", "0080"} {
		for count := uint32(1); count < 3; count++ {
			refuse(e, one(e, count))
		}
	}
}

// Two bytes can stand for as much as the string before.
func TestPrefixBomb(t *testing.T) {
	const size = 1 << 16
	b := encodeGroups(nil, 1+1<<15, 0, math.MaxUint32, 0)
	b = binary.AppendUvarint(append(b, 0), size)
	b = append(b, make([]byte, size)...)
	for range 1 << 15 {
		b = append(binary.AppendUvarint(b, size), 0)
	}
	b = append(b, 0, 0, 0, 0)
	for _, limit := range []int64{-1, 0, size, 1 << 20} {
		var s cfilewire.Strings
		if _, err := s.OpenPrefix(b, limit); !errors.Is(err, errs.ErrLimit) || s.Len() != 0 {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}
