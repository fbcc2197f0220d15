package orcwire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// What the specification gives as examples is what is written.
func TestIntsOutVectors(t *testing.T) {
	rep := func(v int64, n int) []int64 { return slices.Repeat([]int64{v}, n) }
	for _, c := range []struct {
		name   string
		v2     bool
		values []int64
		want   string
	}{
		{"run", false, rep(7, 100), "61 00 07"},
		{"steps", false, downFrom(100, 100), "61 ff 64"},
		{"literals", false, []int64{2, 3, 6, 7, 11}, "fb 02 03 06 07 0b"},
		{"short repeat", true, rep(10000, 5), "0a 27 10"},
		{"direct", true, []int64{23713, 43806, 57005, 48879}, "5e 03 5c a1 ab 1e de ad be ef"},
		{"delta", true, []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}, "c6 09 02 02 22 42 42 46"},
		{
			// In the order of the specification sixteen of the values are ten apart, which a run of their own says shorter.
			"patched base", true,
			[]int64{2030, 2000, 2020, 1000000, 2190, 2040, 2180, 2050, 2170, 2060, 2160, 2070, 2150, 2080, 2140, 2090, 2130, 2100, 2120, 2110},
			"8e 13 2b 21 07 d0 1e 00 14 70 be 28 b4 32 aa 3c a0 46 96 50 8c 5a 82 64 78 6e fc e8",
		},
	} {
		var o orcwire.Out
		var w orcwire.IntsOut[int64]
		o.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
		w.Open(&o, c.v2, false)
		w.Put(c.values)
		w.Flush()
		o.Flush()
		if got := fmt.Sprintf("% x", bytes.Join(o.Parts(), nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestByteRunOutVectors(t *testing.T) {
	for _, c := range []struct {
		values []byte
		want   string
	}{
		{make([]byte, 100), "61 00"},
		{[]byte{0x44, 0x45}, "fe 44 45"},
		{bytes.Repeat([]byte{5}, 131), "7f 05 ff 05"},
		{[]byte{1, 2, 3, 3, 3}, "fe 01 02 00 03"},
		{[]byte{1, 3, 3, 3, 2}, "fb 01 03 03 03 02"},
		{[]byte{1, 3, 3, 3, 2, 2, 2, 2}, "ff 01 00 03 01 02"},
	} {
		var o orcwire.Out
		var w orcwire.BytesOut[uint8]
		o.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
		w.Open(&o)
		w.Put(c.values)
		w.Flush()
		o.Flush()
		if got := fmt.Sprintf("% x", bytes.Join(o.Parts(), nil)); got != c.want {
			t.Errorf("% x: %s, want %s", c.values, got, c.want)
		}
	}
	var o orcwire.Out
	var w orcwire.BoolsOut
	o.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
	w.Open(&o)
	w.Put([]byte{1}, 0, 8)
	w.Flush()
	o.Flush()
	if got := fmt.Sprintf("% x", bytes.Join(o.Parts(), nil)); got != "ff 80" {
		t.Errorf("one true of eight: %s, want ff 80", got)
	}
}

// byteLists are bytes of many kinds.
func byteLists(r *rand.Rand, n int) map[string][]byte {
	lists := map[string][]byte{}
	for _, k := range []int{1, 2, 3, 4, 5, 30, 200} {
		same, few := make([]byte, n), make([]byte, n)
		for i := range same {
			if few[i] = byte(r.Intn(k)); i > 0 && r.Intn(k) > 0 {
				same[i] = same[i-1]
			} else {
				same[i] = byte(r.Intn(256))
			}
		}
		lists[fmt.Sprintf("repeats of %d", k)], lists[fmt.Sprintf("one of %d", k)] = same, few
	}
	return lists
}

func TestBytesOut(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, p := range outPackings {
		for name, v := range byteLists(r, 5000) {
			var o orcwire.Out
			var sc orcwire.OutScratch
			var w orcwire.BytesOut[uint8]
			groups := cuts(r, len(v), len(v)/2)
			var marks []mark
			var first []byte
			for round := range 3 {
				o.Open(p, &sc)
				w.Open(&o)
				marks = marks[:0]
				for i, end := range groups {
					marks = append(marks, mark{end, settled(w.Position(nil), &o)})
					if i+1 == len(groups) {
						break
					}
					part := v[end:groups[i+1]]
					c := cuts(r, len(part), []int{len(part), 7, 600}[round])
					for j := range c[1:] {
						w.Put(part[c[j]:c[j+1]])
					}
				}
				w.Flush()
				o.Flush()
				if got := bytes.Join(o.Parts(), nil); round == 0 {
					first = got
				} else if !bytes.Equal(got, first) {
					t.Fatalf("%s: what is written depends on how values come", name)
				}
			}
			if !p.Chunked && len(first) > len(v)+(len(v)+127)/128+len(groups) {
				t.Errorf("%s: %d values take %d bytes", name, len(v), len(first))
			}
			s := outStored(t, &o, p)
			var b orcwire.Bytes
			var rs orcwire.Scratch
			var in orcwire.ByteRuns[uint8]
			s.open(t, &b, &rs)
			in.Open(&b)
			got := make([]byte, len(v))
			if err := in.Next(got); err != nil || !bytes.Equal(got, v) {
				t.Fatalf("%s, %+v: wrong values, %v", name, p, err)
			}
			if ended, err := b.Ended(); err != nil || !ended {
				t.Fatalf("%s, %+v: not at the end, %v", name, p, err)
			}
			for _, m := range marks {
				if err := in.Seek(orcwire.NewPositions(m.pos)); err != nil {
					t.Fatalf("%s, %+v: seek to %v: %v", name, p, m.pos, err)
				}
				got := make([]byte, min(len(v)-m.at, 1+r.Intn(300)))
				if err := in.Next(got); err != nil || !bytes.Equal(got, v[m.at:m.at+len(got)]) {
					t.Fatalf("%s, %+v: wrong values at %v: %v", name, p, m.pos, err)
				}
			}
		}
	}
}

func TestBoolsOut(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for round := range rounds(200) {
		p := outPackings[round%len(outPackings)]
		n := r.Intn(20000)
		density := r.Intn(12)
		v := make([]byte, n/8+9)
		at := r.Intn(9)
		for i := range n {
			if r.Intn(12) < density || density > 8 && i%3000 < 2900 {
				v[(at+i)>>3] |= 1 << ((at + i) & 7)
			}
		}
		groups := cuts(r, n, n/3+1)
		var o orcwire.Out
		var sc orcwire.OutScratch
		var w orcwire.BoolsOut
		var marks []mark
		var first []byte
		for way := range 3 {
			o.Open(p, &sc)
			w.Open(&o)
			marks = marks[:0]
			for i, end := range groups {
				pos := settled(w.Position(nil), &o)
				marks = append(marks, mark{end, pos})
				if k := len(pos); k < 3 || pos[k-2] != 0 || pos[k-1] != uint64(end&7) {
					t.Fatalf("position %v of value %d", pos, end)
				}
				if i+1 == len(groups) {
					break
				}
				size := groups[i+1] - end
				c := cuts(r, size, []int{size, 13, 3000}[way])
				for j := range c[1:] {
					from, k := at+end+c[j], c[j+1]-c[j]
					switch set := bitpack.CountBits(v, from, k); {
					case way > 0 && set == k:
						w.PutAll(k, true)
					case way > 0 && set == 0:
						w.PutAll(k, false)
					default:
						w.Put(v, from, k)
					}
				}
			}
			w.Flush()
			o.Flush()
			if got := bytes.Join(o.Parts(), nil); way == 0 {
				first = got
			} else if !bytes.Equal(got, first) {
				t.Fatal("what is written depends on how values come")
			}
		}
		s := outStored(t, &o, p)
		var b orcwire.Bytes
		var rs orcwire.Scratch
		var in orcwire.Bools
		s.open(t, &b, &rs)
		in.Open(&b)
		check := func(from, n int) {
			t.Helper()
			got, want := make([]byte, n/8+1), make([]byte, n/8+1)
			bitpack.CopyBits(want, 0, v, at+from, n)
			if err := in.Next(got, 0, n); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%+v: wrong values from %d on, %v", p, from, err)
			}
		}
		check(0, n)
		for _, m := range marks {
			if err := in.Seek(orcwire.NewPositions(m.pos)); err != nil {
				t.Fatalf("%+v: seek to %v of value %d of %d: %v", p, m.pos, m.at, n, err)
			}
			check(m.at, min(n-m.at, r.Intn(2000)))
		}
	}
}

func TestDecimalsOut(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, p := range outPackings {
		for _, digits := range []int{1, 9, 15, 18, 19, 27, 38} {
			scale := r.Intn(digits + 1)
			v := make([][2]uint64, 2500)
			for i := range v {
				x := new(big.Int).Rand(r, pow10(1+r.Intn(digits)))
				if r.Intn(2) == 0 {
					x.Neg(x)
				}
				low := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
				v[i] = [2]uint64{low, uint64(new(big.Int).Rsh(x, 64).Int64())}
			}
			for _, v2 := range []bool{true, false} {
				var data, scales orcwire.Out
				var sc orcwire.OutScratch
				var w orcwire.DecimalsOut
				data.Open(p, &sc)
				scales.Open(p, &sc)
				w.Open(&data, &scales, v2, scale)
				var marks []mark
				groups := cuts(r, len(v), len(v))
				for i, end := range groups {
					marks = append(marks, mark{end, settled(w.Position(nil), &data, &scales)})
					if i+1 < len(groups) {
						w.Put(v[end:groups[i+1]])
					}
				}
				w.Flush()
				data.Flush()
				scales.Flush()
				var db, sb orcwire.Bytes
				var rs orcwire.Scratch
				outStored(t, &data, p).open(t, &db, &rs)
				outStored(t, &scales, p).open(t, &sb, &rs)
				var d orcwire.Decimals
				d.Open(&db, &sb, v2, digits, scale)
				check := func(from, n int) {
					t.Helper()
					got := make([]uint64, 2*n)
					if err := d.Next(got); err != nil {
						t.Fatalf("decimal(%d,%d), %+v: %v", digits, scale, p, err)
					}
					for i := range n {
						if v[from+i] != [2]uint64(got[2*i:]) {
							t.Fatalf("decimal(%d,%d), %+v: value %d is %x, want %x", digits, scale, p, from+i, got[2*i:2*i+2], v[from+i])
						}
					}
				}
				check(0, len(v))
				for _, m := range marks {
					if err := d.Seek(orcwire.NewPositions(m.pos)); err != nil {
						t.Fatalf("decimal(%d,%d), %+v: seek to %v: %v", digits, scale, p, m.pos, err)
					}
					check(m.at, min(len(v)-m.at, 700))
				}
			}
		}
	}
}

// Times are read back as they were, but for those of the last second before 1970 that no writer can store.
func TestTimestampsOut(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	perSecond := map[orcwire.TimeUnit]int64{orcwire.Second: 1, orcwire.Millisecond: 1e3, orcwire.Microsecond: 1e6, orcwire.Nanosecond: 1e9}
	for unit, per := range perSecond {
		var v []int64
		for range 4000 {
			x := r.Int63n(1<<33) * per
			if per > 1 {
				x = r.Int63n(1 << 31)
				x = x*per + []int64{0, 1, per - 1, per / 2, r.Int63n(per), r.Int63n(10) * (per / 10), r.Int63n(100) * (per / 100)}[r.Intn(7)]
			}
			v = append(v, []int64{x, x, -x, x / 1000, -x / 1e6, x % (3 * per), -(x % (3 * per))}[r.Intn(7)])
		}
		v = append(v, 0, -1, 1, per, -per, -per-1, -per+1, 1420070400*per, 1420070400*per-1)
		if unit != orcwire.Second {
			v = append(v, math.MinInt64, math.MaxInt64)
		} else {
			v = append(v, 1<<61, -1<<61)
		}
		p := outPackings[r.Intn(len(outPackings))]
		for _, v2 := range []bool{true, false} {
			var secs, nanos orcwire.Out
			var sc orcwire.OutScratch
			var w orcwire.TimestampsOut
			secs.Open(p, &sc)
			nanos.Open(p, &sc)
			w.Open(&secs, &nanos, v2, unit)
			var marks []mark
			groups := cuts(r, len(v), len(v)/2)
			for i, end := range groups {
				marks = append(marks, mark{end, settled(w.Position(nil), &secs, &nanos)})
				if i+1 < len(groups) {
					if err := w.Put(v[end:groups[i+1]]); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.Flush()
			secs.Flush()
			nanos.Flush()
			late := int64(0)
			want := slices.Clone(v)
			for i, x := range v {
				// The fraction of a second, in nanoseconds, of what is between -1 s and 0.
				if x < 0 && x >= -per && (x+per)%per*(1e9/per) > 999_999 {
					want[i] += per
					late++
				}
			}
			if w.Late != late {
				t.Errorf("%v: Late is %d, want %d", unit, w.Late, late)
			}
			var sb, nb orcwire.Bytes
			var rs orcwire.Scratch
			outStored(t, &secs, p).open(t, &sb, &rs)
			outStored(t, &nanos, p).open(t, &nb, &rs)
			var si, ni orcwire.Ints[int64]
			si.Open(&sb, v2, true)
			ni.Open(&nb, v2, false)
			in := orcwire.Timestamps{Unit: unit}
			check := func(from, n int) {
				t.Helper()
				s, f := make([]int64, n), make([]int64, n)
				if err := si.Next(s); err != nil {
					t.Fatal(err)
				}
				if err := ni.Next(f); err != nil {
					t.Fatal(err)
				}
				// As the specification has it, in the fewest digits.
				for i, x := range f {
					z, n := x&7, x>>3
					x = (want[from+i]%per + per) % per * (1e9 / per)
					for range z {
						n *= 10
					}
					if z > 0 {
						n *= 10
					}
					if n != x || x%100 == 0 && x > 0 && (z == 0 || z < 7 && f[i]>>3%10 == 0) {
						t.Fatalf("%v: %d nanoseconds are stored as %d with %d", unit, x, f[i]>>3, z)
					}
				}
				if err := in.Combine(s, f); err != nil {
					t.Fatal(err)
				}
				for i := range s {
					if s[i] != want[from+i] {
						t.Fatalf("%v: %d is read back as %d, want %d", unit, v[from+i], s[i], want[from+i])
					}
				}
			}
			check(0, len(v))
			for _, m := range marks {
				pos := orcwire.NewPositions(m.pos)
				if err := si.Seek(pos); err != nil {
					t.Fatal(err)
				}
				if err := ni.Seek(pos); err != nil || pos.Len() != 0 {
					t.Fatal(err, pos.Len())
				}
				check(m.at, min(len(v)-m.at, 700))
			}
		}
	}
}

func TestTimestampsOutTooFar(t *testing.T) {
	var secs, nanos orcwire.Out
	secs.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
	nanos.Open(orcwire.OutPacking{}, new(orcwire.OutScratch))
	var w orcwire.TimestampsOut
	w.Open(&secs, &nanos, true, orcwire.Second)
	for _, v := range []int64{math.MinInt64, math.MaxInt64, 1<<61 + 1, -1<<61 - 1} {
		err := w.Put([]int64{5, v})
		var bad *orcwire.ValueError
		if !errors.Is(err, errs.ErrSchema) || !errors.As(err, &bad) || bad.Index != 1 {
			t.Errorf("%d seconds: %v", v, err)
		}
	}
	w.Flush()
	if secs.Raw() != 0 || nanos.Raw() != 0 {
		t.Error("some of what was refused has been written")
	}
}
