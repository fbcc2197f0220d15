package arrowbuf

import (
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// checkBits copies bits and looks at each.
func checkBits(t *testing.T, src []byte, do, so, n int) {
	t.Helper()
	dst := make([]byte, (do+n+7)/8)
	rand.New(rand.NewSource(int64(do))).Read(dst)
	before := append([]byte(nil), dst...)
	appendBits(dst, do, src, so, n)
	for i := range len(dst) * 8 {
		want := false
		switch {
		case i < do:
			want = bitutil.BitIsSet(before, i)
		case i < do+n:
			want = bitutil.BitIsSet(src, so+i-do)
		case n == 0:
			continue
		}
		if bitutil.BitIsSet(dst, i) != want {
			t.Fatalf("appendBits(%d, %d, %d): bit %d is %v", do, so, n, i, !want)
		}
	}
	copy(dst, before)
	setBits(dst, do, n)
	for i := range len(dst) * 8 {
		want := i < do+n
		if i < do {
			want = bitutil.BitIsSet(before, i)
		}
		if n > 0 && bitutil.BitIsSet(dst, i) != want {
			t.Fatalf("setBits(%d, %d): bit %d is %v", do, n, i, !want)
		}
	}
}

func TestBits(t *testing.T) {
	src := make([]byte, 40)
	rand.New(rand.NewSource(1)).Read(src)
	for do := range 17 {
		for so := range 17 {
			for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 71, 72, 73, 127, 128, 200} {
				checkBits(t, src[:(so+n+7)/8], do, so, n) // not a byte beyond the bits
			}
		}
	}
}

func FuzzBits(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, uint8(3), uint8(5), uint16(70))
	f.Add([]byte{0xFF}, uint8(0), uint8(7), uint16(1))
	f.Fuzz(func(t *testing.T, src []byte, do, so uint8, n uint16) {
		if int(so)+int(n) <= 8*len(src) {
			checkBits(t, src, int(do), int(so), int(n))
		}
	})
}
