package orctable

import (
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
)

type triple struct {
	write  int64
	bucket int32
	row    int64
}

func addAll(t *testing.T, s *eventSet, ids []triple) {
	t.Helper()
	for len(ids) > 0 {
		n := min(len(ids), 7)
		var w, r []int64
		var b []int32
		for _, x := range ids[:n] {
			w, b, r = append(w, x.write), append(b, x.bucket), append(r, x.row)
		}
		if err := s.add(w, b, r); err != nil {
			t.Fatal(err)
		}
		ids = ids[n:]
	}
	s.finish()
}

// A set names the rows that were added, in whatever order they came and are asked for, and no others.
func TestEventSet(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for round := range 300 {
		id := func() triple {
			return triple{rng.Int63n(4), int32(rng.Intn(3)) << (16 * (round % 2)), rng.Int63n(60)}
		}
		var events, rows []triple
		in := map[triple]bool{}
		for range rng.Intn(80) {
			x := id()
			events = append(events, x)
			in[x] = true
		}
		for range rng.Intn(200) {
			rows = append(rows, id())
		}
		if round%3 > 0 {
			slices.SortFunc(events, compareTriples)
		}
		if round%4 > 0 {
			slices.SortFunc(rows, compareTriples)
		}
		s := &eventSet{most: 1000}
		addAll(t, s, events)
		m := matcher{set: s}
		var got []int64
		for at := 0; at < len(rows); {
			n := min(1+rng.Intn(20), len(rows)-at)
			var w, r []int64
			var b []int32
			for _, x := range rows[at : at+n] {
				w, b, r = append(w, x.write), append(b, x.bucket), append(r, x.row)
			}
			if err := m.match(w, b, r, int64(at), func(pos int64) { got = append(got, pos) }); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		var want []int64
		for i, x := range rows {
			if in[x] {
				want = append(want, int64(i))
			}
			if at := s.find(x.write, x.bucket); slices.Contains(at, x.row) != in[x] || !slices.IsSorted(at) {
				t.Fatalf("find %v: %v", x, at)
			}
			one := box{[2]int64{x.write, x.write}, [2]int64{int64(x.bucket), int64(x.bucket)}, [2]int64{x.row, x.row}}
			if s.may(one) != in[x] {
				t.Fatalf("may %v: %t", x, s.may(one))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: rows %v, want %v", round, got, want)
		}
		if s.may(everywhere) != (len(events) > 0) {
			t.Fatal("everywhere")
		}
	}
}

func compareTriples(a, b triple) int {
	return compareIDs(&update{write: a.write, bucket: a.bucket, row: a.row}, &update{write: b.write, bucket: b.bucket, row: b.row})
}

// Row ids at the limits of their types are ids like others.
func TestEventSetExtremes(t *testing.T) {
	extremes := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	var ids []triple
	for _, w := range extremes {
		for _, r := range extremes {
			ids = append(ids, triple{w, 1<<30 - 1, r}, triple{w, 0, r})
		}
	}
	s := &eventSet{most: 1000}
	addAll(t, s, ids)
	m := matcher{set: s}
	n := 0
	for i, x := range ids {
		err := m.match([]int64{x.write}, []int32{x.bucket}, []int64{x.row}, int64(i), func(pos int64) {
			if pos != int64(i) {
				t.Errorf("row %d for %d", pos, i)
			}
			n++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n != len(ids) {
		t.Errorf("%d of %d are found", n, len(ids))
	}
	if err := m.match([]int64{1}, []int32{1}, []int64{5}, 0, func(int64) { t.Error("a row that is not in the set") }); err != nil {
		t.Fatal(err)
	}
}

// An event takes up to 24 bytes, and as Hive writes them, one after the other, 8.
func TestEventSetMemory(t *testing.T) {
	if n := unsafe.Sizeof(eventGroup{}) + unsafe.Sizeof(int64(0)); n > 24 {
		t.Errorf("an event takes up to %d bytes", n)
	}
	s := &eventSet{most: 1 << 20}
	for i := range 1000 {
		w, b, r := make([]int64, 100), make([]int32, 100), make([]int64, 100)
		for k := range w {
			w[k], b[k], r[k] = 7, 536870912, int64(100*i+k)
		}
		if err := s.add(w, b, r); err != nil {
			t.Fatal(err)
		}
	}
	s.finish()
	if s.len() != 100_000 || len(s.groups) != 1 {
		t.Errorf("%d events in %d groups", s.len(), len(s.groups))
	}
}

func TestEventSetLimits(t *testing.T) {
	s := &eventSet{most: 3}
	three := []int64{1, 2, 3}
	if err := s.add(three, make([]int32, 3), three); err != nil {
		t.Fatal(err)
	}
	if err := s.add(three[:1], make([]int32, 1), three[:1]); !errors.Is(err, errs.ErrLimit) {
		t.Error(err)
	}
	if err := (&eventSet{most: 9}).add(three[:1], []int32{-1}, three[:1]); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	m := matcher{set: &eventSet{}}
	if err := m.match(three[:1], []int32{-1}, three[:1], 0, nil); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	// So many groups that looking at them is no less work than reading: the answer is yes.
	many := &eventSet{most: 1 << 20}
	for i := range int64(mostProbed + 10) {
		if err := many.add([]int64{i}, []int32{0}, []int64{0}); err != nil {
			t.Fatal(err)
		}
	}
	many.finish()
	if !many.may(box{[2]int64{0, math.MaxInt64}, [2]int64{5, 6}, [2]int64{5, 6}}) {
		t.Error("it looked at all groups")
	}
}
