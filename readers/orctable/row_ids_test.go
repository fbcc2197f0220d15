package orctable

import (
	"context"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/readers/orc"
)

// numbered is events of one write id and bucket whose row ids count up but for jumps, some to where they have been.
func numbered(rng *rand.Rand, n int, jumps bool) (out []event) {
	id := rng.Int63n(100)
	for i := range n {
		out = append(out, event{write: 1, bucket: codec1(0), id: id, current: 1, row: row{id: int64(i), text: "x"}})
		id++
		if jumps && rng.Intn(400) == 0 {
			id = max(0, id+rng.Int63n(60)-20)
		}
	}
	return out
}

// Row ids come as they are stored, from every split, whether they count up or not; and of ids that count up, most are not
// decoded.
func TestReadRowIDs(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for round := range 20 {
		jumps := round%2 == 0
		events := numbered(rng, 1+rng.Intn(9000), jumps)
		b := eventsFile(t, events, map[string]string{"orc-row-index-stride": "1000"})
		f, err := orc.Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, orc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ShowRows(); err != nil {
			t.Fatal(err)
		}
		for _, whole := range f.Splits() {
			s := whole
			if round > 3 { // not from the start of a run
				s.Rows.Start += rng.Int63n(s.Rows.Len())
				s.Rows.End -= rng.Int63n(s.Rows.Len())
			}
			at, decoded := s.Rows.Start, 0
			known, err := f.ReadRowIDs(context.Background(), s, arrowbuf.Shared(), func(row int64, ids orc.RowIDs) error {
				if row != at {
					t.Fatalf("row %d, not %d", row, at)
				}
				decoded += len(ids.Values)
				for i := range ids.Count {
					id := ids.First + int64(i)
					if ids.Values != nil {
						id = ids.Values[i]
					}
					if want := events[at].id; id != want {
						t.Fatalf("row %d has id %d, not %d", at, id, want)
					}
					at++
				}
				return nil
			})
			if err != nil || !known || at != s.Rows.End {
				t.Fatal(known, at, s.Rows, err)
			}
			if !jumps && decoded > 1100 { // of the first run and the last
				t.Errorf("%d of %d ids were decoded", decoded, s.Rows.Len())
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Ids that count up are gone as those one by one are.
func TestTakeRowIDs(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 500 {
		base := rng.Int63n(200) - 100
		if rng.Intn(4) == 0 {
			base = math.MaxInt64 - 300
		}
		var rows []int64
		for range rng.Intn(60) {
			rows = append(rows, base+rng.Int63n(300))
		}
		slices.Sort(rows)
		set := &eventSet{groups: []eventGroup{{write: 1, bucket: codec1(0)}}, rows: rows}
		ids := orc.RowIDs{First: base + rng.Int63n(200), Count: 1 + rng.Intn(100)}
		pos := rng.Int63n(50)
		var want, got gonerows.Rows
		for i := range ids.Count {
			if slices.Contains(rows, ids.First+int64(i)) {
				want.Add(uint32(pos) + uint32(i))
			}
		}
		m := matcher{set: set}
		if err := m.one(1, codec1(0)); err != nil {
			t.Fatal(err)
		}
		m.take(&got, ids, pos)
		if !got.Equal(&want) {
			t.Fatalf("%v of %v: %v, want %v", rows, ids, got, want)
		}
	}
}
