package cfilewire_test

import (
	"errors"
	"math/rand"
	"slices"
	"testing"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// checkRuns reads a block in many ways and compares it with want. Behind want there must be an error, whatever count the
// block claims.
func checkRuns[T cfilewire.RLEValue](t *testing.T, r *rand.Rand, b []byte, want []uint64) {
	t.Helper()
	var x cfilewire.RLE[T]
	if _, err := x.Open(b); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(want); {
		k := 1 + r.Intn(len(want)-at)
		if r.Intn(2) == 0 {
			k = 1 + r.Intn(min(k, 20))
		}
		if r.Intn(3) == 0 {
			if err := x.Skip(k); err != nil {
				t.Fatalf("skip %d at %d of %d: %v", k, at, len(want), err)
			}
			at += k
			continue
		}
		got := make([]T, k)
		if err := x.Next(got); err != nil {
			t.Fatalf("next %d at %d of %d: %v", k, at, len(want), err)
		}
		for i, v := range got {
			if v != T(want[at+i]) {
				t.Fatalf("value %d is %d, want %d", at+i, v, T(want[at+i]))
			}
		}
		at += k
	}
	left := x
	if err := x.Next(make([]T, 1)); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("behind %d values: %v", len(want), err)
	}
	if err := left.Skip(1); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("skip behind %d values: %v", len(want), err)
	}
}

// checkBitRuns is checkRuns for booleans.
func checkBitRuns(t *testing.T, b []byte, want []uint64) {
	t.Helper()
	checkBits(t, packed(nil, want, 1), len(want), func() bitReader {
		x := new(cfilewire.RLEBits)
		if _, err := x.Open(b); err != nil {
			t.Fatal(err)
		}
		return x
	})
}

// Blocks as Kudu 1.17 wrote them.
func TestRLEVectors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var want []uint64
	for i, n := range []int{18, 29, 28, 29, 14} {
		for range n {
			want = append(want, uint64(i-2))
		}
	}
	checkRuns[int16](t, r, fromHex(t, "7600000000000000 24feff 3affff 380000 3a0100 1c0200"), want)
	checkRuns[uint16](t, r, fromHex(t, "7600000000000000 24feff 3affff 380000 3a0100 1c0200"), want)

	// Eight groups, of which the last has four values and no more bytes.
	cut := "3c00000000000000 11" + "7e7fff818000017e7fff818000017e7fff818000017e7fff818000017e7fff8180" +
		"00017e7fff818000017e7fff818000017e7fff818000017e7fff81"
	want = want[:0]
	for _, v := range fromHex(t, cut)[9:] {
		want = append(want, uint64(v))
	}
	if len(want) != 60 {
		t.Fatal(len(want))
	}
	checkRuns[int8](t, r, fromHex(t, cut), want)

	want = want[:0]
	for range 300 {
		want = append(want, 42)
	}
	checkRuns[int64](t, r, fromHex(t, "2c01000000000000 d804 2a00000000000000"), want)
	for i := range want {
		want[i] = 1
	}
	checkBitRuns(t, fromHex(t, "2c01000000000000 d804 01"), want)
}

func testRuns[T cfilewire.RLEValue](t *testing.T) {
	var z T
	bits := int(unsafe.Sizeof(z)) * 8
	r := rand.New(rand.NewSource(int64(bits)))
	for range 300 {
		var want []uint64
		for range r.Intn(20) {
			v := r.Uint64() >> (64 - bits)
			for range 1 + r.Intn(2)*r.Intn(40) {
				want = append(want, v)
			}
		}
		head := le32(nil, uint32(len(want)), 5)
		b := exact(append(head, encodeRuns(want, bits)...))
		checkRuns[T](t, r, b, want)
		if len(want) > 0 { // cut anywhere: what is there is right, and then there is an error
			n := r.Intn(len(b)-8) + 8
			checkRuns[T](t, r, exact(b[:n]), slowRuns(b[8:n], bits, len(want)))
		}
		odd, want := oddRuns(r, bits)
		count := uint32(r.Intn(len(want) + 1))
		checkRuns[T](t, r, append(le32(nil, count, 5), odd...), want[:count])
		checkRuns[T](t, r, append(le32(nil, 1<<31-1, 5), odd...), want)
	}
	var x cfilewire.RLE[T]
	for n := range 8 {
		if _, err := x.Open(make([]byte, n)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestRLE(t *testing.T) {
	t.Run("int8", testRuns[int8])
	t.Run("int16", testRuns[int16])
	t.Run("int32", testRuns[int32])
	t.Run("int64", testRuns[int64])
	t.Run("uint8", testRuns[uint8])
	t.Run("uint16", testRuns[uint16])
	t.Run("uint32", testRuns[uint32])
	t.Run("uint64", testRuns[uint64])
}

func TestRLEBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		var want []uint64
		for range r.Intn(30) {
			v := r.Uint64() & 1
			for range 1 + r.Intn(2)*r.Intn(100) {
				want = append(want, v)
			}
		}
		b := exact(append(le32(nil, uint32(len(want)), 5), encodeRuns(want, 1)...))
		checkBitRuns(t, b, want)
		if len(want) > 0 {
			n := r.Intn(len(b)-8) + 8
			checkBitRuns(t, exact(b[:n]), slowRuns(b[8:n], 1, len(want)))
		}
		odd, want := oddRuns(r, 1)
		count := uint32(r.Intn(len(want) + 1))
		checkBitRuns(t, append(le32(nil, count, 5), odd...), want[:count])
		checkBitRuns(t, append(le32(nil, 1<<31-1, 5), odd...), want)
	}
}

// Runs of no values do not hold anything up, and runs of any length stop at the count.
func TestRLELimits(t *testing.T) {
	for _, s := range []string{"", "01", "00 00000000", "00 00000000 01 00 00000000", "80808080808080808000 00000000", "ffffffffffffffffffff01 00000000", "ff", "02 000000", "03", "03 000000"} {
		b := append(le32(nil, 1<<31-1, 0), fromHex(t, s)...)
		var x cfilewire.RLE[int32]
		if h, err := x.Open(b); err != nil || h.Count != 1<<31-1 {
			t.Fatal(err)
		}
		if err := x.Next(make([]int32, 1)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"feffffffffffffffff01 07000000", "ffffffffffffffffff01 07000000 07000000 07000000"} {
		var x cfilewire.RLE[int32]
		if _, err := x.Open(append(le32(nil, 3, 0), fromHex(t, s)...)); err != nil {
			t.Fatal(err)
		}
		got := make([]int32, 3)
		if err := x.Next(got); err != nil || !slices.Equal(got, []int32{7, 7, 7}) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	var x cfilewire.RLEBits
	if _, err := x.Open(append(le32(nil, 1<<31-1, 0), fromHex(t, "feffffffffffffffff01 01")...)); err != nil {
		t.Fatal(err)
	}
	if set, err := x.Skip(1<<31 - 1); set != 1<<31-1 || err != nil {
		t.Errorf("%d, %v", set, err)
	}
}
