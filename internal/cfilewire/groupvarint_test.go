package cfilewire_test

import (
	"errors"
	"math"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// encodeFrame writes a GROUP_VARINT block as the design document has it.
func encodeFrame(ordinal uint32, values []uint32) []byte {
	least := uint32(0)
	for i, v := range values {
		if i == 0 || v < least {
			least = v
		}
	}
	rest := make([]uint32, len(values))
	for i, v := range values {
		rest[i] = v - least
	}
	return encodeGroups(encodeGroups(nil, uint32(len(values)), least, ordinal, 0), rest...)
}

// checkFrame reads a block in many ways. Behind want there must be an error.
func checkFrame(t *testing.T, r *rand.Rand, b []byte, want []uint32) {
	t.Helper()
	var g cfilewire.GroupVarint
	if _, err := g.Open(b); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(want); {
		k := r.Intn(len(want) + 1 - at)
		if r.Intn(2) == 0 {
			k = r.Intn(min(k, 9) + 1)
		}
		if r.Intn(3) == 0 {
			if err := g.Skip(k); err != nil {
				t.Fatalf("skip %d at %d of %d: %v", k, at, len(want), err)
			}
			at += k
			continue
		}
		got := make([]uint32, k)
		if err := g.Next(got); err != nil {
			t.Fatalf("next %d at %d of %d: %v", k, at, len(want), err)
		}
		for i, v := range got {
			if v != want[at+i] {
				t.Fatalf("value %d is %d, want %d", at+i, v, want[at+i])
			}
		}
		at += k
	}
	left := g
	if err := g.Next(make([]uint32, 1)); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("behind %d values: %v", len(want), err)
	}
	if left.Left() == 0 {
		if err := left.Skip(1); !errors.Is(err, errs.ErrCorrupt) {
			t.Fatalf("skip behind %d values: %v", len(want), err)
		}
	}
}

func TestGroupVarint(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	// 5, 300, 70000, 5 and 16777221 from row 2 on.
	vector := fromHex(t, "00 05050200 18 00 2701 6b1101 00 c0 00000001 000000")
	checkFrame(t, r, vector, []uint32{5, 300, 70000, 5, 16777221})
	for range 300 {
		want := make([]uint32, r.Intn(200))
		shift, base := r.Intn(32), r.Uint32()>>1
		for i := range want {
			want[i] = base + r.Uint32()>>1>>shift
		}
		b := exact(encodeFrame(9, want))
		var g cfilewire.GroupVarint
		h, err := g.Open(b)
		if err != nil || h != (cfilewire.Head{Count: uint32(len(want)), Ordinal: 9}) || g.Left() != len(want) {
			t.Fatalf("%v, %v", h, err)
		}
		checkFrame(t, r, b, want)
		for n := range b {
			if h, err := g.Open(exact(b[:n])); err == nil { // found when they are read
				err = g.Next(make([]uint32, h.Count))
				if _, err2 := g.Open(exact(b[:n])); err2 != nil || g.Skip(int(h.Count)) == nil {
					t.Fatalf("%d of %d bytes can be skipped", n, len(b))
				}
				if !errors.Is(err, errs.ErrCorrupt) {
					t.Fatalf("%d of %d bytes: %v", n, len(b), err)
				}
			}
		}
	}
}

func TestGroupVarintHostile(t *testing.T) {
	var g cfilewire.GroupVarint
	for _, head := range [][]uint32{{5, 0, 0, 0}, {math.MaxInt32, 0, 0, 0}, {math.MaxUint32, 0, 0, 0}} {
		if _, err := g.Open(encodeGroups(encodeGroups(nil, head...), 1, 2, 3, 4)); !errors.Is(err, errs.ErrCorrupt) || g.Left() != 0 {
			t.Errorf("%v: %v", head, err)
		}
	}
	for n := 1; n <= 4; n++ {
		b := encodeGroups(encodeGroups(nil, uint32(n), math.MaxUint32, 0, 0), 0, 0, 0, 1)
		if _, err := g.Open(b); err != nil {
			t.Fatal(err)
		}
		err := g.Next(make([]uint32, n))
		if want := n == 4; errors.Is(err, errs.ErrCorrupt) != want {
			t.Errorf("the least and the fourth value leave 32 bits, and of %d read: %v", n, err)
		}
		g.Open(b)
		if err := g.Next(make([]uint32, min(n, 3))); err != nil {
			t.Error(err)
		}
		if n == 4 {
			if err := g.Next(make([]uint32, 1)); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("the fourth alone: %v", err)
			}
		}
	}
}
