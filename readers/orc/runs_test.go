package orc

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// readRuns reads runs of a split in batches: those of one inner list are asked for together.
func readRuns(t *testing.T, f *File, s arrowio.Split, calls [][]arrowio.RowRange, mem memory.Allocator, share bool) (out []string, err error) {
	t.Helper()
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows arrowio.RowSet
	for _, runs := range calls {
		for _, r := range runs {
			rows = rows.Add(r)
		}
	}
	r, err := f.Read(context.Background(), s, rows, p, mem)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if share {
		r.(*splitReader).Share(func(n int, task func(int) error) error {
			for i := n - 1; i >= 0; i-- {
				if err := task(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	at := s.Rows.Start
	for i, runs := range calls {
		var ahead []arrowio.RowRange
		from := at
		for _, x := range runs {
			ahead = append(ahead, arrowio.RowRange{Start: x.Start - from, End: x.End - from})
			at = x.End
		}
		if err := r.(*splitReader).ReadRuns(ahead); err != nil {
			return nil, err
		}
		if i%2 == 0 && i < len(calls)-1 {
			continue
		}
		rec, err := r.Take()
		if err != nil {
			return nil, err
		}
		if err := conformance.ValidateRecord(rec); err != nil {
			t.Error(err)
		}
		out = append(out, orctext.Rows(rec)...)
		rec.Release()
	}
	return out, nil
}

// draw returns runs of a range, now close together and now far apart, cut into calls.
func draw(rng *rand.Rand, rows arrowio.RowRange) (calls [][]arrowio.RowRange) {
	call := []arrowio.RowRange{}
	gap, length := 1+rng.Int63n(4), 1+rng.Int63n(30)
	for at := rows.Start + rng.Int63n(3); at < rows.End; {
		if rng.Intn(40) == 0 {
			gap, length = 1+rng.Int63n(60), 1+rng.Int63n(200)
			if rng.Intn(2) == 0 { // few rows
				gap, length = 20+rng.Int63n(300), 1+rng.Int63n(2)
			}
		}
		end := min(rows.End, at+1+rng.Int63n(length))
		call = append(call, arrowio.RowRange{Start: at, End: end})
		at = end + rng.Int63n(gap+1)
		if rng.Intn(30) == 0 {
			calls, call = append(calls, call), nil
		}
	}
	return append(calls, call)
}

// Many runs at once are the rows that they name, of every type.
func TestReadRuns(t *testing.T) {
	t.Parallel()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewSource(1))
	for _, x := range []struct {
		file    string
		options map[string]string
	}{
		{"all-zlib-v11", nil},
		{"all-none-v12", nil},
		{"all-none-v12", map[string]string{"dictionary": "true", "orc-char-padding": "keep"}},
		{"nulls-stripe2-v12", nil},
		{"strings-v12", nil},
		{"strides-none", nil},
		{"strides-zstd", nil},
		{"nested-v12", nil},
		{"map-null-keys", map[string]string{"orc-null-keys": "list"}},
		{"pruning", nil},
		{"root-uniontype", nil},
		{"empty-struct", nil},
	} {
		f, err := Open(t.Context(), local.NewBytesSource(fixtures.Read(t, byJava+x.file+".orc")), arrowio.Limits{}, optionsOf(t, x.options, map[string]string{"timestamp-unit": "us"}))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		if err := conformance.Everything(f, mem, 1000, func(r arrow.Record) error { all = append(all, orctext.Rows(r)...); return nil }); err != nil {
			t.Fatal(err)
		}
		for round := range 12 {
			for _, s := range f.Splits() {
				calls := draw(rng, s.Rows)
				got, err := readRuns(t, f, s, calls, mem, round%3 == 0)
				if err != nil {
					t.Fatalf("%s: %v", x.file, err)
				}
				var want []string
				for _, runs := range calls {
					for _, r := range runs {
						want = append(want, all[r.Start:r.End]...)
					}
				}
				if !slices.Equal(got, want) {
					for i := range min(len(got), len(want)) {
						if got[i] != want[i] {
							t.Fatalf("%s: row %d of %v: %.300s\nwant %.300s", x.file, i, calls, got[i], want[i])
						}
					}
					t.Fatalf("%s: %d rows of %d", x.file, len(got), len(want))
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A value that was not asked for is no error, even where it was decoded on the way.
func TestReadRunsPassOverBadValues(t *testing.T) {
	b := slices.Clone(fixtures.Read(t, byJava+"strides-none.orc"))
	f, err := Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var all []string
	if err := conformance.Everything(f, mem, 1000, func(r arrow.Record) error { all = append(all, orctext.Rows(r)...); return nil }); err != nil {
		t.Fatal(err)
	}
	// The third column is text, stored as it is: that of one row becomes no UTF-8.
	const row = 150
	st, err := f.stripe(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	bytes, _ := st.find(f.top[2].ID, orcwire.Data)
	at := bytes.off
	for _, line := range all[:row] {
		var values []any
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			t.Fatal(err)
		}
		if text, ok := values[2].(string); ok {
			at += int64(len(text))
		}
	}
	b[at] = 0xff
	if f, err = Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, Options{}); err != nil {
		t.Fatal(err)
	}
	s := f.Splits()[0]
	var runs []arrowio.RowRange
	var want []string
	for i := s.Rows.Start; i < s.Rows.End; i++ {
		if i%17 == 3 || i == row {
			continue
		}
		runs = append(runs, arrowio.RowRange{Start: i, End: i + 1})
		want = append(want, all[i])
	}
	n := len(runs) / 2
	got, err := readRuns(t, f, s, [][]arrowio.RowRange{runs[:n/2], runs[n/2 : n], runs[n:]}, mem, false)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d rows, %v", len(got), err)
	}
	runs = append(runs, arrowio.RowRange{Start: row, End: row + 1})
	slices.SortFunc(runs, func(a, b arrowio.RowRange) int { return int(a.Start - b.Start) })
	if _, err := readRuns(t, f, s, [][]arrowio.RowRange{runs}, mem, false); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "UTF-8") {
		t.Error(err)
	}
}

// Runs that are not ahead, or not of the split, are refused.
func TestReadRunsRefuse(t *testing.T) {
	f, err := Open(t.Context(), local.NewBytesSource(fixtures.Read(t, byJava+"strides-none.orc")), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := f.Splits()[0]
	for _, runs := range [][]arrowio.RowRange{
		{{Start: 5, End: 3}}, {{Start: 5, End: 9}, {Start: 8, End: 12}}, {{Start: -1, End: 2}}, {{Start: 3, End: s.Rows.End + 1}},
	} {
		if _, err := readRuns(t, f, s, [][]arrowio.RowRange{runs}, memory.DefaultAllocator, false); !errors.Is(err, errs.ErrInternal) {
			t.Errorf("%v: %v", runs, err)
		}
	}
	if out, err := readRuns(t, f, s, [][]arrowio.RowRange{{{Start: 4, End: 4}}, nil}, memory.DefaultAllocator, false); err != nil || len(out) != 0 {
		t.Errorf("%q, %v", out, err)
	}
}
