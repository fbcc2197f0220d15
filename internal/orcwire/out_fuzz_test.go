package orcwire_test

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// valuesOf makes values of a script: pieces of an operation, a number of values, and an operand.
func valuesOf(script []byte) (v []int64) {
	last := int64(0)
	for len(script) >= 10 && len(v) < 6000 {
		op, n, x := script[0], int(script[1])*int(script[0]>>5)/2+1, int64(binary.LittleEndian.Uint64(script[2:]))
		script = script[10:]
		r := rand.New(rand.NewSource(x))
		step := x >> (op & 31 * 2)
		for i := range n {
			switch op & 3 {
			case 0:
				last = step
			case 1:
				last += step
			case 2:
				last = r.Int63() >> (op & 31 * 2) * int64(i&1*2-1)
			case 3:
				last += r.Int63() >> (32 + op&31)
			}
			v = append(v, last)
		}
	}
	return v
}

// FuzzIntsOut reads back what is written, with Ints, and bit by bit.
func FuzzIntsOut(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 30 {
		b := make([]byte, 10*(1+r.Intn(8)))
		r.Read(b)
		f.Add(b, i%3 > 0, i%2 == 0, int64(i))
	}
	f.Fuzz(func(t *testing.T, script []byte, v2, signed bool, seed int64) {
		v := valuesOf(script)
		fuzzIntsOut[int64](t, v, v2, signed, seed)
		fuzzIntsOut[int32](t, v, v2, signed, seed)
		fuzzIntsOut[int8](t, v, v2, signed, seed)
	})
}

func fuzzIntsOut[T orcwire.Integer](t *testing.T, values []int64, v2, signed bool, seed int64) {
	t.Helper()
	v := make([]T, len(values))
	for i, x := range values {
		if v[i] = T(x); !signed && v[i] < 0 && bitsOf[T]() < 64 {
			v[i] = ^v[i]
		}
	}
	r := rand.New(rand.NewSource(seed))
	var o orcwire.Out
	var sc orcwire.OutScratch
	w := orcwire.IntsOut[T]{Tight: seed%2 == 1}
	checkIntsOut(t, r, "fuzzed", &o, &sc, &w, outPackings[r.Intn(len(outPackings))], v, v2, signed)

	o.Open(outPackings[0], &sc)
	w.Open(&o, v2, signed)
	w.Put(v)
	w.Flush()
	o.Flush()
	b := bytes.Join(o.Parts(), nil)
	var got []T
	for len(b) > 0 {
		run, used, err := referenceRun(b, v2, signed)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range run {
			if !fits[T](x, signed) {
				t.Fatalf("%d does not fit", x)
			}
			got = append(got, T(x))
		}
		b = b[used:]
	}
	if !slices.Equal(got, v) {
		t.Fatal("the values are others, read bit by bit")
	}
}

// FuzzBytesOut expands what is written as the specification says.
func FuzzBytesOut(f *testing.F) {
	f.Add([]byte("aaabbbbcdeeeffffff"), uint8(3))
	f.Add(bytes.Repeat([]byte("abcdddde"), 70), uint8(200))
	f.Add(append(bytes.Repeat([]byte{7}, 400), 1, 2, 3), uint8(1))
	f.Fuzz(func(t *testing.T, v []byte, part uint8) {
		var o orcwire.Out
		var w orcwire.BytesOut[uint8]
		o.Open(outPackings[0], new(orcwire.OutScratch))
		w.Open(&o)
		for c := range slices.Chunk(v, int(part)+1) {
			w.Put(c)
		}
		w.Flush()
		o.Flush()
		var got []byte
		for b := bytes.Join(o.Parts(), nil); len(b) > 0; {
			if c := int(int8(b[0])); c >= 0 {
				got = append(got, bytes.Repeat(b[1:2], c+3)...)
				b = b[2:]
			} else {
				got = append(got, b[1:1-c]...)
				b = b[1-c:]
			}
		}
		if !bytes.Equal(got, v) {
			t.Fatalf("% x, want % x", got, v)
		}
	})
}
