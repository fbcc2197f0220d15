package orcwire_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/race"
)

func TestByteRunVectors(t *testing.T) {
	for _, c := range []struct{ in, want []byte }{
		{[]byte{0x61, 0x00}, make([]byte, 100)},
		{[]byte{0xfe, 0x44, 0x45}, []byte{0x44, 0x45}},
		{[]byte{0x7f, 0xff, 0x00, 0x07}, append(bytes.Repeat([]byte{0xff}, 130), 7, 7, 7)},
	} {
		var b orcwire.Bytes
		var sc orcwire.Scratch
		var r orcwire.ByteRuns[int8]
		stored{bytes: c.in}.open(t, &b, &sc)
		r.Open(&b)
		got := make([]int8, len(c.want))
		if err := r.Next(got); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if byte(v) != c.want[i] {
				t.Fatalf("%x: %v, want %v", c.in, got, c.want)
			}
		}
		if err := r.Next(got[:1]); err != orcwire.ErrEnd {
			t.Errorf("%x: behind the end: %v", c.in, err)
		}
	}
}

// randomByteRuns returns runs, the bytes that they stand for, and where the runs start.
func randomByteRuns(r *rand.Rand, n int) (in, values []byte, starts []runStart) {
	for range n {
		starts = append(starts, runStart{len(in), len(values)})
		if r.Intn(2) == 0 {
			c, v := r.Intn(128), byte(r.Intn(256)&-r.Intn(2))
			in = append(in, byte(c), v)
			values = append(values, bytes.Repeat([]byte{v}, c+3)...)
			continue
		}
		lit := make([]byte, 1+r.Intn(128))
		r.Read(lit)
		in = append(append(in, byte(-len(lit))), lit...)
		values = append(values, lit...)
	}
	return in, values, starts
}

func TestByteRuns(t *testing.T) {
	testByteRuns[int8](t)
	testByteRuns[uint8](t)
}

func rounds(n int) int {
	if race.Enabled {
		return 1
	}
	return n
}

func testByteRuns[T ~int8 | ~uint8](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	for range rounds(20) {
		in, want, starts := randomByteRuns(r, 1+r.Intn(40))
		for _, s := range storages(t, r, in) {
			var b orcwire.Bytes
			var sc orcwire.Scratch
			var x orcwire.ByteRuns[T]
			s.open(t, &b, &sc)
			x.Open(&b)
			for at, ops := 0, 0; ops < 60 || at < len(want); ops++ {
				k := r.Intn(min(300, len(want)-at) + 1)
				switch op := r.Intn(6); {
				case op == 0:
					if err := x.Skip(k); err != nil {
						t.Fatalf("%s: skip %d at %d: %v", s.name, k, at, err)
					}
				case op == 1 && ops < 50:
					run := starts[r.Intn(len(starts))]
					k = r.Intn(min(300, len(want)-run.value) + 1)
					at = run.value
					p := orcwire.NewPositions(append(s.position(r, run.at), uint64(k)))
					if err := x.Seek(p); err != nil || p.Len() > 0 {
						t.Fatalf("%s: seek %v, %d: %v", s.name, run, k, err)
					}
				default:
					got := make([]T, k)
					if err := x.Next(got); err != nil {
						t.Fatalf("%s: next %d at %d: %v", s.name, k, at, err)
					}
					for i, v := range got {
						if byte(v) != want[at+i] {
							t.Fatalf("%s: value %d is %d, want %d", s.name, at+i, v, want[at+i])
						}
					}
				}
				at += k
			}
			if err := x.Skip(1); err != orcwire.ErrEnd {
				t.Fatalf("%s: behind the end: %v", s.name, err)
			}
		}
	}
}

func TestBoolVectors(t *testing.T) {
	var b orcwire.Bytes
	var sc orcwire.Scratch
	var r orcwire.Bools
	stored{bytes: []byte{0xff, 0x80}}.open(t, &b, &sc)
	r.Open(&b)
	dst := []byte{0xee}
	if err := r.Next(dst, 0, 8); err != nil || dst[0] != 1 {
		t.Errorf("%08b, %v", dst, err)
	}
}

func TestBools(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range rounds(20) {
		in, bytes, starts := randomByteRuns(r, 1+r.Intn(40))
		want := make([]bool, 0, 8*len(bytes))
		for _, v := range bytes {
			for k := 7; k >= 0; k-- {
				want = append(want, v>>k&1 == 1)
			}
		}
		for _, s := range storages(t, r, in) {
			if err := walkBools(t, r, s, want, starts); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
		}
	}
}

func walkBools(tb testing.TB, r *rand.Rand, s stored, want []bool, starts []runStart) error {
	tb.Helper()
	var b orcwire.Bytes
	var sc orcwire.Scratch
	var x orcwire.Bools
	s.open(tb, &b, &sc)
	x.Open(&b)
	for at, ops := 0, 0; ops < 60 || at < len(want); ops++ {
		k := r.Intn(min([]int{9, 70, 3000, 30000}[r.Intn(4)], len(want)-at) + 1)
		switch op := r.Intn(6); {
		case op == 0:
			set := 0
			for _, v := range want[at : at+k] {
				if v {
					set++
				}
			}
			if got, err := x.Skip(k); err != nil || got != set {
				return fmt.Errorf("skip %d at %d: %d set, want %d: %w", k, at, got, set, err)
			}
		case op == 1 && ops < 50:
			run := starts[r.Intn(len(starts))]
			values := r.Intn(min(300, len(want)/8-run.value) + 1)
			at = 8 * (run.value + values)
			k = r.Intn(min(8, len(want)-at) + 1)
			p := orcwire.NewPositions(append(s.position(r, run.at), uint64(values), uint64(k)))
			if err := x.Seek(p); err != nil || p.Len() > 0 {
				return fmt.Errorf("seek %v, %d, %d: %w", run, values, k, err)
			}
		default:
			off := r.Intn(20)
			dst := make([]byte, (off+k+7)/8+1)
			r.Read(dst)
			before := slices.Clone(dst)
			if err := x.Next(dst, off, k); err != nil {
				return fmt.Errorf("next %d at %d: %w", k, at, err)
			}
			for i := range 8 * len(dst) {
				v := before[i>>3]>>(i&7)&1 == 1
				if i >= off && i < off+k {
					v = want[at+i-off]
				}
				if dst[i>>3]>>(i&7)&1 == 1 != v {
					return fmt.Errorf("bit %d of %d to %d at %d is not %v", i, k, off, at, v)
				}
			}
		}
		at += k
	}
	if _, err := x.Skip(1); err != orcwire.ErrEnd {
		return fmt.Errorf("behind the end: %w", err)
	}
	return nil
}
