package orcwire_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/race"
)

// The examples of the specification; the last of version 2 with the byte that its first edition leaves out.
func TestIntVectors(t *testing.T) {
	for _, c := range []struct {
		name       string
		v2, signed bool
		bytes      []byte
		want       []int64
	}{
		{"v1 run of one value", false, false, []byte{0x61, 0x00, 0x07}, slices.Repeat([]int64{7}, 100)},
		{"v1 run downwards", false, false, []byte{0x61, 0xff, 0x64}, downFrom(100, 100)},
		{"v1 literals", false, false, []byte{0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b}, []int64{2, 3, 6, 7, 11}},
		{"short repeat", true, false, []byte{0x0a, 0x27, 0x10}, []int64{10000, 10000, 10000, 10000, 10000}},
		{"direct", true, false, []byte{0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}, []int64{23713, 43806, 57005, 48879}},
		{
			"patched base", true, false,
			[]byte{
				0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x64, 0x6e,
				0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
			},
			[]int64{2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090, 2100, 2110, 2120, 2130, 2140, 2150, 2160, 2170, 2180, 2190},
		},
		{"delta", true, false, []byte{0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}, []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}},
	} {
		ref, used, err := referenceRun(c.bytes, c.v2, c.signed)
		if err != nil || used != len(c.bytes) || !slices.Equal(asInt64(ref), c.want) {
			t.Errorf("%s: the reference has %v, %d bytes, %v", c.name, ref, used, err)
		}
		s := stored{bytes: c.bytes, size: len(c.bytes)}
		if got, err := readAll[int64](t, s, c.v2, c.signed, len(c.want)); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if got, err := readAll[int32](t, s, c.v2, c.signed, len(c.want)); err != nil || got[0] != int32(c.want[0]) {
			t.Errorf("%s in 32 bits: %v, %v", c.name, got, err)
		}
	}
}

func downFrom(v int64, n int) (out []int64) {
	for i := range n {
		out = append(out, v-int64(i))
	}
	return out
}

func asInt64(v []uint64) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func readAll[T orcwire.Integer](tb testing.TB, s stored, v2, signed bool, n int) ([]T, error) {
	tb.Helper()
	var b orcwire.Bytes
	var sc orcwire.Scratch
	var r orcwire.Ints[T]
	s.open(tb, &b, &sc)
	r.Open(&b, v2, signed)
	dst := make([]T, n)
	if err := r.Next(dst); err != nil {
		return nil, err
	}
	if ended, err := b.Ended(); err != nil || !ended {
		return dst, fmt.Errorf("not at the end: %v", err)
	}
	return dst, nil
}

// fits says whether T holds v, of a stream that is signed or not.
func fits[T orcwire.Integer](v uint64, signed bool) bool {
	x := T(v)
	return bitsOf[T]() == 64 || int64(x) == int64(v) && (signed || x >= 0)
}

func bitsOf[T orcwire.Integer]() (n int) {
	for x := T(1); x != 0; x <<= 1 {
		n++
	}
	return n
}

// random runs, and where each starts in the bytes and among the values.
type runs struct {
	bytes  []byte
	values []int64
	starts []runStart
}

type runStart struct{ at, value int }

func randomRuns[T orcwire.Integer](r *rand.Rand, n int, v2, signed bool) (out runs) {
	bits := bitsOf[T]()
	for len(out.starts) < n {
		b := randomRun(r, v2, bits)
		values, used, err := referenceRun(b, v2, signed)
		if err != nil || used != len(b) {
			panic(fmt.Sprint("random run is wrong: ", err, used, len(b)))
		}
		if !slices.ContainsFunc(values, func(v uint64) bool { return !fits[T](v, signed) }) {
			out.starts = append(out.starts, runStart{len(out.bytes), len(out.values)})
			out.bytes = append(out.bytes, b...)
			out.values = append(out.values, asInt64(values)...)
		}
	}
	return out
}

func TestIntRuns(t *testing.T) {
	t.Parallel()
	t.Run("int8", testIntRuns[int8])
	t.Run("int16", testIntRuns[int16])
	t.Run("int32", testIntRuns[int32])
	t.Run("int64", testIntRuns[int64])
}

func testIntRuns[T orcwire.Integer](t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rounds := 12
	if race.Enabled {
		rounds = 1
	}
	for round := range rounds {
		for _, v2 := range []bool{false, true} {
			for _, signed := range []bool{false, true} {
				in := randomRuns[T](r, 1+r.Intn(60), v2, signed)
				for _, s := range storages(t, r, in.bytes) {
					if err := walk[T](t, r, s, in, v2, signed); err != nil {
						t.Fatalf("round %d, v2 %v, signed %v, %s: %v", round, v2, signed, s.name, err)
					}
				}
			}
		}
	}
}

