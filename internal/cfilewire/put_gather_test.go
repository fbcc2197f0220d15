package cfilewire

import (
	"bytes"
	"math/rand"
	"testing"
)

// What is valid, slot by slot.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 3000 {
		n, off, srcOff := r.Intn(300), r.Intn(20), r.Intn(20)
		valid := randomBytes(r, (n+off+7)/8)
		if i%3 > 0 { // longer runs
			for k := range valid {
				valid[k] = byte(-(k / 4 % 2))
			}
		}
		width := 1 << (i % 5)
		src := randomBytes(r, n*width)
		bools := randomBytes(r, (n+srcOff+7)/8)
		var want, bit []byte
		for k := range n {
			if valid[(off+k)/8]>>((off+k)%8)&1 == 0 {
				continue
			}
			want = append(want, src[k*width:(k+1)*width]...)
			bit = append(bit, bools[(srcOff+k)/8]>>((srcOff+k)%8)&1)
		}
		got := make([]byte, n*width)
		if k := gather(got, src, width, valid, off, n); !bytes.Equal(got[:k*width], want) {
			t.Fatalf("width %d: %d of %d values differ", width, k, n)
		}
		got = make([]byte, (n+7)/8+8)
		k := gatherBits(got, bools, srcOff, valid, off, n)
		if k != len(bit) {
			t.Fatalf("%d bits of %d", k, len(bit))
		}
		for i, v := range bit {
			if got[i/8]>>(i%8)&1 != v {
				t.Fatalf("bit %d of %d differs", i, n)
			}
		}
	}
}
