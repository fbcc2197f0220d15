package kudu

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// splitRows returns n rows of the table partitioned, as sets of so many rowsets, and what splits them.
func splitRows(t *testing.T, s *server, n, rowsets int) (*madeSet, SplitOptions) {
	t.Helper()
	columns := columnsOf(s.tablet("partitioned").Schema)
	rows := partitionedRows(columns, n)
	set := newSet(t, "partitioned", columns...)
	slices.SortFunc(rows, func(a, b [][]byte) int { return bytes.Compare(set.key(a), set.key(b)) })
	for part := range slices.Chunk(rows, (n+rowsets-1)/rowsets) {
		set.add(part)
	}
	set.describe()
	return set, SplitOptions{Set: set.dir, Out: filepath.Join(t.TempDir(), "out"), Wal: s.path("wal"), Data: []string{s.path("data")}}
}

// TestSplit: what a set is divided into has a place, and all of it has.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, memory := range []int64{0, 1} {
		s := newServer(t, "log")
		before := s.rows("partitioned")
		set, o := splitRows(t, s, 3000, 3)
		o.Memory = memory
		last := int64(0)
		o.Progress = func(done, total int64) {
			if last = done; done > total {
				t.Errorf("%d of %d", done, total)
			}
		}
		r, err := Split(t.Context(), o)
		if err != nil || !r.Done || r.Rows != 3000 || last == 0 {
			t.Fatal(r, err)
		}
		for _, x := range r.Tablets {
			i := s.options(set, x.ID)
			i.Set = x.Set
			if got, err := Import(t.Context(), i); err != nil || got.Rows != x.Rows || x.Rows < 500 {
				t.Fatal(got, err)
			}
		}
		s.hasRows("partitioned", before, set)
	}
}

func TestSplitRefuses(t *testing.T) {
	s := newServer(t, "file")
	set, o := splitRows(t, s, 400, 2)
	nothing := func(what string, err error, kind errs.Kind) {
		t.Helper()
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Out), "*")); len(left) > 0 {
			t.Errorf("%s leaves %q", what, left)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Out), ".*")); len(left) > 0 {
			t.Errorf("%s leaves %q", what, left)
		}
	}
	slices.Reverse(set.set.RowSets)
	set.describe()
	_, err := Split(t.Context(), o)
	nothing("rowsets in disorder", err, errs.ErrSchema)
	slices.Reverse(set.set.RowSets)
	set.describe()

	// A block of values that is found to be damaged when half of the work is done.
	name := filepath.Join(set.dir, set.set.RowSets[1].Columns[len(set.columns)-1].Name)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[30] ^= 1
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Split(t.Context(), o)
	nothing("damage", err, errs.ErrCorrupt)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Split(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o.Wal = ""
	_, err = Split(t.Context(), o)
	nothing("no server", err, errs.ErrOption)
}
