package kudu

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
)

// scanText scans a file and returns its rows, printed. All memory must have been given back.
func scanText(t testing.TB, f arrowio.File, o arrowio.ScanOptions) (lines []string) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	o.Allocator = mem
	r, err := arrowio.Scan(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		lines = append(lines, orctext.Rows(r.Record())...)
	}
	err = r.Err()
	r.Release()
	if err != nil {
		t.Fatal(err)
	}
	mem.AssertSize(t, 0)
	return lines
}

// clientRows returns the rows that Kudu's client saw, sorted.
func clientRows(t testing.TB, rows, name string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(fixtures.Read(t, filepath.Join(rows, name+".jsonl")))) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	slices.Sort(lines)
	return lines
}

// Every table of a real server of each block manager, now and at each snapshot, gives the rows that Kudu's client saw.
func TestRealRows(t *testing.T) {
	rows := realRows(t)
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		check := func(want []string, options ...string) {
			t.Helper()
			f := s.must(arrowio.ForRows, options...)
			for _, parallelism := range []int{1, 4} {
				got := scanText(t, f, arrowio.ScanOptions{Parallelism: parallelism, BatchRows: 7})
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s, %q: %d rows, want %d\n got %.300q\nwant %.300q", manager, options, len(got), len(want), got, want)
				}
			}
		}
		for _, x := range realTables(t, manager) {
			if x.Table == "tombstoned" {
				continue
			}
			table := "kudu-table=" + x.Table
			latest := clientRows(t, rows, x.Table)
			if int64(len(latest)) != x.Rows {
				t.Fatalf("%s: %d rows, the manifest says %d", x.Table, len(latest), x.Rows)
			}
			check(latest, table)
			check(latest, table, "kudu-uncommitted=apply")
			f := s.table(x.Table)
			check(latest, "kudu-table="+f.tablets[0].super.TableID)
			for i, shot := range x.Snapshots {
				want := clientRows(t, rows, fmt.Sprintf("%s@%d", x.Table, i+1))
				if int64(len(want)) != shot.Rows {
					t.Fatalf("%s@%d: %d rows, the manifest says %d", x.Table, i+1, len(want), shot.Rows)
				}
				check(want, table, "kudu-snapshot="+strconv.FormatUint(shot.Timestamp, 10))
			}
			if x.Table != "unflushed" {
				check(latest, table, "kudu-wal=skip")
			}
			// One tablet after the other gives the rows of all.
			var parts []string
			for _, p := range f.tablets {
				part := scanText(t, s.must(arrowio.ForRows, table, "kudu-tablet="+p.id), arrowio.ScanOptions{})
				if len(part) == 0 && x.Rows > 0 && len(p.rowsets) > 0 {
					t.Errorf("%s: no rows in tablet %s", x.Table, p.id)
				}
				parts = append(parts, part...)
			}
			if slices.Sort(parts); !slices.Equal(parts, latest) {
				t.Errorf("%s: tablet by tablet %d rows, want %d", x.Table, len(parts), len(latest))
			}
		}
	}
}

// Without the log a table has what its rowsets have, as Kudu's tools count it: the first rowset has what the first snapshot
// saw, and none of what the log did to it.
func TestRealRowsWithoutLog(t *testing.T) {
	rows := realRows(t)
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		for _, x := range realTables(t, manager) {
			if x.Table != "unflushed" {
				continue
			}
			f := s.must(arrowio.ForRows, "kudu-table=unflushed", "kudu-wal=skip")
			got := scanText(t, f, arrowio.ScanOptions{})
			first := x.Tablets[0].RowSets[0][0]
			if want := first + x.Tablets[0].RowSets[1][0]; int64(len(got)) != want {
				t.Fatalf("%s: %d rows, want %d", manager, len(got), want)
			}
			slices.Sort(got[:first])
			if want := clientRows(t, rows, "unflushed@1"); !slices.Equal(got[:first], want) {
				t.Errorf("%s: rows of the first rowset\n got %q\nwant %q", manager, got[:first], want)
			}
			if w := f.(*File).allNotes(); !anyHas(w, "was not read", f.(*File).tablets[0].id) {
				t.Errorf("%s: nobody says that the log was not read: %q", manager, w)
			}
		}
	}
}

// linesOf prints a record.
func linesOf(rec arrow.Record) []string { return orctext.Rows(rec) }

// textOf prints a record of one row.
func textOf(rec arrow.Record) string { return linesOf(rec)[0] }
