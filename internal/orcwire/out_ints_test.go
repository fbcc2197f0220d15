package orcwire_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// outStored is what a written stream is to a reader.
func outStored(tb testing.TB, o *orcwire.Out, p orcwire.OutPacking) stored {
	tb.Helper()
	if err := o.Err(); err != nil {
		tb.Fatal(err)
	}
	b := bytes.Join(o.Parts(), nil)
	if int64(len(b)) != o.Size() {
		tb.Fatalf("%d bytes in parts, Size says %d", len(b), o.Size())
	}
	return stored{
		name:    fmt.Sprintf("%+v", p),
		packing: orcwire.Packing{Codec: p.Codec, Chunked: p.Chunked, BlockSize: p.BlockSize},
		bytes:   b, size: int(o.Raw()), guard: true,
	}
}

// outPackings are ways to store streams.
var outPackings = []orcwire.OutPacking{
	{BlockSize: 256 << 10},
	{Chunked: true, BlockSize: 1},
	{Chunked: true, BlockSize: 256, Codec: blockcodec.Snappy, Level: blockcodec.DefaultLevel},
	{Chunked: true, BlockSize: 1000, Codec: blockcodec.Deflate, Level: 1},
	{Chunked: true, BlockSize: 64 << 10, Codec: blockcodec.LZ4, Level: blockcodec.DefaultLevel},
	{Chunked: true, BlockSize: 256 << 10, Codec: blockcodec.Zstd, Level: blockcodec.DefaultLevel},
}

// mark is a position and the index of the value there.
type mark struct {
	at  int
	pos []uint64
}

// intLists are values of many kinds, n or so of each.
func intLists[T orcwire.Integer](r *rand.Rand, n int, signed bool) map[string][]T {
	bits := bitsOf[T]()
	lists := map[string][]T{}
	list := func(name string, next func(i int) int64) {
		v := make([]T, n)
		for i := range v {
			v[i] = T(next(i))
			if !signed && v[i] < 0 && bits < 64 {
				v[i] = ^v[i]
			}
		}
		lists[name] = v
	}
	for w := 0; w <= bits; w++ {
		list(fmt.Sprintf("random %d bits", w), func(int) int64 {
			x := int64(r.Uint64() >> 1 >> (63 - min(w, 63)))
			if w == 64 {
				x = int64(r.Uint64())
			}
			if signed {
				x = x>>1 ^ -(x & 1)
			}
			return x
		})
	}
	at := int64(0)
	list("constant", func(int) int64 { return 77 })
	list("sequence", func(i int) int64 { return int64(i) * 3 })
	list("down", func(i int) int64 { return -7 * int64(i) })
	list("extremes", func(int) int64 {
		return []int64{math.MinInt64, math.MaxInt64, -1 << (bits - 1), 1<<(bits-1) - 1, 0, -1}[r.Intn(6)]
	})
	list("rising", func(int) int64 { at += int64(r.Intn(40)); return at })
	at = 1 << 40
	list("falling", func(int) int64 { at -= int64(r.Intn(2)); return at })
	list("rising far", func(int) int64 { at += int64(r.Intn(40)) << 52; return at })
	list("rising with repeats", func(i int) int64 {
		if i%3 == 0 {
			at += int64(r.Intn(5))
		}
		return at
	})
	list("triples", func(i int) int64 {
		if i%3 == 0 {
			at = r.Int63n(60000)
		}
		return at
	})
	for _, k := range []int{2, 3, 6, 20, 300} {
		list(fmt.Sprintf("repeats of %d", k), func(int) int64 {
			if r.Intn(k) == 0 {
				at = r.Int63n(1 << 20)
			}
			return at
		})
		list(fmt.Sprintf("steps of %d", k), func(int) int64 {
			if at += 5; r.Intn(k) == 0 {
				at = r.Int63n(1 << 20)
			}
			return at
		})
		list(fmt.Sprintf("one of %d", k), func(int) int64 { return r.Int63n(int64(k)) })
		list(fmt.Sprintf("far one in %d", k), func(int) int64 {
			x := r.Int63n(100) - 30
			if r.Intn(k*8) == 0 {
				x = r.Int63() >> r.Intn(60)
			}
			return x
		})
	}
	list("far ones", func(i int) int64 {
		if i%300 == 299 {
			return 1 << 45
		}
		return 1000 + r.Int63n(50)
	})
	list("mixed", func(i int) int64 {
		if i%97 == 0 {
			at = r.Int63() >> r.Intn(64)
		}
		switch i / 97 % 4 {
		case 0:
			return at
		case 1:
			return at + int64(i)
		case 2:
			return r.Int63n(9)
		}
		at += r.Int63n(1000)
		return at
	})
	return lists
}

// cuts returns increasing numbers from 0 to n.
func cuts(r *rand.Rand, n, most int) []int {
	c := []int{0}
	for last := 0; last < n; {
		last = min(n, last+r.Intn(most+1))
		c = append(c, last)
	}
	return c
}

func TestIntsOut(t *testing.T) {
	t.Parallel()
	t.Run("int8", testIntsOut[int8])
	t.Run("int16", testIntsOut[int16])
	t.Run("int32", testIntsOut[int32])
	t.Run("int64", testIntsOut[int64])
}