// walk reads, skips and seeks at random and compares.
func walk[T orcwire.Integer](tb testing.TB, r *rand.Rand, s stored, in runs, v2, signed bool) error {
	tb.Helper()
	var b orcwire.Bytes
	var sc orcwire.Scratch
	var x orcwire.Ints[T]
	s.open(tb, &b, &sc)
	x.Open(&b, v2, signed)
	const guard = 85
	buf := make([]T, len(in.values)+2)
	for at, seeks := 0, 20; ; {
		left := len(in.values) - at
		k := min(left, []int{1, 3, 10, 100, 600, 5000}[r.Intn(6)])
		switch r.Intn(8) {
		case 0:
			if err := x.Skip(k); err != nil {
				return fmt.Errorf("skip %d of %d: %w", k, left, err)
			}
			at += k
		case 1:
			if seeks--; seeks < 0 {
				break
			}
			run, skip := runStart{len(in.bytes), len(in.values)}, 0
			if i := r.Intn(len(in.starts) + 1); i < len(in.starts) {
				run = in.starts[i]
				skip = r.Intn(min(700, len(in.values)-run.value) + 1)
			}
			p := orcwire.NewPositions(append(s.position(r, run.at), uint64(skip), 77))
			if err := x.Seek(p); err != nil || p.Len() != 1 {
				return fmt.Errorf("seek to %v, %d: %w", run, skip, err)
			}
			at = run.value + skip
		case 2, 3:
			marks, want := drawKept(r, k, func(i int) T { return T(in.values[at+i]) })
			got := buf[1 : len(want)+1]
			buf[0], buf[len(want)+1] = guard, guard
			if err := x.NextKept(got, k, marks); err != nil {
				return fmt.Errorf("%d of the next %d of %d at %d: %w", len(want), k, left, at, err)
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("of %d values from %d on %d are %v, want %v", k, at, len(want), got, want)
			}
			if buf[0] != guard || buf[len(want)+1] != guard {
				return errors.New("wrote outside of dst")
			}
			at += k
		default:
			got := buf[1 : k+1]
			buf[0], buf[k+1] = guard, guard
			if err := x.Next(got); err != nil {
				return fmt.Errorf("next %d of %d at %d: %w", k, left, at, err)
			}
			for i, v := range got {
				if int64(v) != in.values[at+i] {
					return fmt.Errorf("value %d is %d, want %d", at+i, v, in.values[at+i])
				}
			}
			if buf[0] != guard || buf[k+1] != guard {
				return errors.New("wrote outside of dst")
			}
			at += k
		}
		if at == len(in.values) && seeks < 10 {
			break
		}
		if at == len(in.values) {
			seeks--
		}
	}
	if err := x.Next(buf[:1]); err != orcwire.ErrEnd {
		return fmt.Errorf("behind the end: %w", err)
	}
	return nil
}

// drawKept marks some of n values, few or many of them, and returns these, too.
func drawKept[T orcwire.Integer](r *rand.Rand, n int, value func(i int) T) (marks bitpack.Marks, kept []T) {
	marks = make(bitpack.Marks, bitpack.MarkWords(n))
	apart := []int{1, 2, 7, 30, 300}[r.Intn(5)] // marks are, at most
	for i := r.Intn(apart); i < n; i += 1 + r.Intn(apart) {
		marks.Mark(i, i+1)
		kept = append(kept, value(i))
	}
	return marks, kept
}

// Values at the limits of a type, in every kind of run.
func TestIntRange(t *testing.T) {
	testIntRange[int8](t)
	testIntRange[int16](t)
	testIntRange[int32](t)
	testIntRange[int64](t)
	r := rand.New(rand.NewSource(3))
	for range 3000 {
		testRunRange[int8](t, r)
		testRunRange[int16](t, r)
		testRunRange[int32](t, r)
	}
}

