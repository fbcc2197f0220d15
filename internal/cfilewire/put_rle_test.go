package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// slowPutRuns writes runs by the rules of docs/formats/cfile.md, group by group.
func slowPutRuns(values []uint64, bits int) (b []byte) {
	literal := -1 // place of the indicator of the literals that go on
	for i := 0; i < len(values); {
		n := equal(values[i:])
		last := i+n == len(values) && n < 8 && literal < 0
		if n >= 8 || last {
			b = packed(binary.AppendUvarint(b, uint64(n)<<1), values[i:i+1], bits)
			i += n
			literal = -1
			continue
		}
		if literal < 0 {
			literal = len(b)
			b = append(b, 1)
		}
		end := min(i+8, len(values))
		b = packed(b, values[i:end], bits)
		if b[literal] += 2; b[literal] == 63<<1|1 {
			literal = -1
		}
		i = end
	}
	return b
}

// runsOfAllKinds returns values with runs of all lengths, and with none.
func runsOfAllKinds(r *rand.Rand, n, bits int) (values []uint64) {
	few := r.Intn(3) == 0
	for len(values) < n {
		v := r.Uint64() >> (64 - bits)
		if few {
			v &= 3
		}
		k := 1
		switch r.Intn(4) {
		case 0:
			k = 1 + r.Intn(20)
		case 1:
			k = 1 + r.Intn(1+r.Intn(700))
		}
		for range min(k, n-len(values)) {
			values = append(values, v)
		}
	}
	return values
}

func TestRLEOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var w cfilewire.RLEOut
	for i := range 2000 {
		width := 1 << (i % 4)
		values := runsOfAllKinds(r, r.Intn(1+r.Intn(3000)), 8*width)
		want := append(le32(nil, uint32(len(values)), uint32(i)), slowPutRuns(values, 8*width)...)
		src := packed(nil, values, 8*width)
		w.Open(width, 1<<20)
		for at := 0; at < len(values); {
			n := min(1+r.Intn(1+r.Intn(200)), len(values)-at)
			if w.Put(src[at*width:(at+n)*width]) != n {
				t.Fatal("not all are taken")
			}
			at += n
		}
		if w.Count() != len(values) {
			t.Fatalf("counts %d of %d", w.Count(), len(values))
		}
		if got := w.Finish([]byte{1, 2, 3}, uint32(i)); !bytes.Equal(got[3:], want) {
			t.Fatalf("width %d, %d values differ from byte %d on:\n got %x\nwant %x", width, len(values), firstDiff(got[3:], want),
				got[3:], want)
		}
		if got := w.Finish(nil, 7); !bytes.Equal(got, le32(nil, 0, 7)) {
			t.Fatalf("empty: %x", got)
		}
	}
}

func TestRLEBitsOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var w cfilewire.RLEBitsOut
	for i := range 4000 {
		values := runsOfAllKinds(r, r.Intn(1+r.Intn(5000)), 1)
		want := append(le32(nil, uint32(len(values)), uint32(i)), slowPutRuns(values, 1)...)
		off := r.Intn(17)
		src := exact(packed(nil, slices.Concat(make([]uint64, off), values), 1))
		w.Open(1 << 20)
		for at := 0; at < len(values); {
			n := min(1+r.Intn(1+r.Intn(600)), len(values)-at)
			if r.Intn(2) == 0 {
				n = min(n, equal(values[at:]))
				w.PutAll(n, values[at] == 1)
			} else {
				w.Put(src, off+at, n)
			}
			at += n
		}
		if got := w.Finish(nil, uint32(i)); !bytes.Equal(got, want) {
			t.Fatalf("%d bits:\n got %x\nwant %x", len(values), got, want)
		}
	}
}

