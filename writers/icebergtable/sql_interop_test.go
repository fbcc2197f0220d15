//go:build interop

package icebergtable_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// named returns the rows of a table of a catalog as text.
func named(t *testing.T, name, catalog string) (out []string) {
	t.Helper()
	d, err := readers.OpenDataset(t.Context(), []string{name}, readers.Options{Options: map[string]string{"iceberg-catalog": catalog}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	for rr.Next() {
		out = append(out, orctext.Rows(rr.Record())...)
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// TestSQLCatalogJudge judges tables of a catalog in SQLite that PyIceberg has made.
func TestSQLCatalogJudge(t *testing.T) {
	dir := t.TempDir()
	catalog := "uri=sqlite:///" + dir + "/catalog.db\nwarehouse=file://" + dir + "/warehouse"
	judgeCatalog(t, dir, catalog)
	nullable := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	for name, want := range map[string]string{"iceberg://prod/none.t": "no namespace none", "iceberg://other/db.ours": `"other"`} {
		m := mode("create", "iceberg-catalog", catalog)
		if strings.Contains(name, "other") {
			m = mode("append", "iceberg-catalog", catalog)
		}
		if err := write(t.Context(), name, m, nullable); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHiveCatalogJudge judges tables that Hive's own metastore keeps.
func TestHiveCatalogJudge(t *testing.T) {
	url := metastorefake.StartHive(t, t.TempDir(), 0).URL
	server := strings.TrimSuffix(strings.TrimPrefix(url, "hive://"), "/d.")
	judgeCatalog(t, "thrift://"+server, "uri=thrift://"+server)
	nullable := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	for name, want := range map[string]string{"iceberg://prod/none.t": "no database none", "iceberg://prod/d.events": "none of Iceberg"} {
		if err := write(t.Context(), name, mode("create", "iceberg-catalog", "uri=thrift://"+server), nullable); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// judgeCatalog writes tables of a catalog of PyIceberg's at dir: one of its own and a new one, at the same time as it does. Every row
// is there once. Then PyIceberg changes a schema, and reads what is written after that.
func judgeCatalog(t *testing.T, dir, catalog string) {
	t.Helper()
	py := startPyIceberg(t)
	if err := py.ask(t, map[string]any{"begin": dir}, nil); err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	ctx := context.Background()
	with := func(m string, more ...string) map[string]string {
		return mode(m, append(more, "iceberg-catalog", catalog)...)
	}
	nullable := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "word", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	for _, table := range []string{"theirs", "ours"} {
		name := "iceberg://prod/db." + table
		want := map[string]bool{}
		add := func(from int) arrow.Record {
			_, rec := numbered(t, from, 10)
			for _, row := range orctext.Rows(rec) {
				want[row] = true
			}
			return array.NewRecord(nullable, rec.Columns(), rec.NumRows())
		}
		if table == "ours" {
			if err := write(ctx, name, with("create", "iceberg-partition", "bucket(2, id)", "iceberg-data-format", "parquet"), nullable, add(0)); err != nil {
				t.Fatal(err)
			}
		}
		const writers, times = 2, 3
		recs := map[int]arrow.Record{}
		for i := range writers * times {
			recs[i] = add(1000 + 10*i)
		}
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				for k := range times {
					if err := write(ctx, name, with("append"), nullable, recs[i*times+k]); err != nil {
						t.Errorf("%s: %v", table, err)
					}
				}
			})
		}
		var told struct{ Conflicts int }
		if err := py.ask(t, map[string]any{"append": dir, "table": "db." + table, "from": 5000, "times": 5}, &told); err != nil {
			t.Error(err)
		}
		all.Wait()
		for i := range 50 {
			want[fmt.Sprintf(`[%d,"p%d"]`, 5000+i, 5000+i)] = true
		}
		check := func(columns ...string) {
			t.Helper()
			got := named(t, name, catalog)
			if expected := slices.Sorted(maps.Keys(want)); !slices.Equal(got, expected) {
				t.Errorf("%s: %d rows, not %d: %v", table, len(got), len(expected), got)
			}
			var said struct{ Schema []string }
			to := filepath.Join(files, table+".arrow")
			if err := py.ask(t, map[string]any{"catalog": dir, "table": "db." + table, "out": to}, &said); err != nil {
				t.Fatal(err)
			}
			theirs := ipcRows(t, to)
			slices.Sort(theirs)
			if !slices.Equal(theirs, got) || !slices.Equal(said.Schema, columns) {
				t.Errorf("%s: PyIceberg reads %d rows of %v, not %d of %v", table, len(theirs), said.Schema, len(got), columns)
			}
		}
		check("id", "word")
		e, err := expr.Parse("id >= 1005 AND id < 5005")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := icebergtable.Delete(ctx, name, changing(map[string]string{"iceberg-catalog": catalog}), e); err != nil || out.Rows != 60 {
			t.Errorf("%s: %+v, %v", table, out, err)
		}
		maps.DeleteFunc(want, func(row string, _ bool) bool {
			var id int
			if _, err := fmt.Sscanf(row, "[%d,", &id); err != nil {
				t.Errorf("%s: %v", row, err)
			}
			return id >= 1005 && id < 5005
		})
		check("id", "word")
		if err := py.ask(t, map[string]any{"evolve": dir, "table": "db." + table}, nil); err != nil {
			t.Fatal(err)
		}
		for row := range maps.Clone(want) {
			delete(want, row)
			want[strings.TrimSuffix(row, "]")+",null]"] = true
		}
		check("id", "text", "more")
		if err := write(ctx, name, with("append"), nullable, recs[0]); err == nil || !strings.Contains(err.Error(), "word") {
			t.Errorf("%s: a column that the table does not have any more: %v", table, err)
		}
		if out, err := icebergtable.Compact(ctx, name, changing(map[string]string{"iceberg-catalog": catalog}), icebergtable.CompactOptions{}); err != nil || out.Rewritten < 2 {
			t.Errorf("%s: %+v, %v", table, out, err)
		}
		check("id", "text", "more")
	}
	if err := write(ctx, "iceberg://prod/db.ours", with("create"), nullable); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
		t.Error(err)
	}
}
