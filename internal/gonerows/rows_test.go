package gonerows

import (
	"math/rand"
	"slices"
	"testing"
)

// Rows are translated between how they are stored and how they are counted.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for round := range 300 {
		n := 1 + rng.Intn(80)
		var g Rows
		var live []int64 // where those that are there are stored
		for i := range n {
			gone := rng.Intn(10) < round%11
			if round%5 == 0 && i > 0 && rng.Intn(4) > 0 { // in runs
				gone = len(live) == 0 || live[len(live)-1] != int64(i-1)
			}
			if gone {
				g.Add(uint32(i))
			} else {
				live = append(live, int64(i))
			}
		}
		if int(g.Total()) != n-len(live) {
			t.Fatalf("%d of %d are gone, want %d", g.total, n, n-len(live))
		}
		for row := range n + 1 {
			want, _ := slices.BinarySearch(live, int64(row))
			if got := g.Below(int64(row)); got != int64(want) {
				t.Fatalf("%d rows below %d, want %d: %v", got, row, want, g)
			}
		}
		for i, want := range live {
			if got := g.At(int64(i)); got != want {
				t.Fatalf("row %d is at %d, want %d: %v", i, got, want, g)
			}
		}
		for first := range live {
			count := rng.Intn(len(live) - first + 1)
			var got []int64
			last := int64(-1)
			for _, r := range g.Stored(nil, int64(first), int64(count), 1000) {
				if r.Len() <= 0 || r.Start == last {
					t.Fatalf("run %v", r)
				}
				last = r.End
				for x := r.Start; x < r.End; x++ {
					got = append(got, x-1000)
				}
			}
			if !slices.Equal(got, live[first:first+count]) {
				t.Fatalf("rows %d+%d are %v, want %v", first, count, got, live[first:first+count])
			}
		}
	}
}
