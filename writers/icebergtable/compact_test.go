package icebergtable_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// lineage returns the ids of rows, by the column id.
func lineage(t *testing.T, dir string) map[string]string {
	t.Helper()
	d, err := readers.OpenDataset(context.Background(), []string{dir}, readers.Options{Options: map[string]string{"iceberg-row-lineage": "true"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rr, err := d.Scan(context.Background(), arrowio.ScanOptions{Columns: []string{"id", "_row_id", "_last_updated_sequence_number"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	out := map[string]string{}
	for rr.Next() {
		for i := range int(rr.Record().NumRows()) {
			out[rr.Record().Column(0).ValueStr(i)] = rr.Record().Column(1).ValueStr(i) + " " + rr.Record().Column(2).ValueStr(i)
		}
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCompact joins the files of a table, without its deleted rows. Ids of rows stay.
func TestCompact(t *testing.T) {
	ctx := context.Background()
	for i, version := range []string{"1", "2", "3"} {
		dir := filepath.Join(t.TempDir(), "table")
		var s *arrow.Schema
		for k := range 3 {
			var rec arrow.Record
			s, rec = numbered(t, 50*k, 50)
			o := mode("append")
			if k == 0 {
				o = mode("create", "iceberg-format-version", version, "iceberg-data-format", []string{"orc", "parquet", "orc"}[i], "iceberg-partition", "word")
			}
			if err := write(ctx, dir, o, s, rec); err != nil {
				t.Fatal(err)
			}
		}
		deleteWhere(t, dir, "id < 60 and id >= 20 and word = 'w1' or id = 149")
		want, _ := rows(t, dir)
		var ids map[string]string
		if version == "3" {
			ids = lineage(t, dir)
		}
		got, err := icebergtable.Compact(ctx, dir, changing(nil), icebergtable.CompactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Rewritten != 15 || got.Written != 5 || got.Rows != int64(len(want)) || (version != "1") != (got.Cleared == 3) {
			t.Errorf("version %s: %+v", version, got)
		}
		if found, _ := rows(t, dir); !slices.Equal(found, want) {
			t.Errorf("version %s: %d rows, not %d", version, len(found), len(want))
		}
		if version == "3" {
			for id, after := range lineage(t, dir) {
				if ids[id] != after {
					t.Errorf("row %s has the ids %s, not %s", id, after, ids[id])
				}
			}
		}
		for _, f := range faults(t, dir) {
			t.Errorf("version %s: %s", version, f)
		}
		if got, err := icebergtable.Compact(ctx, dir, changing(nil), icebergtable.CompactOptions{}); err != nil || got.Snapshot != 0 {
			t.Errorf("version %s: %+v %v", version, got, err)
		}
	}
}

// TestOverwriteWhere replaces the rows of a filter in one snapshot, and refuses new rows that it does not let through.
func TestOverwriteWhere(t *testing.T) {
	ctx := context.Background()
	for _, version := range []string{"1", "2", "3"} {
		dir := filepath.Join(t.TempDir(), "table")
		s, rec := numbered(t, 0, 30)
		if err := write(ctx, dir, mode("create", "iceberg-format-version", version), s, rec); err != nil {
			t.Fatal(err)
		}
		_, more := numbered(t, 25, 15)
		before := tree(t, dir)
		if err := write(ctx, dir, mode("overwrite", "iceberg-overwrite-where", "id > 25"), s, more); err == nil || !strings.Contains(err.Error(), "row 0 of the input") {
			t.Errorf("version %s: %v", version, err)
		}
		if !slices.Equal(before, tree(t, dir)) {
			t.Errorf("version %s: files are left", version)
		}
		if err := write(ctx, dir, map[string]string{"iceberg-overwrite-where": "id >= 20"}, s, more); err != nil {
			t.Fatal(err)
		}
		_, head := numbered(t, 0, 20)
		want := filepath.Join(t.TempDir(), "want")
		if err := write(ctx, want, mode("create"), s, head, more); err != nil {
			t.Fatal(err)
		}
		got, _ := rows(t, dir)
		if all, _ := rows(t, want); !slices.Equal(got, all) {
			t.Errorf("version %s: %q", version, got)
		}
		for _, f := range faults(t, dir) {
			t.Errorf("version %s: %s", version, f)
		}
		if err := write(ctx, dir, mode("append", "iceberg-overwrite-where", "id > 0"), s, more); err == nil {
			t.Errorf("version %s: append with a filter", version)
		}
	}
}

// TestConcurrentChanges deletes, appends and compacts at the same time: every row that was not deleted is there once, no other is.
func TestConcurrentChanges(t *testing.T) {
	ctx := context.Background()
	for _, version := range []string{"1", "2", "3"} {
		dir := filepath.Join(t.TempDir(), "table")
		s, rec := numbered(t, 0, 300)
		if err := write(ctx, dir, mode("create", "iceberg-format-version", version, "iceberg-partition", "bucket(2, id)"), s, rec); err != nil {
			t.Fatal(err)
		}
		fail := func(err error) {
			if err != nil {
				t.Errorf("version %s: %v", version, err)
			}
		}
		var all sync.WaitGroup
		for k := range 2 {
			all.Go(func() { // deleters of rows in the same files
				for i := range 2 {
					e, err := expr.Parse(fmt.Sprintf("id >= %d and id < %d", 100*k+10*i, 100*k+10*i+5))
					fail(err)
					out, err := icebergtable.Delete(ctx, dir, changing(nil), e)
					if fail(err); err == nil && out.Rows != 5 {
						t.Errorf("version %s: %+v", version, out)
					}
				}
			})
		}
		all.Go(func() {
			for i := range 2 {
				_, rec := numbered(t, 300+10*i, 10)
				fail(write(ctx, dir, mode("append"), s, rec))
			}
		})
		all.Go(func() {
			for range 2 {
				_, err := icebergtable.Compact(ctx, dir, changing(nil), icebergtable.CompactOptions{})
				fail(err)
			}
		})
		all.Wait()
		const want = 320 - 20
		got, _ := rows(t, dir)
		if len(got) != want || len(slices.Compact(got)) != want {
			t.Errorf("version %s: %d rows, not %d", version, len(got), want)
		}
		for id := range 20 {
			if n := id % 10; slices.ContainsFunc(got, func(row string) bool { return strings.HasPrefix(row, fmt.Sprintf("[%d,", id)) }) != (n >= 5) {
				t.Errorf("version %s: row %d", version, id)
			}
		}
		for _, f := range faults(t, dir) {
			t.Errorf("version %s: %s", version, f)
		}
	}
}
