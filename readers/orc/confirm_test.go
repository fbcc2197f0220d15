package orc

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// A position that leads to another place of its stream, as after a flipped bit, is noticed: rows are those of the file.
func TestFlippedPositions(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, name := range []string{
		"java-2.3.1/pruning", "java-2.3.1/strides-none", "java-2.3.1/bloom-utf8", "pyarrow-26.0.1/strides", "pyarrow-26.0.1/bloom",
	} {
		i := slices.IndexFunc(manifest(t), func(x fixture) bool { return x.File == "orc/"+name+".orc" })
		if i < 0 {
			t.Fatalf("no file %s", name)
		}
		x := manifest(t)[i]
		f, err := Open(t.Context(), local.NewBytesSource(fixtures.Read(t, testdata+x.File)), arrowio.Limits{}, optionsOf(t, x.Options))
		if err != nil {
			t.Fatal(err)
		}
		want := lines(t, testdata+x.Text.File)
		s, err := f.stripe(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var columns []int
		for id := range f.footer.Types {
			columns = append(columns, id)
		}
		if err := s.readIndex(t.Context(), columns, nil); err != nil {
			t.Fatal(err)
		}
		stride, cases, unseen := int64(f.footer.RowIndexStride), 0, 0
		for _, id := range columns {
			c := s.index[id]
			for group := 1; group < len(c.entries); group++ {
				e := &c.entries[group]
				for i, sound := range e.Positions {
					if rng.Intn(sampled) > 0 {
						continue
					}
					e.Positions[i] ^= 1 << rng.Intn(7)
					s.wrong, f.parked = false, nil
					from := int64(group) * stride
					rs := arrowio.RowRange{Start: from, End: min(from+5, f.cuts[0].rows.End)}
					got, err := rowsOf(t, f, 0, rs)
					cases++
					if err != nil || !slices.Equal(got, want[rs.Start:rs.End]) {
						unseen++
						t.Logf("%s: column %d (%s), row group %d of %d, number %d: %d for %d: %v", name, id, f.footer.Types[id].Kind, group, len(c.entries), i, e.Positions[i], sound, err)
					}
					e.Positions[i] = sound
				}
			}
		}
		// What is left: a bit of a byte, or a byte within a varint, where the rows happen to end at the same place.
		if t.Logf("%s: %d positions changed, %d unseen", name, cases, unseen); cases < 50/sampled || unseen*33 > cases {
			t.Errorf("%s: %d of %d wrong positions gave other rows, or an error", name, unseen, cases)
		}
		s.release()
		f.Close()
	}
}
