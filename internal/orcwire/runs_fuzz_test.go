package orcwire_test

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// FuzzInts compares with the reference whatever the bytes are.
func FuzzInts(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 40 {
		v2 := i%2 == 0
		f.Add(append(randomRun(r, v2, 64), randomRun(r, v2, 32)...), v2, i%3 == 0, int64(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, v2, signed bool, seed int64) {
		if len(b) > 4000 {
			return
		}
		r := rand.New(rand.NewSource(seed))
		s := stored{bytes: b, size: len(b)}
		if seed%2 == 0 {
			s = store(t, r, b, blockcodec.None, 1+r.Intn(300))
		}
		compareInts[int64](t, r, s, b, v2, signed)
		compareInts[int32](t, r, s, b, v2, signed)
		compareInts[int8](t, r, s, b, v2, signed)
	})
}

// compareInts reads all runs that are legal and whose values fit, and then meets an error.
func compareInts[T orcwire.Integer](t *testing.T, r *rand.Rand, s stored, b []byte, v2, signed bool) {
	t.Helper()
	var want []uint64
runs:
	for len(b) > 0 {
		values, used, err := referenceRun(b, v2, signed)
		if err != nil {
			break
		}
		for _, v := range values {
			if !fits[T](v, signed) {
				break runs
			}
		}
		want = append(want, values...)
		b = b[used:]
	}
	var in orcwire.Bytes
	var sc orcwire.Scratch
	var x orcwire.Ints[T]
	s.open(t, &in, &sc)
	x.Open(&in, v2, signed)
	for at := 0; at < len(want); {
		k := 1 + r.Intn(len(want)-at)
		if r.Intn(4) == 0 {
			if err := x.Skip(k); err != nil {
				t.Fatalf("skip %d at %d of %d: %v", k, at, len(want), err)
			}
			at += k
			continue
		}
		if r.Intn(3) == 0 {
			marks, kept := drawKept(r, k, func(i int) T { return T(want[at+i]) })
			got := make([]T, len(kept))
			if err := x.NextKept(got, k, marks); err != nil || !slices.Equal(got, kept) {
				t.Fatalf("%d of %d at %d of %d: %v, want %v: %v", len(kept), k, at, len(want), got, kept, err)
			}
			at += k
			continue
		}
		got := make([]T, k)
		if err := x.Next(got); err != nil {
			t.Fatalf("next %d at %d of %d: %v", k, at, len(want), err)
		}
		for i, v := range got {
			if uint64(v) != want[at+i] {
				t.Fatalf("value %d is %d, want %d", at+i, v, int64(want[at+i]))
			}
		}
		at += k
	}
	if err := x.Next(make([]T, 1)); err == nil {
		t.Fatalf("no error behind %d values", len(want))
	}
}

// FuzzBytes reads what may be chunks in several ways, which must agree.
func FuzzBytes(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	codecs := []blockcodec.Codec{blockcodec.None, blockcodec.Deflate, blockcodec.Snappy, blockcodec.LZ4, blockcodec.Zstd}
	for i, codec := range codecs {
		f.Add(store(f, r, text(r, 500), codec, 100).bytes, uint8(i), uint16(1000), uint16(7))
	}
	f.Fuzz(func(t *testing.T, b []byte, codec uint8, block, window uint16) {
		s := stored{
			bytes:   b,
			packing: orcwire.Packing{Codec: codecs[int(codec)%len(codecs)], Chunked: codec < 128, BlockSize: int(block)},
			window:  int64(window),
		}
		var in orcwire.Bytes
		var sc orcwire.Scratch
		s.open(t, &in, &sc)
		most := in.MostLeft()
		needed := in.Need(1 << 30)
		all := bytes.Clone(in.Window())
		if int64(len(all)) > most {
			t.Fatalf("%d bytes, at most %d", len(all), most)
		}
		s.open(t, &in, &sc)
		got := make([]byte, len(all))
		if err := in.Take(got); err != nil || !bytes.Equal(got, all) {
			t.Fatalf("take: %v", err)
		}
		ended, err := in.Ended()
		if needed == nil && (err != nil || !ended) || needed != nil && err == nil {
			t.Fatalf("ended %v, %v; need said %v", ended, err, needed)
		}
		s.open(t, &in, &sc)
		if err := in.Discard(int64(len(all))); err != nil {
			t.Fatalf("discard: %v", err)
		}
		s.open(t, &in, &sc)
		for got = got[:0]; ; {
			if err := in.Need(1 + len(got)%50); err != nil || len(in.Window()) == 0 {
				break
			}
			n := 1 + len(got)%len(in.Window())
			got = append(got, in.Window()[:n]...)
			in.Advance(n)
		}
		if !bytes.HasPrefix(all, got) || needed == nil && len(got) != len(all) {
			t.Fatalf("%d bytes by window, %d at once", len(got), len(all))
		}
		_ = in.Seek(orcwire.NewPositions([]uint64{uint64(block), uint64(window)}))
	})
}

// FuzzByteRuns compares reading, skipping and bits whatever the bytes are.
func FuzzByteRuns(f *testing.F) {
	f.Add([]byte{0x61, 0x00, 0xfe, 0x44, 0x45}, int64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		if len(b) > 2000 {
			return
		}
		var want []byte
		for i := 0; i < len(b); {
			if c := int(int8(b[i])); c >= 0 && i+1 < len(b) {
				want = append(want, bytes.Repeat(b[i+1:i+2], c+3)...)
				i += 2
			} else if c < 0 {
				n := min(-c, len(b)-i-1)
				want = append(want, b[i+1:i+1+n]...)
				i += 1 + n
			} else {
				break
			}
		}
		r := rand.New(rand.NewSource(seed))
		s := store(t, r, b, blockcodec.None, 1+r.Intn(50))
		var in, in2 orcwire.Bytes
		var sc orcwire.Scratch
		var x orcwire.ByteRuns[uint8]
		s.open(t, &in, &sc)
		x.Open(&in)
		got := make([]byte, len(want))
		for at := 0; at < len(want); {
			k := 1 + r.Intn(len(want)-at)
			if err := x.Next(got[at : at+k]); err != nil {
				t.Fatalf("next %d at %d of %d: %v", k, at, len(want), err)
			}
			at += k
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%x, want %x", got, want)
		}
		if err := x.Next(make([]byte, 1)); err != orcwire.ErrEnd {
			t.Fatalf("behind the end: %v", err)
		}
		values := make([]bool, 0, 8*len(want))
		for _, v := range want {
			for k := 7; k >= 0; k-- {
				values = append(values, v>>k&1 == 1)
			}
		}
		var bools orcwire.Bools
		s.open(t, &in2, &sc)
		bools.Open(&in2)
		for at := 0; at < len(values); {
			k := 1 + r.Intn(len(values)-at)
			off := r.Intn(9)
			dst := make([]byte, (off+k+7)/8)
			if r.Intn(3) == 0 {
				if _, err := bools.Skip(k); err != nil {
					t.Fatal(err)
				}
				at += k
				continue
			}
			if err := bools.Next(dst, off, k); err != nil {
				t.Fatal(err)
			}
			for i, v := range values[at : at+k] {
				if dst[(off+i)>>3]>>((off+i)&7)&1 == 1 != v {
					t.Fatalf("bit %d is not %v", at+i, v)
				}
			}
			at += k
		}
	})
}
