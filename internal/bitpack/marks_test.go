package bitpack_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
)

func TestMarks(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range percents {
			bits := bitmap(r, n, percent)
			m := bitpack.AppendMarks(nil, bits, 0, n)
			again := make(bitpack.Marks, bitpack.MarkWords(n))
			runs, count, at, end := 0, 0, 0, 0
			for from, to := m.NextRun(0); from < to; from, to = m.NextRun(to) {
				for ; at < from; at++ {
					if bit(bits, at) {
						t.Fatalf("%d slots: %d is marked, before the run from %d", n, at, from)
					}
				}
				for ; at < to; at++ {
					if at >= n || !bit(bits, at) {
						t.Fatalf("%d slots: %d is not marked, in the run from %d to %d", n, at, from, to)
					}
				}
				if to < n && bit(bits, to) {
					t.Fatalf("%d slots: the run from %d ends early, at %d", n, from, to)
				}
				again.Mark(from, to)
				runs, count, end = runs+1, count+to-from, to
			}
			for ; at < n; at++ {
				if bit(bits, at) {
					t.Fatalf("%d slots: %d is marked, behind the last run", n, at)
				}
			}
			if m.Runs() != runs || m.Count() != count || m.End() != end || !slices.Equal(m, again) {
				t.Fatalf("%d slots, %d %%: %d runs, %d marked; want %d, %d; %x from runs, want %x", n, percent, m.Runs(), m.Count(), runs, count, again, m)
			}
		}
	}
}

// Parts of marks are what their slots are one by one.
func TestMarkParts(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		n := r.Intn(400)
		bits := bitmap(r, n, percents[r.Intn(len(percents))])
		m := bitpack.AppendMarks(nil, bits, 0, n)
		off := r.Intn(n + 1)
		k := r.Intn(n - off + 1)
		part := bitpack.AppendPart(bitpack.Marks{7}, m, off, k)[1:]
		at := r.Intn(100)
		added := make(bitpack.Marks, bitpack.MarkWords(at+k+r.Intn(2)))
		added.Add(at, part, k)
		count, nth := 0, 1+r.Intn(k+2)
		find := k
		for i := range k {
			v := bit(bits, off+i)
			if v {
				if count++; count == nth {
					find = i + 1
				}
			}
			if part[i/64]>>(i%64)&1 == 1 != v || added[(at+i)/64]>>((at+i)%64)&1 == 1 != v {
				t.Fatalf("slot %d of %d from %d on is not %v", i, k, off, v)
			}
		}
		slots, found := m.Find(off, k, nth)
		if len(part) != bitpack.MarkWords(k) || part.Count() != count || added.Count() != count || m.CountPart(off, k) != count || slots != find || found != min(count, nth) {
			t.Fatalf("%d of %d slots from %d on: %d, %d, %d; number %d is found at %d, want %d", count, k, off, part.Count(), added.Count(), m.CountPart(off, k), nth, slots, find)
		}
	}
}