func testIntsOut[T orcwire.Integer](t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var o orcwire.Out
	var sc orcwire.OutScratch
	var w orcwire.IntsOut[T]
	for _, signed := range []bool{true, false} {
		for name, v := range intLists[T](r, 3000, signed) {
			for mode := range 3 {
				v2 := mode > 0
				w.Tight = mode == 2
				p := outPackings[r.Intn(len(outPackings))]
				checkIntsOut(t, r, name, &o, &sc, &w, p, v, v2, signed)
			}
		}
	}
}

func checkIntsOut[T orcwire.Integer](tb testing.TB, r *rand.Rand, name string, o *orcwire.Out, sc *orcwire.OutScratch, w *orcwire.IntsOut[T], p orcwire.OutPacking, v []T, v2, signed bool) {
	tb.Helper()
	name = fmt.Sprintf("%s, v2 %v, tight %v, signed %v, %+v", name, v2, w.Tight, signed, p)
	groups := cuts(r, len(v), len(v))
	var first []byte
	var marks []mark
	for round := range 3 {
		o.Open(p, sc)
		w.Open(o, v2, signed)
		marks = marks[:0]
		for i, end := range groups {
			marks = append(marks, mark{end, settled(w.Position(nil), o)})
			if i+1 == len(groups) {
				break
			}
			part := v[end:groups[i+1]]
			if round == 0 {
				w.Put(part)
				continue
			}
			c := cuts(r, len(part), 1+1500*(round-1))
			for j := range c[1:] {
				w.Put(part[c[j]:c[j+1]])
			}
		}
		w.Flush()
		o.Flush()
		got := bytes.Join(o.Parts(), nil)
		if round == 0 {
			first = got
		} else if !bytes.Equal(got, first) {
			tb.Fatalf("%s: what is written depends on how values come", name)
		}
	}
	s := outStored(tb, o, p)
	all, err := readAll[T](tb, s, v2, signed, len(v))
	if err != nil || !slices.Equal(all, v) {
		i := 0
		for i < len(v) && i < len(all) && all[i] == v[i] {
			i++
		}
		tb.Fatalf("%s: wrong from value %d of %d on: %v", name, i, len(v), err)
	}
	var b orcwire.Bytes
	var rs orcwire.Scratch
	var in orcwire.Ints[T]
	s.open(tb, &b, &rs)
	in.Open(&b, v2, signed)
	r.Shuffle(len(marks), func(i, j int) { marks[i], marks[j] = marks[j], marks[i] })
	for _, m := range marks {
		pos := orcwire.NewPositions(m.pos)
		if err := in.Seek(pos); err != nil || pos.Len() != 0 {
			tb.Fatalf("%s: seek to %v of value %d: %v", name, m.pos, m.at, err)
		}
		got := make([]T, min(len(v)-m.at, 1+r.Intn(900)))
		if err := in.Next(got); err != nil || !slices.Equal(got, v[m.at:m.at+len(got)]) {
			tb.Fatalf("%s: wrong values from %d on, at %v: %v", name, m.at, m.pos, err)
		}
	}
}

// What repeats, goes on or lies far off is told in few bytes.
func TestIntsOutSizes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const n = 51200
	for _, c := range []struct {
		name string
		next func(i int) int64
		most int // bytes
	}{
		{"constant", func(int) int64 { return 1000 }, n / 512 * 5},
		{"sequence", func(i int) int64 { return int64(i) }, n / 512 * 6},
		{"bits", func(int) int64 { return r.Int63n(2) }, n/8 + n/512*2},
		{"dictionary of three", func(int) int64 { return r.Int63n(3) }, n/4 + n/512*2 + 16},
		{"ten bits", func(int) int64 { return r.Int63n(1000) }, 2*n + n/512*2},
		{"rising slowly", func(i int) int64 { return 1<<40 + int64(i) + int64(i/7) }, n/4 + n/512*12},
		{"rising, each three times", func(i int) int64 { return int64(i / 3) }, n/4 + n/512*12},
		{"three times", func(i int) int64 { return (1 << 10) + int64(i/3*7919%1021) }, n/3*3 + 8},
		{"repeats of 100", func(i int) int64 { return int64(i / 100 * 7919 % 10007) }, n / 100 * 6},
		{"sequences of 100", func(i int) int64 { return int64(i/100*7919%10007*1000 + i) }, n / 100 * 8},
		{"far off, one in 100", func(i int) int64 {
			if i%100 == 0 {
				return 1 << 40
			}
			return r.Int63n(256)
		}, n + n/100*6 + n/512*8},
		{"in threes, one far off", func(i int) int64 {
			if i == 100 {
				return 1 << 40
			}
			return int64(i % 3)
		}, n/4 + n/512*4 + 20},
	} {
		v := make([]int64, n)
		for i := range v {
			v[i] = c.next(i)
		}
		var o orcwire.Out
		o.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
		var w orcwire.IntsOut[int64]
		w.Open(&o, true, false)
		w.Put(v)
		w.Flush()
		if got := int(o.Raw()); got > c.most {
			t.Errorf("%s: %d bytes, want at most %d", c.name, got, c.most)
		}
	}
}
