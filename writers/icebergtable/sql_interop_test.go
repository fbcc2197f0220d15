//go:build interop

package icebergtable_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/judge"
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
	judgeCatalog(t, startPyIceberg(t), dir, catalog)
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
	judgeCatalog(t, startPyIceberg(t), "thrift://"+server, "uri=thrift://"+server)
	nullable := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	inOtherCatalog(t, server, "create", "append")
	for name, want := range map[string]string{"iceberg://prod/none.t": "no database none", "iceberg://prod/other.none.t": "no database other.none", "iceberg://prod/d.events": "none of Iceberg"} {
		if err := write(t.Context(), name, mode("create", "iceberg-catalog", "uri=thrift://"+server), nullable); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHiveCatalog4 writes to another catalog of the metastore of Hive 4. The table is made, and not changed: with a database of Derby, Hive 4 fails to
// compare the parameter that must be as it was ("Comparisons between CLOB and CLOB are not supported").
func TestHiveCatalog4(t *testing.T) {
	inOtherCatalog(t, strings.TrimSuffix(strings.TrimPrefix(metastorefake.StartHive4(t, t.TempDir(), 0).URL, "hive://"), "/d."), "create")
}

// inOtherCatalog writes to a table in another of the metastore's own catalogs. The default one has none of this name.
func inOtherCatalog(t *testing.T, server string, modes ...string) {
	t.Helper()
	catalog := "uri=thrift://" + server
	schema, rec := numbered(t, 0, 10)
	for i, m := range modes {
		if i > 0 {
			_, rec = numbered(t, 10*i, 10)
		}
		if err := write(t.Context(), "iceberg://prod/other.d.ours", mode(m, "iceberg-catalog", catalog), schema, rec); err != nil {
			t.Fatal(err)
		}
	}
	want := wholly(t, 0, 10*len(modes))
	if got := remoteRows(t, "iceberg://prod/other.d.ours", icebergtable.Options{}, map[string]string{"iceberg-catalog": catalog}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := remoteRows(t, "hive://"+server+"/other.d.ours", icebergtable.Options{}, nil); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if err := write(t.Context(), "iceberg://prod/d.ours", mode("append", "iceberg-catalog", catalog), schema, rec); err == nil || !strings.Contains(err.Error(), "no table d.ours") {
		t.Error(err)
	}
}

// judgeCatalog writes tables of a catalog of another program's at dir: one of its own and a new one, at the same time as it and the command
// do. Every row is there once. Then the other program changes a schema, and reads what is written after that.
func judgeCatalog(t *testing.T, peer *program, dir, catalog string) {
	t.Helper()
	if err := peer.ask(t, map[string]any{"begin": dir, "warehouse": t.TempDir()}, nil); err != nil {
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
			if err := write(ctx, name, with("create", "iceberg-partition", "bucket(2, id)", "iceberg-data-format", "parquet",
				"iceberg-property", "commit.retry.num-retries=1000"), nullable, add(0)); err != nil {
				t.Fatal(err)
			}
		}
		const writers, times = 2, 3
		recs := map[int]arrow.Record{}
		for i := range writers * times {
			recs[i] = add(1000 + 10*i)
		}
		var all sync.WaitGroup
		all.Go(func() {
			for k := range times {
				lines := "id,word\n"
				for i := range 10 {
					lines += fmt.Sprintf("%d,c\n", 3000+10*k+i)
				}
				convert(t, lines, name, catalog)
			}
		})
		for i := range 10 * times {
			want[fmt.Sprintf(`[%d,"c"]`, 3000+i)] = true
		}
		for i := range writers {
			all.Go(func() {
				for k := range times {
					if err := write(ctx, name, with("append"), nullable, recs[i*times+k]); err != nil {
						t.Errorf("%s: %v", table, err)
					}
				}
			})
		}
		if err := peer.ask(t, map[string]any{"append": dir, "table": "db." + table, "from": 5000, "times": 5}, nil); err != nil {
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
			if err := peer.ask(t, map[string]any{"catalog": dir, "table": "db." + table, "out": to}, &said); err != nil {
				t.Fatal(err)
			}
			theirs := peer.rows(t, to)
			slices.Sort(theirs)
			if !slices.Equal(theirs, got) || !slices.Equal(said.Schema, columns) {
				t.Errorf("%s: %s reads %d rows of %v, not %d of %v", table, peer.name, len(theirs), said.Schema, len(got), columns)
			}
		}
		check("id", "word")
		e, err := expr.Parse("id >= 1005 AND id < 5005")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := icebergtable.Delete(ctx, name, changing(map[string]string{"iceberg-catalog": catalog}), e); err != nil || out.Rows != 90 {
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
		if err := peer.ask(t, map[string]any{"evolve": dir, "table": "db." + table}, nil); err != nil {
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
		if err := peer.ask(t, map[string]any{"append": dir, "table": "db." + table, "from": 7000, "times": 2}, nil); err != nil {
			t.Error(err)
		}
		for i := range 20 {
			want[fmt.Sprintf(`[%d,"p%d",null]`, 7000+i, 7000+i)] = true
		}
		check("id", "text", "more")
	}
	if err := write(ctx, "iceberg://prod/db.ours", with("create"), nullable); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
		t.Error(err)
	}
}

// convert has the command append rows of CSV to a table.
func convert(t *testing.T, csv, name, catalog string) {
	t.Helper()
	bin := os.Getenv("ARROWIO_BIN")
	if bin == "" {
		t.Error("ARROWIO_BIN is not set: make interop does")
		return
	}
	args := []string{"convert", "--from", "csv", "--iceberg-mode", "append"}
	for property := range strings.Lines(catalog) {
		args = append(args, "--iceberg-catalog", strings.TrimSpace(property))
	}
	cmd := exec.CommandContext(t.Context(), bin, append(args, "-", name)...)
	cmd.Stdin = strings.NewReader(csv)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// startJava starts Iceberg's own catalogs.
func startJava(t *testing.T) *program {
	t.Helper()
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	return start(t, "Java", judge.Java(t.Context(), "512m", jar, "catalogs"), func(t *testing.T, file string) []string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	})
}

// TestJavaCatalogs judges tables of Iceberg's own JdbcCatalog in SQLite, HiveCatalog and RESTCatalog.
func TestJavaCatalogs(t *testing.T) {
	t.Run("jdbc", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		catalog := "uri=jdbc:sqlite:" + dir + "/catalog.db?busy_timeout=30000\nwarehouse=file://" + dir + "/warehouse"
		judgeCatalog(t, startJava(t), dir, "type=jdbc\n"+catalog)
		refusedView(t, "type=jdbc\n"+catalog)
	})
	t.Run("hive", func(t *testing.T) {
		t.Parallel()
		url := metastorefake.StartHive(t, t.TempDir(), 0).URL
		server := "thrift://" + strings.TrimSuffix(strings.TrimPrefix(url, "hive://"), "/d.")
		judgeCatalog(t, startJava(t), server, "uri="+server)
		refusedView(t, "uri="+server)
	})
	t.Run("rest", func(t *testing.T) {
		t.Parallel()
		server := startREST(t)
		judgeCatalog(t, startJava(t), server, "uri="+server)
	})
}

func refusedView(t *testing.T, catalog string) {
	t.Helper()
	options := map[string]string{"iceberg-catalog": catalog}
	_, err := readers.OpenDataset(t.Context(), []string{"iceberg://prod/db.view"}, readers.Options{Options: options})
	_, werr := open(t.Context(), "iceberg://prod/db.view", mode("append", "iceberg-catalog", catalog))
	for _, err := range []error{err, werr} {
		if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "view") {
			t.Error(err)
		}
	}
}
