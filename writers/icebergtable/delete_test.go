package icebergtable_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// TestDelete deletes rows by filters in all versions of the format: files as a whole, some rows of files, and more rows of the same.
func TestDelete(t *testing.T) {
	ctx := context.Background()
	for _, version := range []string{"1", "2", "3"} {
		for _, format := range map[string][]string{"1": {"parquet"}, "2": {"orc", "parquet"}, "3": {"orc"}}[version] {
			name := version + " " + format
			dir := filepath.Join(t.TempDir(), "table")
			s, rec := numbered(t, 0, 100)
			o := mode("create", "iceberg-format-version", version, "iceberg-data-format", format, "iceberg-partition", "word")
			if err := write(ctx, dir, o, s, rec); err != nil {
				t.Fatal(err)
			}
			keep := func(ok func(id int) bool) (want []string) {
				for id := range 100 {
					if ok(id) {
						word := "null"
						if id%5 != 4 {
							word = fmt.Sprintf(`"w%d"`, id%5)
						}
						want = append(want, fmt.Sprintf("[%d,%s]", id, word))
					}
				}
				slices.Sort(want)
				return want
			}
			left := func(int) bool { return true }
			for _, c := range []struct {
				where string
				gone  func(id int) bool
				out   icebergtable.Outcome
			}{
				{"word = 'w1'", func(id int) bool { return id%5 == 1 }, icebergtable.Outcome{Rows: 20, Dropped: 1, Unread: 5}},
				{"id >= 90", func(id int) bool { return id >= 90 }, icebergtable.Outcome{Rows: 8, Marked: 4}},
				{"word <> 'w2' and id < 10", func(id int) bool { return id%5 != 2 && id%5 != 4 && id < 10 }, icebergtable.Outcome{Rows: 4, Marked: 2, Unread: 2}},
				{"id < 3", func(id int) bool { return id < 3 }, icebergtable.Outcome{Rows: 1, Marked: 1, Unread: 1}},
				{"word is null", func(id int) bool { return id%5 == 4 }, icebergtable.Outcome{Rows: 18, Dropped: 1, Unread: 3}},
				{"id < 20", func(id int) bool { return id < 20 }, icebergtable.Outcome{Rows: 7, Marked: 3}},
				{"word = 'nothing'", func(int) bool { return false }, icebergtable.Outcome{Unread: 3}},
			} {
				e, err := expr.Parse(c.where)
				if err != nil {
					t.Fatal(err)
				}
				dry := changing(nil)
				dry.DryRun = true
				before := tree(t, dir)
				would, err := icebergtable.Delete(ctx, dir, dry, e)
				if err != nil || !slices.Equal(before, tree(t, dir)) {
					t.Fatal(name, c.where, err)
				}
				got := deleteWhere(t, dir, c.where)
				if (got.Snapshot == 0) != (c.out.Rows == 0) || would.Rows != got.Rows || would.Marked != got.Marked || would.Rewritten != got.Rewritten {
					t.Errorf("%s: %s: %+v, and in a dry run %+v", name, c.where, got, would)
				}
				if got.Rows != c.out.Rows || got.Dropped != c.out.Dropped || got.Marked+got.Rewritten != c.out.Marked {
					t.Errorf("%s: %s: %+v, not %+v", name, c.where, got, c.out)
				}
				was := left
				left = func(id int) bool { return was(id) && !c.gone(id) }
				if found, _ := rows(t, dir); !slices.Equal(found, keep(left)) {
					t.Errorf("%s: %s leaves %d rows: %q", name, c.where, len(found), found)
				}
				for _, f := range faults(t, dir) {
					t.Errorf("%s: %s: %s", name, c.where, f)
				}
			}
			got := deleteWhere(t, dir, "id >= 0")
			if found, _ := rows(t, dir); len(found) > 0 || got.Dropped != 3 {
				t.Errorf("%s: %+v %q", name, got, found)
			}
			if _, err := icebergtable.Delete(ctx, dir, changing(nil), expr.Compare{Col: "none", Op: expr.Eq}); err == nil || !strings.Contains(err.Error(), "none") {
				t.Error(err)
			}
		}
	}
}
