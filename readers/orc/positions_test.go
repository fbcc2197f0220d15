package orc

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
)

// wrongPositions are ways in which the positions of an entry cannot be right.
var wrongPositions = map[string]func(p []uint64, i int) []uint64{
	"beyond the stream":    func(p []uint64, i int) []uint64 { p[i] = 1 << 40; return p },
	"beyond all":           func(p []uint64, i int) []uint64 { p[i] = math.MaxUint64; return p },
	"beyond signed":        func(p []uint64, i int) []uint64 { p[i] = 1 << 63; return p },
	"a number more":        func(p []uint64, i int) []uint64 { return slices.Insert(p, i, 0) },
	"a number more at end": func(p []uint64, _ int) []uint64 { return append(p, 0) },
	"a number less":        func(p []uint64, i int) []uint64 { return slices.Delete(p, i, i+1) },
	"none":                 func([]uint64, int) []uint64 { return nil },
}

// Rows behind wrong positions are found without them, and later scans find theirs.
func TestWrongPositions(t *testing.T) {
	t.Parallel()
	files, changes := 0, 0
	for _, x := range manifest(t) {
		if x.Rows > 20_000 || x.Quirk != "" {
			continue
		}
		o := optionsOf(t, x.Options)
		if x.Masked.File != "" {
			o = optionsOf(t, x.Options, map[string]string{"orc-keys": keysFile})
		}
		b := fixtures.Read(t, testdata+x.File)
		rng := rand.New(rand.NewSource(x.Rows))
		var want []string
		for range 1 + 8/(sampled*sampled) {
			for name, change := range wrongPositions {
				f, err := Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, o)
				if err != nil {
					t.Fatalf("%s: %v", x.File, err)
				}
				group, ok := spoilPositions(t, f, rng, change)
				if !ok {
					f.Close()
					break
				}
				if want == nil {
					want = lines(t, testdata+x.Text.File)
					files++
				}
				changes++
				first := f.cuts[0].rows.Start
				from := first + group*int64(f.footer.RowIndexStride)
				rows := arrowio.RowRange{Start: from, End: min(from+100, f.cuts[0].rows.End)}
				for _, rs := range []arrowio.RowRange{rows, f.cuts[0].rows, rows} {
					got, err := rowsOf(t, f, 0, rs)
					if err != nil {
						t.Errorf("%s, %s: rows %v: %v", x.File, name, rs, err)
					} else if !slices.Equal(got, want[rs.Start:rs.End]) {
						t.Errorf("%s, %s: rows %v differ", x.File, name, rs)
					}
				}
				f.Close()
			}
		}
	}
	if t.Logf("%d files, %d entries changed", files, changes); files < 10 {
		t.Errorf("only %d files have row groups", files)
	}
}

// spoilPositions changes an entry of the first stripe's row index and returns its row group, not the first; false where
// there is no such entry. The stripe stays in use.
func spoilPositions(t *testing.T, f *File, rng *rand.Rand, change func([]uint64, int) []uint64) (int64, bool) {
	t.Helper()
	if len(f.footer.Stripes) == 0 {
		return 0, false
	}
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
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	for _, id := range columns {
		c := s.index[id]
		if c == nil || len(c.entries) < 2 || c.indexErr != nil {
			continue
		}
		group := 1 + rng.Intn(len(c.entries)-1)
		e := &c.entries[group]
		if len(e.Positions) == 0 {
			continue
		}
		e.Positions = change(slices.Clone(e.Positions), rng.Intn(len(e.Positions)))
		return int64(group), true
	}
	return 0, false
}

// rowsOf returns rows of a split, printed, or why they cannot be read.
func rowsOf(t *testing.T, f *File, split int, rs arrowio.RowRange) (out []string, err error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	err = conformance.EachBatch(f, f.Splits()[split], arrowio.RowSet{rs}, whole(t, f), mem, 1000, func(r arrow.Record) error {
		out = append(out, orctext.Rows(r)...)
		return nil
	})
	return out, err
}

// The positions of the fixtures are right, and used.
func TestPositionsAreUsed(t *testing.T) {
	used := 0
	for _, x := range manifest(t) {
		f, err := Open(t.Context(), local.NewBytesSource(fixtures.Read(t, testdata+x.File)), arrowio.Limits{}, optionsOf(t, x.Options))
		if err != nil {
			t.Fatalf("%s: %v", x.File, err)
		}
		for i, c := range f.cuts {
			if c.stripe < 0 || c.rows.Len() <= int64(f.footer.RowIndexStride) {
				continue
			}
			s, err := f.stripe(t.Context(), c.stripe)
			if err != nil {
				t.Fatalf("%s: %v", x.File, err)
			}
			if s.groups() < 2 {
				continue
			}
			if _, err := rowsOf(t, f, i, arrowio.RowRange{Start: c.rows.End - 1, End: c.rows.End}); err != nil {
				t.Errorf("%s: %v", x.File, err)
			}
			if s.wrong {
				t.Errorf("%s, stripe %d: the positions are not trusted", x.File, c.stripe)
			}
			used++
			s.release()
		}
		f.Close()
	}
	if used < 10 {
		t.Errorf("only %d stripes have row groups", used)
	}
}