func firstDiff(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// From docs/formats/cfile.md.
func TestRunVectors(t *testing.T) {
	var bits cfilewire.RLEBitsOut
	bits.Open(0)
	bits.PutAll(120, true)
	if got := bits.FinishStream(nil); !bytes.Equal(got, fromHex(t, "f00101")) {
		t.Errorf("%x", got)
	}
	bits.Put([]byte{0x47, 0x03}, 0, 10)
	if got := bits.FinishStream(nil); !bytes.Equal(got, fromHex(t, "054703")) {
		t.Errorf("%x", got)
	}
	bits.PutAll(1, true)
	if got := bits.FinishStream(nil); !bytes.Equal(got, fromHex(t, "0201")) {
		t.Errorf("%x", got)
	}
	var w cfilewire.RLEOut
	w.Open(4, 0)
	w.Put(make([]byte, 12000))
	if got := w.Finish(nil, 0); !bytes.Equal(got, fromHex(t, "b80b000000000000 f02e00000000")) {
		t.Errorf("%x", got)
	}
}

// A run is longer than Kudu's indicators can say: it is written as several.
func TestRunOfNulls(t *testing.T) {
	var w cfilewire.RLEBitsOut
	w.Open(0)
	const n = 1<<31 - 1
	w.PutAll(n, false)
	stream := w.FinishStream(nil)
	var r cfilewire.RLEBits
	r.OpenStream(stream, n)
	if set, err := r.Skip(n); err != nil || set != 0 || len(stream) != 2*6+2 {
		t.Errorf("%x: %d, %v", stream, set, err)
	}
}

// Room keeps its word: that many values do not fill a block, whatever they are.
func TestRunsRoom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 3000 {
		width := 1 << (i % 4)
		var w cfilewire.RLEOut
		var bits cfilewire.RLEBitsOut
		w.Open(width, 512+r.Intn(1000))
		bits.Open(512 + r.Intn(1000))
		for w.Room() > 0 {
			n := 1 + r.Intn(w.Room())
			w.Put(packed(nil, runsOfAllKinds(r, n, 8*width), 8*width))
			if w.Full() {
				t.Fatalf("width %d: full", width)
			}
		}
		for k := 0; bits.Room() > 0 && k < 100; k++ {
			n := 1 + r.Intn(bits.Room())
			bits.Put(packed(nil, runsOfAllKinds(r, n, 1), 1), 0, n)
			if bits.Full() {
				t.Fatal("full")
			}
		}
	}
}

func FuzzRLEOut(f *testing.F) {
	f.Add([]byte("aaaaaaaaaaaaaaaaabcdefghhhhhhhhhhhhhhhhhhhhhhh"), uint8(0), uint8(3))
	f.Add(bytes.Repeat([]byte{0, 1, 0, 0}, 600), uint8(2), uint8(100))
	f.Add(bytes.Repeat([]byte{0xff}, 600), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, src []byte, width, step uint8) {
		size := 1 << (width % 4)
		n := len(src) / size
		src = src[:n*size]
		var w cfilewire.RLEOut
		w.Open(size, 0)
		var bits cfilewire.RLEBitsOut
		bits.Open(0)
		for at := 0; at < len(src); {
			k := min((int(step)+1)*size, len(src)-at)
			w.Put(src[at : at+k])
			bits.Put(src, 8*at, 8*k)
			at += k
		}
		values := make([]uint64, 0, n)
		for v := range slices.Chunk(src, size) {
			values = append(values, binary.LittleEndian.Uint64(append(slices.Clone(v), make([]byte, 8)...)))
		}
		if got := w.Finish(nil, 0); !bytes.Equal(got[8:], slowPutRuns(values, 8*size)) {
			t.Fatalf("%x", got)
		}
		stream := bits.FinishStream(nil)
		var r cfilewire.RLEBits
		r.OpenStream(stream, 8*len(src))
		back := make([]byte, len(src))
		if err := r.Next(back, 0, 8*len(src)); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("%x: %v", stream, err)
		}
		if bitpack.CountBits(back, 0, 8*len(back)) != bitpack.CountBits(src, 0, 8*len(src)) {
			t.Fatal("bits")
		}
	})
}