// testRunRange compares what becomes of a run whose values are more or less too large.
func testRunRange[T orcwire.Integer](t *testing.T, r *rand.Rand) {
	t.Helper()
	bits := bitsOf[T]()
	v2, signed := r.Intn(4) > 0, r.Intn(2) == 0
	b := randomRun(r, v2, []int{bits - 1, bits, bits + 1, bits + 8, 64}[r.Intn(5)])
	values, _, err := referenceRun(b, v2, signed)
	if err != nil {
		t.Fatal(err)
	}
	legal := !slices.ContainsFunc(values, func(v uint64) bool { return !fits[T](v, signed) })
	got, err := readAll[T](t, stored{bytes: b}, v2, signed, len(values))
	switch {
	case !legal && err != orcwire.ErrRange, legal && err != nil:
		t.Fatalf("%x as %T, v2 %v, signed %v: %v, legal %v: %d", b, got, v2, signed, err, legal, asInt64(values))
	case legal:
		for i, v := range got {
			if uint64(v) != values[i] {
				t.Fatalf("%x as %T, v2 %v, signed %v: value %d is %d, want %d", b, got, v2, signed, i, v, int64(values[i]))
			}
		}
	}
}

func testIntRange[T orcwire.Integer](t *testing.T) {
	t.Helper()
	bits := bitsOf[T]()
	most := int64(math.MaxInt64) >> (64 - bits)
	least := -most - 1
	for _, v := range []int64{most, least, most - 1, least + 1, most + 1, least - 1, 0, -1} {
		for _, signed := range []bool{false, true} {
			u := uint64(v)
			if signed {
				u = uint64(v<<1) ^ uint64(v>>63)
			}
			legal := bits == 64 || v >= least && v <= most && (signed || v >= 0)
			for name, c := range edges(u, uint64(v), signed) {
				var got []T
				var err error
				for _, splits := range [][]int{{len(c.values)}, {1, len(c.values) - 1}} {
					got, err = readSplit[T](t, c.bytes, c.v2, signed, splits)
					if !legal {
						if err != orcwire.ErrRange {
							t.Errorf("%T, signed %v, %s of %d: %v, %v", got, signed, name, v, got, err)
						}
						continue
					}
					if err != nil {
						t.Errorf("%T, signed %v, %s of %d: %v", got, signed, name, v, err)
						continue
					}
					for i, x := range got {
						if uint64(x) != c.values[i] {
							t.Errorf("%T, signed %v, %s of %d: %v, want %v", got, signed, name, v, got, c.values)
							break
						}
					}
				}
			}
		}
	}
}

func readSplit[T orcwire.Integer](tb testing.TB, b []byte, v2, signed bool, splits []int) ([]T, error) {
	tb.Helper()
	var in orcwire.Bytes
	var sc orcwire.Scratch
	var r orcwire.Ints[T]
	stored{bytes: b}.open(tb, &in, &sc)
	r.Open(&in, v2, signed)
	var out []T
	for _, n := range splits {
		dst := make([]T, n)
		if err := r.Next(dst); err != nil {
			return nil, err
		}
		out = append(out, dst...)
	}
	return out, nil
}

type edge struct {
	v2     bool
	bytes  []byte
	values []uint64
}

// edges returns runs in which the value v, coded as u, is the only one that may not fit.
func edges(u, v uint64, signed bool) map[string]edge {
	all := map[string]edge{}
	add := func(name string, v2 bool, write func(w *bitWriter)) {
		w := &bitWriter{}
		write(w)
		values, used, err := referenceRun(w.b, v2, signed)
		if err != nil || used != len(w.b) || !slices.Contains(values, v) {
			panic(fmt.Sprint(name, used, err, values))
		}
		all[name] = edge{v2, w.b, values}
	}
	zigzag := func(x uint64) uint64 { return x<<1 ^ uint64(int64(x)>>63) }
	add("v1 run", false, func(w *bitWriter) { w.bits(0, 16); w.varint(u, 0) })
	add("v1 literals", false, func(w *bitWriter) { w.bits(0xfe, 8); w.varint(u, 0); w.varint(0, 0) })
	add("short repeat", true, func(w *bitWriter) { w.bits(7<<3|1, 8); w.bits(u, 64) })
	add("direct", true, func(w *bitWriter) { w.bits(0x7e01, 16); w.bits(0, 64); w.bits(u, 64) })
	add("fixed delta", true, func(w *bitWriter) { w.bits(0xc009, 16); w.varint(u, 0); w.varint(0, 0) })
	add("fixed delta to it", true, func(w *bitWriter) { w.bits(0xc001, 16); w.varint(0, 0); w.varint(zigzag(v), 0) })
	add("fixed delta of one", true, func(w *bitWriter) { w.bits(0xc000, 16); w.varint(u, 0); w.varint(math.MaxUint64, 0) })
	if int64(v) >= 0 {
		add("delta", true, func(w *bitWriter) { w.bits(0xfe02, 16); w.varint(0, 0); w.varint(0, 0); w.bits(v, 64) })
	} else if signed {
		add("delta", true, func(w *bitWriter) { w.bits(0xfe02, 16); w.varint(0, 0); w.varint(1, 0); w.bits(-v-1, 64) })
	}
	if s := int64(v); s != math.MinInt64 {
		sign, m := uint64(0), v
		if s < 0 {
			sign, m = 1, -v
		}
		add("patched base", true, func(w *bitWriter) {
			w.bits(0x8001, 16)   // 1 bit, two values
			w.bits(7<<5, 8)      // base of 8 bytes, patch of 1 bit
			w.bits(0, 8)         // gap of 1 bit, no entries
			w.bits(sign, 1)      // base
			w.bits(m, 63)        //
			w.bits(uint64(0), 2) // values
			w.align()            //
		})
	}
	add("patch", true, func(w *bitWriter) {
		w.bits(0x8e01, 16) // 8 bits, two values
		w.bits(30, 8)      // base of 1 byte, patch of 56 bits
		w.bits(7<<5|1, 8)  // gap of 8 bits, one entry
		w.bits(0, 8)       // base
		w.bits(0, 8)       // values
		w.bits(v, 8)       //
		w.bits(1, 8)       // patch the second
		w.bits(v>>8, 56)
	})
	return all
}

