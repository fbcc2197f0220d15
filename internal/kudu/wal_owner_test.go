package kudu

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// swapLogs gives two tablets each other's log.
func (s *realServer) swapLogs(a, b string) {
	s.t.Helper()
	dir := func(id string) string { return s.path("wal", "wals", id) }
	for _, x := range [][2]string{{dir(a), dir("away")}, {dir(b), dir(a)}, {dir("away"), dir(b)}} {
		if err := os.Rename(x[0], x[1]); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The log of another tablet is never replayed, be it of the same table.
func TestLogsSwapped(t *testing.T) {
	for _, manager := range managers {
		s := newRealServer(t, manager)
		parts := s.table("partitioned").tablets
		for _, x := range []struct {
			table string
			a, b  string
		}{
			{"partitioned", parts[0].id, parts[1].id},
			{"changed", s.table("changed").tablets[0].id, s.table("altered").tablets[0].id},
			{"unflushed", s.table("unflushed").tablets[0].id, s.table("changed").tablets[0].id},
		} {
			table := "kudu-table=" + x.table
			s.swapLogs(x.a, x.b)
			if _, _, err := s.scanAll(table); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, x.a, x.b, "of the log of tablet", "--kudu-salvage") {
				t.Errorf("%s: %v", x.table, err)
			}
			got, warnings, err := s.scanAll(table, "kudu-salvage=true")
			if err != nil || !anyHas(warnings, "lost: tablet "+x.a, "wal-0000", "is left out", x.b) || anyHas(warnings, "has no write-ahead log") {
				t.Errorf("%s: salvage: %v, %q", x.table, err, warnings)
			}
			faults := s.verify(table)
			if !anyHas(faults, x.a, x.b, "of the log of tablet") || anyHas(faults, "has no write-ahead log") {
				t.Errorf("%s: verify: %q", x.table, faults)
			}
			if n := strings.Count(strings.Join(faults, "\n"), "of the log of tablet "+x.b); n != 1 {
				t.Errorf("%s: verify says it %d times: %q", x.table, n, faults)
			}
			v := s.must(arrowio.ForVerify).(*Overview)
			var all []string
			if err := v.Verify(t.Context(), func(err error) { all = append(all, err.Error()) }); err != nil || !anyHas(all, x.a, x.b, "of the log of tablet") {
				t.Errorf("verify of the server: %v, %q", err, all)
			}

			// A salvage gives the rows that it gives where the log is not there.
			s.swapLogs(x.a, x.b)
			away := s.path("wal", "away")
			for _, id := range []string{x.a, x.b} {
				if err := os.Rename(s.path("wal", "wals", id), away+id); err != nil {
					t.Fatal(err)
				}
			}
			want, _, err := s.scanAll(table, "kudu-salvage=true")
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: salvage gives %d rows, %d without the log: %v", x.table, len(got), len(want), err)
			}
			for _, id := range []string{x.a, x.b} {
				if err := os.Rename(away+id, s.path("wal", "wals", id)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Of a table without superblock, the log of another tablet does not tell the columns.
func TestSuperblockLostLogsSwapped(t *testing.T) {
	s := newRealServer(t, "file")
	id := s.table("changed").tablets[0].id
	s.swapLogs(id, s.table("altered").tablets[0].id)
	if err := os.Remove(s.superPath(id)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openAs(arrowio.ForRows, "kudu-table=changed"); err == nil || strings.Contains(err.Error(), "has the columns") {
		t.Errorf("%v", err)
	}
}

// One segment of another tablet is as one that is missing; an id that is damaged makes no segment another's.
func TestSegmentOfAnother(t *testing.T) {
	const other = "fedcba9876543210fedcba9876543210"
	empty := func(id string) []byte {
		return newSegmentOf(id, 4, blockcodec.None, false, schemaOf(madeColumns, true), 0).b
	}
	for _, c := range []struct {
		what          string
		edit          func(l *madeLog)
		sound         bool
		salvage, tell string
	}{
		{"last, without writes", func(l *madeLog) { l.files[segmentName(4)] = empty(other) }, false, "1 2 3 4 5 6 7 8 9", "tablet " + other},
		{"last, without writes, no id", func(l *madeLog) { l.files[segmentName(4)] = empty("no id") }, true, "1 2 3 4 5 6 7 8 9", `"no id" in the place of the tablet's id`},
		{"header of the first", func(l *madeLog) {
			l.files[segmentName(1)] = bytes.Replace(l.files[segmentName(1)], []byte(madeTablet), []byte(other), 1)
		}, true, "1 2 3 4 5 6 7 8 9", "its writes name this one"},
		{"all", func(l *madeLog) { l.super.TabletID = other }, false, "", "tablet " + madeTablet},
		{"all, headers without id", func(l *madeLog) {
			l.super.TabletID = other
			for name, b := range l.files {
				l.files[name] = bytes.Replace(b, []byte(madeTablet), bytes.Repeat([]byte{0}, 32), 1)
			}
		}, false, "", "tablet " + madeTablet},
	} {
		segs := threeSegments()
		segs[2].close() // another may follow
		l := newLog(t, segs...)
		c.edit(l)
		st, err := l.inMemory(replayOptions{})
		if c.sound != (err == nil) || err != nil && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.tell)) {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil {
			if st, err = l.inMemory(replayOptions{Salvage: true}); err != nil {
				t.Fatalf("%s: salvage: %v", c.what, err)
			}
		}
		if got := logKeys(t, st); got != c.salvage || !anyHas(append(st.notes, st.lost...), c.tell) || c.sound != (len(st.lost) == 0) || st.absent != "" {
			t.Errorf("%s: keys %s, notes %q, lost %q", c.what, got, st.notes, st.lost)
		}
	}
}
