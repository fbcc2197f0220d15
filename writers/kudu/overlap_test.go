package kudu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// states are the keys of a table whose key is a number, by what the tablet knows of them.
type states struct{ live, logged, ghosts []int64 }

func statesOf(t testing.TB, s *server, b *kuduwire.SuperBlock) (out states) {
	t.Helper()
	im := newImporter(t, s)
	x, err := reader.OpenTablet(im.ctx, im.dirs, im.blocks, b.TabletID, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	number := func(key []byte) int64 {
		cell, _, err := cfilewire.DecodeKeyPart(key, cfilewire.Int32, true)
		if err != nil {
			t.Fatal(err)
		}
		return int64(int32(uint32(cell[0]) | uint32(cell[1])<<8 | uint32(cell[2])<<16 | uint32(cell[3])<<24))
	}
	for i := range x.LoggedKeys() {
		out.logged = append(out.logged, number(x.LoggedKey(i)))
	}
	for _, h := range x.RowSets {
		k, err := h.Keys(im.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for k.Next() {
			n := number(k.Key)
			live, err := h.Live(im.ctx, k.Row)
			switch {
			case err != nil:
				t.Fatal(err)
			case live:
				out.live = append(out.live, n)
			case !slices.Contains(out.logged, n):
				out.ghosts = append(out.ghosts, n)
			}
		}
		k.Close()
	}
	out.ghosts = slices.DeleteFunc(out.ghosts, func(n int64) bool { return slices.Contains(out.live, n) })
	return out
}

// TestOverlap: keys that the tablet has in any way, one by one.
func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, manager := range managers {
		s := newServer(t, manager)
		seen := states{}
		for _, table := range []string{"changed", "unflushed", "deleted", "altered"} {
			b := s.tablet(table)
			of := statesOf(t, s, b)
			seen.live, seen.logged, seen.ghosts = append(seen.live, of.live...), append(seen.logged, of.logged...), append(seen.ghosts, of.ghosts...)
			try := func(keys []int64, kind string) {
				t.Helper()
				for i, k := range keys {
					if i > 0 && i < len(keys)-1 && i%(8*sampled) != 0 {
						continue
					}
					set := newSet(t, table, columnsOf(b.Schema)...)
					set.add(someRows(set.columns, -77_777, k, 1_000_000))
					o := s.options(set, b.TabletID)
					s.refuses(o, errs.ErrSchema, kind+" 1 key of the set", fmt.Sprintf("(the first is %d)", k))
					o.Force = true
					if kind != "the tablet has deleted rows with" {
						s.refuses(o, errs.ErrSchema, kind)
						continue
					}
					o.DryRun = true
					if r, err := Import(t.Context(), o); err != nil || len(r.Doubts) != 1 {
						t.Errorf("%+v, %v", r, err)
					}
				}
			}
			try(slices.DeleteFunc(slices.Clone(of.live), func(n int64) bool { return slices.Contains(of.logged, n) }), "the tablet already has")
			try(slices.DeleteFunc(slices.Clone(of.logged), func(n int64) bool { return slices.Contains(of.live, n) }), "changes rows with")
			try(of.ghosts, "the tablet has deleted rows with")
			// All of them at once are counted.
			all := slices.Concat(of.live, of.ghosts)
			slices.Sort(all)
			if all = slices.Compact(all); len(of.live) > 0 {
				set := newSet(t, table, columnsOf(b.Schema)...)
				set.add(someRows(set.columns, all...))
				live := slices.Clone(of.live)
				slices.Sort(live)
				s.refuses(s.options(set, b.TabletID), errs.ErrSchema, fmt.Sprintf("the tablet already has %d keys of the set (the first is %d)", len(slices.Compact(live)), live[0]))
			}
		}
		if len(seen.live) < 100 || len(seen.logged) < 10 || len(seen.ghosts) < 10 {
			t.Errorf("%s: %d live, %d logged, %d ghosts", manager, len(seen.live), len(seen.logged), len(seen.ghosts))
		}
	}
}

// TestGhosts: beside rows that were deleted, new ones with their keys.
func TestGhosts(t *testing.T) {
	t.Parallel()
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("deleted")
		before := s.rows("deleted")
		of := statesOf(t, s, b)
		if len(before) != 0 || len(of.ghosts) < 5 {
			t.Fatalf("%d rows, %d ghosts", len(before), len(of.ghosts))
		}
		set := newSet(t, "deleted", columnsOf(b.Schema)...)
		set.add(someRows(set.columns, of.ghosts...))
		o := s.options(set, b.TabletID)
		o.Force = true
		r, err := Import(t.Context(), o)
		if err != nil || len(r.Doubts) != 1 || !strings.Contains(r.Doubts[0], "has deleted rows with") {
			t.Fatalf("%+v, %v", r, err)
		}
		s.hasRows("deleted", before, set)
	}
}

// TestManyRowSets: more rowsets than are compared at once.
func TestManyRowSets(t *testing.T) {
	t.Parallel()
	s := newServer(t, "log")
	b := s.tablet("empty")
	const rowsets, ways = 25, 4
	many := newSet(t, "empty", columnsOf(b.Schema)...)
	for i := range rowsets {
		many.add(someRows(many.columns, int64(i), int64(10_000-i), 20_000+int64(i))) // all ranges overlap
	}
	s.imports(many, b.TabletID)
	if got := len(s.rows("empty")); got != 3*rowsets {
		t.Errorf("%d rows", got)
	}
	for _, k := range []int64{0, ways - 1, ways, ways + 1, rowsets - 1, 10_000, 20_000 + rowsets - 2} {
		set := newSet(t, "empty", columnsOf(b.Schema)...)
		set.add(someRows(set.columns, -1, k, 99_999))
		o := s.options(set, b.TabletID)
		o.ops.ways = ways
		s.refuses(o, errs.ErrSchema, fmt.Sprintf("the first is %d", k))
	}
	between := newSet(t, "empty", columnsOf(b.Schema)...)
	between.add(someRows(between.columns, 5000, 5001))
	o := s.options(between, b.TabletID)
	o.ops.ways = ways
	if _, err := Import(t.Context(), o); err != nil {
		t.Error(err)
	}
}
