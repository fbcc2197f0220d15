package cfilewire_test

import (
	"bytes"
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

// checkStrings reads the block that s has open in many ways.
func checkStrings(t *testing.T, r *rand.Rand, s *cfilewire.Strings, want []string) {
	t.Helper()
	if s.Len() != len(want) || s.Left() != len(want) {
		t.Fatalf("%d strings, %d left, want %d", s.Len(), s.Left(), len(want))
	}
	offsets, data := s.Flat()
	for i, v := range want {
		if string(s.At(i)) != v || string(data[offsets[i]:offsets[i+1]]) != v {
			t.Fatalf("string %d is %q, want %q", i, s.At(i), v)
		}
	}
	for at := 0; at < len(want); {
		k := r.Intn(len(want) + 1 - at)
		if r.Intn(2) == 0 {
			k = r.Intn(min(k, 9) + 1)
		}
		size := len(strings.Join(want[at:at+k], ""))
		if s.Size(k) != int64(size) || s.Left() != len(want)-at {
			t.Fatalf("%d strings at %d take %d, want %d; %d left", k, at, s.Size(k), size, s.Left())
		}
		if r.Intn(3) == 0 {
			if err := s.Skip(k); err != nil {
				t.Fatal(err)
			}
			at += k
			continue
		}
		ends := make([]int32, k+1)
		ends[0] = int32(r.Intn(20))
		got := bytes.Repeat([]byte{'#'}, int(ends[0])+size)
		if size > 0 {
			if err := s.Next(slices.Clone(ends), got[:len(got)-1]); !errors.Is(err, errs.ErrLimit) {
				t.Fatalf("a byte too few: %v", err)
			}
		}
		if err := s.Next(ends, got); err != nil {
			t.Fatal(err)
		}
		for i, v := range want[at : at+k] {
			if string(got[ends[i]:ends[i+1]]) != v {
				t.Fatalf("string %d is %q, want %q", at+i, got[ends[i]:ends[i+1]], v)
			}
		}
		if strings.Trim(string(got[:ends[0]]), "#") != "" {
			t.Fatal("wrote before the first string")
		}
		at += k
	}
	if err := s.Next(make([]int32, 2), make([]byte, 100)); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("behind the end: %v", err)
	}
	if err := s.Skip(1); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("skip behind the end: %v", err)
	}
}

// A block of BINARY values as Kudu 1.17 wrote it, and the empty dictionary.
func TestPlainStringsVectors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s cfilewire.Strings
	h, err := s.OpenPlain(fromHex(t, "00000000 06000000 15000000 00 0000 0001 010002 ff 00 0c0c0d0f 00 11140000"))
	if err != nil || h != (cfilewire.Head{Count: 6}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, []string{"", "\x00", "\x00\x00", "\x00\x01", "\x01\x00\x02", "\xff"})
	h, err = s.OpenPlain(fromHex(t, "05000000 00000000 0c000000"))
	if err != nil || h != (cfilewire.Head{Ordinal: 5}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, nil)
}

func TestPlainStrings(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s cfilewire.Strings
	for range 300 {
		want := randomStrings(r, r.Intn(100), 1+r.Intn(2)*r.Intn(400))
		b := exact(encodePlainStrings(9, want))
		h, err := s.OpenPlain(b)
		if err != nil || h != (cfilewire.Head{Count: uint32(len(want)), Ordinal: 9}) {
			t.Fatalf("%v, %v", h, err)
		}
		checkStrings(t, r, &s, want)
	}
	long := []string{strings.Repeat("a", 1<<24), "b", strings.Repeat("c", 1<<16), strings.Repeat("d", 255), "e"}
	if _, err := s.OpenPlain(encodePlainStrings(0, long)); err != nil {
		t.Fatal(err)
	}
	checkStrings(t, r, &s, long)
}

func TestPlainStringsHostile(t *testing.T) {
	want := []string{"one", "", "three", "four", "five"}
	b := encodePlainStrings(3, want)
	var s cfilewire.Strings
	refuse := func(what string, b []byte) {
		t.Helper()
		if _, err := s.OpenPlain(exact(b)); !errors.Is(err, errs.ErrCorrupt) || s.Len() != 0 || s.Left() != 0 || s.Size(5) != 0 {
			t.Errorf("%s: %v, %d strings", what, err, s.Len())
		}
	}
	for n := range b {
		refuse("cut", b[:n])
	}
	refuse("a byte more", append(slices.Clone(b), 0))
	end := binary.LittleEndian.Uint32(b[8:])
	for _, v := range []uint32{0, 11, 12, end - 1, end + 1, uint32(len(b)), uint32(len(b)) + 1, math.MaxInt32, 1 << 31, math.MaxUint32} {
		c := slices.Clone(b)
		binary.LittleEndian.PutUint32(c[8:], v)
		refuse("position of the offsets", c)
	}
	for _, v := range []uint32{0, 4, 9, 1 << 28, 1 << 31, math.MaxUint32} {
		c := slices.Clone(b)
		binary.LittleEndian.PutUint32(c[4:], v)
		refuse("count", c)
	}
	good := []uint32{12, 15, 15, 20, 24}
	for i := range good {
		for _, v := range []uint32{0, 11, 13, 16, 14, end + 1, 1 << 31, math.MaxUint32, math.MaxInt32} {
			offsets := slices.Clone(good)
			if v == offsets[i] || i > 0 && v >= offsets[i-1] && i < 4 && v <= offsets[i+1] {
				continue
			}
			offsets[i] = v
			refuse("offset", encodeGroups(slices.Clone(b[:end]), offsets...))
		}
	}
	if _, err := s.OpenPlain(encodeGroups(slices.Clone(b[:end]), good...)); err != nil {
		t.Error(err)
	}
}

// What does not fit leaves the strings where they were.
func TestStringsRoom(t *testing.T) {
	var s cfilewire.Strings
	if err := s.Next(nil, nil); err != nil || s.Next(make([]int32, 1), nil) != nil || s.Len() != 0 {
		t.Errorf("the zero value: %v", err)
	}
	if _, err := s.OpenPlain(encodePlainStrings(0, []string{"abc", "", "de"})); err != nil {
		t.Fatal(err)
	}
	for _, start := range []int32{-1, math.MinInt32, 6, math.MaxInt32 - 4, math.MaxInt32} {
		if err := s.Next([]int32{start, 0, 0, 0}, make([]byte, 10)); !errors.Is(err, errs.ErrLimit) {
			t.Errorf("from %d: %v", start, err)
		}
	}
	if s.Size(100) != 5 || s.Size(-1) != 0 || s.Left() != 3 {
		t.Errorf("%d bytes, %d left", s.Size(100), s.Left())
	}
	ends := []int32{5, 0, 0, 0}
	data := make([]byte, 10)
	if err := s.Next(ends, data); err != nil || string(data[5:]) != "abcde" || !slices.Equal(ends, []int32{5, 8, 8, 10}) {
		t.Errorf("%q, %v, %v", data, ends, err)
	}
}

// Opening one block after another takes no memory once there is enough.
func TestStringsAllocations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	want := randomStrings(r, 500, 30)
	plain, prefix := encodePlainStrings(0, want), encodePrefix(0, want, 16)
	var s cfilewire.Strings
	if n := testing.AllocsPerRun(10, func() {
		if _, err := s.OpenPlain(plain); err != nil {
			t.Fatal(err)
		}
		if _, err := s.OpenPrefix(prefix, 1<<20); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