// Every run cut at every byte, and runs with fields that are not legal.
func TestIntErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(5))
	for range 60 {
		v2, signed := r.Intn(4) > 0, r.Intn(2) == 0
		b := randomRun(r, v2, 64)
		values, _, err := referenceRun(b, v2, signed)
		if err != nil {
			t.Fatal(err)
		}
		for n := range b {
			if _, err := readAll[int64](t, stored{bytes: b[:n]}, v2, signed, len(values)); err != orcwire.ErrEnd {
				t.Fatalf("%x cut at %d: %v", b, n, err)
			}
			s := store(t, r, b[:n], 0, 5)
			if _, err := readAll[int32](t, s, v2, signed, len(values)); err != orcwire.ErrEnd {
				t.Fatalf("%x in chunks, cut at %d: %v", b, n, err)
			}
			var in orcwire.Bytes
			var sc orcwire.Scratch
			var x orcwire.Ints[int64]
			s.open(t, &in, &sc)
			x.Open(&in, v2, signed)
			if err := x.Skip(len(values)); err != orcwire.ErrEnd {
				t.Fatalf("%x, skipped, cut at %d: %v", b, n, err)
			}
		}
	}
	tooLong := slices.Repeat([]byte{0x80}, 30)
	for name, c := range map[string]struct {
		v2    bool
		bytes []byte
	}{
		"v1 varint":          {false, append([]byte{0, 0}, tooLong...)},
		"v1 literal":         {false, append([]byte{0xff}, tooLong...)},
		"delta base":         {true, append([]byte{0xc0, 9}, tooLong...)},
		"first delta":        {true, append([]byte{0xc0, 9, 1}, tooLong...)},
		"delta of one value": {true, []byte{0xc2, 0, 1, 1, 1, 1}},
		"gap and patch":      {true, append([]byte{0x80, 0, 31, 0}, tooLong...)},
		"gap too far":        {true, []byte{0x80, 3, 0, 0x01<<5 | 2, 0, 0xff, 0b111_011_00, 0, 0, 0}},
	} {
		for _, signed := range []bool{false, true} {
			if got, err := readAll[int64](t, stored{bytes: c.bytes}, c.v2, signed, 1); err != orcwire.ErrRun {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
}

// A stream that is opened again, as the next stripe does, finds all the buffers that it needs.
func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	in := randomRuns[int32](r, 200, true, true)
	for _, codec := range []blockcodec.Codec{blockcodec.None, blockcodec.Deflate, blockcodec.Snappy} {
		s := store(t, r, in.bytes, codec, 3000)
		fetch := inPlace(s.bytes)
		var b orcwire.Bytes
		var sc orcwire.Scratch
		var x orcwire.Ints[int32]
		dst := make([]int32, 1000)
		if n := testing.AllocsPerRun(20, func() {
			b.Open(int64(len(s.bytes)), fetch, s.packing, &sc)
			x.Open(&b, true, true)
			for left := len(in.values); left > 0; left -= len(dst) {
				if err := x.Next(dst[:min(left, len(dst))]); err != nil {
					t.Fatal(err)
				}
			}
		}); n > 0 && !race.Enabled {
			t.Errorf("%v: %v allocations", codec, n)
		}
	}
}
