package orcwire_test

import (
	"encoding/binary"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// counted is a delta run without packed deltas.
func counted(first, step int64, n int) []byte {
	b := []byte{0xc0 | byte((n-1)>>8), byte(n - 1)}
	return binary.AppendVarint(binary.AppendVarint(b, first), step)
}

// What CountUp passes over is what Next would have read, and it passes over whole runs that count up by one only.
func TestCountUp(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		var in []byte
		var want []int64
		var known []bool // the value's run counts up
		next := rng.Int63n(1000) - 500
		for range 1 + rng.Intn(20) {
			n, step := 3+rng.Intn(510), int64(1)
			switch rng.Intn(4) {
			case 0:
				next = rng.Int63n(1 << 40)
			case 1:
				step = rng.Int63n(5) - 2
			}
			in = append(in, counted(next, step, n)...)
			for i := range n {
				want, known = append(want, next+int64(i)*step), append(known, step == 1)
			}
			next += int64(n) * step
		}
		s := stored{bytes: in, size: len(in)}
		var b orcwire.Bytes
		var sc orcwire.Scratch
		var x orcwire.Ints[int64]
		s.open(t, &b, &sc)
		x.Open(&b, true, true)
		for at := 0; at < len(want); {
			most := 1 + rng.Intn(len(want)-at)
			if rng.Intn(2) == 0 {
				most = len(want) - at
			}
			begun := x.Decoded()
			first, k := x.CountUp(most)
			if k > most || k > 0 && begun > 0 {
				t.Fatalf("%d values of %d, %d begun", k, most, begun)
			}
			for i := range k {
				if want[at] != first+int64(i) || !known[at] {
					t.Fatalf("value %d is %d, not %d", at, want[at], first+int64(i))
				}
				at++
			}
			if k > 0 {
				continue
			}
			if begun == 0 && most == len(want)-at && known[at] {
				t.Fatalf("value %d counts up", at)
			}
			got := make([]int64, max(1, min(most, begun, 1+rng.Intn(600))))
			if err := x.Next(got); err != nil || !slices.Equal(got, want[at:at+len(got)]) {
				t.Fatalf("value %d: %v, %v", at, got, err)
			}
			at += len(got)
		}
	}
}

// Runs that wrap, or leave their type, do not count up.
func TestCountUpRange(t *testing.T) {
	open := func(in []byte, b *orcwire.Bytes, sc *orcwire.Scratch) {
		s := stored{bytes: in, size: len(in)}
		s.open(t, b, sc)
	}
	for _, c := range []struct {
		first int64
		n, k  int
	}{{math.MaxInt64 - 9, 10, 10}, {math.MaxInt64 - 8, 10, 0}, {-3, 10, 10}, {math.MinInt64, 10, 10}} {
		var b orcwire.Bytes
		var sc orcwire.Scratch
		var x orcwire.Ints[int64]
		open(counted(c.first, 1, c.n), &b, &sc)
		x.Open(&b, true, true)
		if first, k := x.CountUp(c.n); k != c.k || k > 0 && first != c.first {
			t.Errorf("%d from %d on: %d from %d on", c.n, c.first, k, first)
		}
	}
	for _, c := range []struct {
		first int64
		k     int
	}{{math.MaxInt32 - 9, 10}, {math.MaxInt32 - 8, 0}, {math.MinInt32 - 1, 0}, {math.MinInt32, 10}} {
		var b orcwire.Bytes
		var sc orcwire.Scratch
		var x orcwire.Ints[int32]
		open(counted(c.first, 1, 10), &b, &sc)
		x.Open(&b, true, true)
		if first, k := x.CountUp(10); k != c.k || k > 0 && int64(first) != c.first {
			t.Errorf("32 bits, 10 from %d on: %d from %d on", c.first, k, first)
		}
	}
}
