package cfilewire_test

import (
	"bytes"
	"errors"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func TestPlainFixed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range []int{1, 2, 4, 8, 16} {
		want := make([]byte, width*100)
		r.Read(want)
		b := exact(append(le32(nil, 100, 7), want...))
		var p cfilewire.PlainFixed
		h, err := p.Open(b, width)
		if err != nil || h != (cfilewire.Head{Count: 100, Ordinal: 7}) {
			t.Fatalf("%v, %v", h, err)
		}
		for at := 0; at < 100; {
			k := r.Intn(101 - at)
			if p.Left() != 100-at {
				t.Fatalf("%d left at %d", p.Left(), at)
			}
			if r.Intn(2) == 0 {
				if err := p.Skip(k); err != nil {
					t.Fatal(err)
				}
			} else {
				got := make([]byte, k*width)
				if err := p.Next(got); err != nil || !bytes.Equal(got, want[at*width:(at+k)*width]) {
					t.Fatalf("%d values at %d: %x, %v", k, at, got, err)
				}
			}
			at += k
		}
		if err := p.Next(make([]byte, width)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("behind the end: %v", err)
		}
		if err := p.Skip(1); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("skip behind the end: %v", err)
		}
		for n := range b {
			if _, err := p.Open(exact(b[:n]), width); !errors.Is(err, errs.ErrCorrupt) || p.Left() != 0 {
				t.Fatalf("%d bytes: %v, %d left", n, err, p.Left())
			}
		}
		if _, err := p.Open(append(b, 0), width); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("a byte more: %v", err)
		}
	}
	var p cfilewire.PlainFixed
	if p.Left() != 0 || p.Next(nil) != nil || p.Skip(0) != nil || p.Skip(1) == nil {
		t.Error("the zero value has values")
	}
	for _, count := range []uint32{99, 101, 1 << 28, 1 << 31, 1<<32 - 1} {
		if _, err := p.Open(append(le32(nil, count, 0), make([]byte, 1600)...), 16); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("count %d: %v", count, err)
		}
	}
	if _, err := p.Open(le32(nil, 0, 0), 16); err != nil || p.Left() != 0 {
		t.Errorf("empty: %v", err)
	}
}

// A block of BOOL values as Kudu 1.17 wrote it.
func TestPlainBits(t *testing.T) {
	b := fromHex(t, "7800000000000000 ef4293c780f76073ea374b7f8719e7")
	checkBits(t, b[8:], 120, func() bitReader {
		p := new(cfilewire.PlainBits)
		if h, err := p.Open(exact(b)); err != nil || h != (cfilewire.Head{Count: 120}) {
			t.Fatalf("%v, %v", h, err)
		}
		return p
	})
	var p cfilewire.PlainBits
	for n := range b {
		if _, err := p.Open(exact(b[:n])); !errors.Is(err, errs.ErrCorrupt) || p.Left() != 0 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, count := range []uint32{0, 112, 121, 1<<32 - 1} {
		if _, err := p.Open(append(le32(nil, count, 0), b[8:]...)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("count %d: %v", count, err)
		}
	}
	if h, err := p.Open(append(le32(nil, 113, 9), b[8:]...)); err != nil || p.Left() != 113 || h.Ordinal != 9 {
		t.Errorf("113: %v", err)
	}
}

// bitReader is what reads booleans.
type bitReader interface {
	Next(dst []byte, off, n int) error
	Skip(n int) (int, error)
	Left() int
}

// checkBits reads n bits in many ways and compares them with want. Behind them there must be an error.
func checkBits(t *testing.T, want []byte, n int, open func() bitReader) {
	t.Helper()
	r := rand.New(rand.NewSource(int64(n)))
	for range 30 {
		p := open()
		for at := 0; at < n; {
			if p.Left() < n-at {
				t.Fatalf("%d left at %d of %d", p.Left(), at, n)
			}
			k := 1 + r.Intn(n-at)
			if r.Intn(2) == 0 {
				k = 1 + r.Intn(min(k, 80))
			}
			if r.Intn(3) == 0 {
				set := 0
				for i := range k {
					set += int(bitOf(want, at+i))
				}
				if got, err := p.Skip(k); got != set || err != nil {
					t.Fatalf("skip %d at %d: %d, want %d, %v", k, at, got, set, err)
				}
				at += k
				continue
			}
			off, noise := r.Intn(17), byte(-r.Intn(2))
			dst := bytes.Repeat([]byte{noise}, (off+k+7)/8)
			if err := p.Next(dst, off, k); err != nil {
				t.Fatalf("next %d at %d of %d: %v", k, at, n, err)
			}
			for i := range len(dst) * 8 {
				bit := uint64(noise & 1)
				if i >= off && i < off+k {
					bit = bitOf(want, at+i-off)
				}
				if bitOf(dst, i) != bit {
					t.Fatalf("%d bits to %d: bit %d is %d", k, off, i, bitOf(dst, i))
				}
			}
			at += k
		}
		if err := p.Next(make([]byte, 1), 0, 1); !errors.Is(err, errs.ErrCorrupt) {
			t.Fatalf("behind the end: %v", err)
		}
	}
	p := open()
	if _, err := p.Skip(n + 1); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("skip behind the end: %v", err)
	}
}
