package orctable

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// updated is an event that changes a row in place.
func updated(current, write int64, bucket int32, id, to int64) event {
	return event{op: 1, write: write, bucket: bucket, id: id, current: current, row: row{to, "new"}}
}

// In tables of version 1 deltas hold all that happened, and the newest event of a row id is what counts.
func TestUpdatesInPlace(t *testing.T) {
	m := memTree{
		"000000_0":                 rowsFile(t, []row{{0, "a"}, {1, "b"}, {2, "c"}}),
		"delta_1_1_0/bucket_00000": eventsFile(t, inserts(1, 0, 10, 4), nil),
		"delta_2_2_0/bucket_00000": eventsFile(t, slices.Concat(
			[]event{updated(2, 0, 0, 1, 21), updated(2, 1, 0, 0, 22)}, deletes(2, 1, 0, 1), inserts(2, 0, 23, 2)), nil),
		"delta_3_3_0/bucket_00000": eventsFile(t, slices.Concat([]event{updated(3, 1, 0, 0, 32), updated(3, 2, 0, 1, 33)}, deletes(3, 0, 0, 2)), nil),
		"delta_3_3_1/bucket_00000": eventsFile(t, slices.Concat([]event{updated(3, 1, 0, 0, 34)}, deletes(3, 2, 0, 1)), nil),
	}
	sorted := func(o Options) []int64 {
		got := ids(t, openTable(t, m, o), arrowio.ScanOptions{})
		slices.Sort(got)
		return got
	}
	sameIDs64(t, "rows", sorted(Options{}), 0, 12, 13, 21, 23, 34)
	sameIDs64(t, "as of 2", sorted(Options{WriteIDs: "2"}), 0, 2, 12, 13, 21, 22, 23, 24)
	sameIDs64(t, "2 is open", sorted(Options{WriteIDs: "3:2"}), 0, 1, 11, 12, 13, 34)
	sameIDs64(t, "as of 1", sorted(Options{WriteIDs: "1"}), 0, 1, 2, 10, 11, 12, 13)
	f := openTable(t, m, Options{})
	if !f.updated {
		t.Error("it is not noticed that rows are updated in place")
	}
	if _, err := Open(context.Background(), m, arrowio.Limits{}, Options{DeleteEvents: 9}, orc.Options{}); !errors.Is(err, errs.ErrLimit) {
		t.Error(err)
	}
	// Deletes in directories of their own go together with it: Hive 2 could write both.
	m["delete_delta_4_4_0/bucket_00000"] = eventsFile(t, deletes(4, 1, 0, 0, 2), nil)
	sameIDs64(t, "deleted, too", sorted(Options{}), 0, 13, 21, 23)
}

// The newest event of a row id counts, by write id and then by statement, whatever order events come in.
func TestRandomUpdatesInPlace(t *testing.T) {
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		m := memTree{}
		type state struct {
			current, stmt int64
			op            int32
			id            int64
		}
		newest := map[triple]state{}
		list := fmt.Sprintf("%d:%d:%d", 2+rng.Intn(6), 1+rng.Intn(6), 1+rng.Intn(6))
		ids1, err := parseWriteIDs("orc-write-ids", list)
		if err != nil {
			t.Fatal(err)
		}
		next := int64(1000)
		var known []triple
		for w := int64(1); w <= 6; w++ {
			for stmt := range int64(1 + rng.Intn(2)) {
				var events []event
				taken := map[triple]bool{}
				note := func(e event) {
					k := triple{e.write, e.bucket, e.id}
					events = append(events, e)
					taken[k] = true
					if s := (state{w, stmt, e.op, e.row.id}); ids1.valid(w) {
						newest[k] = s
					}
				}
				if stmt == 0 {
					for i := range int64(rng.Intn(6)) {
						note(event{write: w, bucket: int32(rng.Intn(2)), id: i, current: w, row: row{next, "x"}})
						next++
					}
				}
				for range rng.Intn(5) {
					if len(known) == 0 {
						break
					}
					k := known[rng.Intn(len(known))]
					if taken[k] {
						continue
					}
					if rng.Intn(3) == 0 {
						note(deletes(w, k.write, k.bucket, k.row)[0])
					} else {
						note(updated(w, k.write, k.bucket, k.row, next))
						next++
					}
				}
				for k := range taken {
					known = append(known, k)
				}
				rng.Shuffle(len(events), func(i, k int) { events[i], events[k] = events[k], events[i] })
				m[fmt.Sprintf("delta_%07d_%07d_%04d/bucket_00000", w, w, stmt)] = eventsFile(t, events, nil)
			}
		}
		var want []int64
		for _, s := range newest {
			if s.op != 2 {
				want = append(want, s.id)
			}
		}
		slices.Sort(want)
		f := openTable(t, m, Options{WriteIDs: list})
		var got []int64
		if len(f.Splits()) > 0 {
			got = ids(t, f, arrowio.ScanOptions{})
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %s: %v, want %v", seed, list, got, want)
		}
	}
}
