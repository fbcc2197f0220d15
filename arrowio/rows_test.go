package arrowio

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// universe is how many rows the sets of these tests are about.
const universe = 64

// setOf decodes a set of rows from bytes: gap, length, gap, length …
func setOf(b []byte) RowSet {
	var s RowSet
	at := int64(0)
	for i := 0; i+1 < len(b) && at < universe; i += 2 {
		at += int64(b[i] % 8)
		end := min(universe, at+int64(b[i+1]%8))
		s = s.Add(RowRange{min(at, end), end})
		at = end
	}
	return s
}

// members is the same set, row by row.
func members(s RowSet) (m [universe]bool) {
	for _, r := range s {
		for i := r.Start; i < r.End; i++ {
			m[i] = true
		}
	}
	return m
}

// sound reports whether s is sorted, disjoint, not touching and without empty ranges.
func sound(s RowSet) bool {
	for i, r := range s {
		if r.Start >= r.End || i > 0 && r.Start <= s[i-1].End {
			return false
		}
	}
	return true
}

func FuzzRowSet(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint8(0), uint8(0))
	f.Add([]byte{1, 2, 3, 4}, []byte{0, 7, 0, 7, 1, 1}, uint8(3), uint8(9))
	f.Add([]byte{0, 7, 7, 7, 7, 7}, []byte{5, 5, 5, 5}, uint8(0), uint8(63))
	f.Fuzz(func(t *testing.T, a, b []byte, start, end uint8) {
		x, y := setOf(a), setOf(b)
		r := RowRange{int64(start % universe), int64(end % universe)}
		mx, my := members(x), members(y)
		check := func(what string, got RowSet, want func(i int64) bool) {
			t.Helper()
			n := int64(0)
			m := members(got)
			for i := range int64(universe) {
				if m[i] != want(i) {
					t.Fatalf("%v %s %v, %v: row %d is %v", x, what, y, r, i, m[i])
				}
				if m[i] {
					n++
				}
			}
			if !sound(got) || got.Len() != n {
				t.Fatalf("%v %s %v, %v: %v with %d rows of %d", x, what, y, r, got, got.Len(), n)
			}
		}
		in := func(i int64) bool { return i >= r.Start && i < r.End }
		before := fmt.Sprint(x, y)
		check("add", x, func(i int64) bool { return mx[i] })
		check("intersect", x.Intersect(y), func(i int64) bool { return mx[i] && my[i] })
		check("union", x.Union(y), func(i int64) bool { return mx[i] || my[i] })
		check("clip", x.Clip(r), func(i int64) bool { return mx[i] && in(i) })
		overlaps := false
		for i := range int64(universe) {
			overlaps = overlaps || mx[i] && in(i)
		}
		if x.Overlaps(r) != overlaps {
			t.Fatalf("%v overlaps %v: %v", x, r, !overlaps)
		}
		if after := fmt.Sprint(x, y); after != before {
			t.Fatalf("an operation changed its operands: %s, before %s", after, before)
		}
	})
}

func TestRowRange(t *testing.T) {
	for _, c := range []struct {
		r    RowRange
		want int64
	}{{RowRange{}, 0}, {RowRange{3, 8}, 5}, {RowRange{8, 3}, 0}, {RowRange{0, UnknownRows}, 0}, {RowRange{0, math.MaxInt64}, math.MaxInt64}} {
		if got := c.r.Len(); got != c.want {
			t.Errorf("%v has %d rows, want %d", c.r, got, c.want)
		}
	}
	if got := (RowRange{0, 5}).Intersect(RowRange{9, 12}); got.Len() != 0 {
		t.Errorf("disjoint ranges meet in %v", got)
	}
	if got := (RowRange{3, 9}).Intersect(RowRange{5, math.MaxInt64}); got != (RowRange{5, 9}) {
		t.Errorf("%v", got)
	}
}

// The marks of a batch are counted within the rows that were read, which may have gaps.
func TestMaskedRows(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 2000 {
		var m maskedRows
		var want RowSet
		row := rng.Int63n(100)
		m.reset()
		for range 1 + rng.Intn(4) {
			var got RowSet
			n := 0
			for range 1 + rng.Intn(4) {
				k := 1 + rng.Int63n(300)
				got = append(got, RowRange{row, row + k})
				row += k + 1 + rng.Int63n([]int64{1, 90, 10_000}[rng.Intn(3)])
				n += int(k)
			}
			marks := make(bitpack.Marks, bitpack.MarkWords(n))
			slot, every := 0, 1+rng.Intn(100)
			for _, r := range got {
				for x := r.Start; x < r.End; x++ {
					if rng.Intn(every) == 0 {
						marks.Mark(slot, slot+1)
						want = want.Add(RowRange{x, x + 1})
					}
					slot++
				}
			}
			m.add(marks, got)
		}
		if got := m.from(0, 0); !slices.Equal(got, want) || m.n != want.Len() {
			t.Fatalf("%d rows: %v, want %d: %v", m.n, got, want.Len(), want)
		}
		for _, gap := range []int64{0, 1, 30, 63, 64, 1000, 5000} {
			if got := m.closed(gap); !slices.Equal(got, want.closed(gap)) {
				t.Fatalf("closed by %d: %v, want %v", gap, got, want.closed(gap))
			}
		}
		if len(m.pieces) == 0 {
			continue
		}
		i := rng.Intn(len(m.pieces))
		from := m.pieces[i].rows.Start + rng.Int63n(m.pieces[i].rows.Len())
		if got := m.from(i, from); !slices.Equal(got, want.Clip(RowRange{from, math.MaxInt64})) {
			t.Fatalf("from %d: %v, want those of %v", from, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	split := RowRange{10, 20}
	for _, c := range []struct {
		row, n int64
		ok     bool
	}{
		{10, 10, true},
		{15, 0, true},
		{20, 0, true},
		{19, 1, true},
		{10, 11, false},
		{20, 1, false},
		{9, 1, false},
		{21, 0, false},
		{15, -1, false},
		{11, math.MaxInt64, false},
		{math.MaxInt64, 1, false},
		{math.MinInt64, 1, false},
	} {
		if err := split.Check(c.row, c.n); (err == nil) != c.ok || err != nil && !errors.Is(err, errs.ErrInternal) {
			t.Errorf("%d rows from %d on: %v", c.n, c.row, err)
		}
	}
}
