package icebergtable_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// slice is ten rows of numbered.
func slice(t *testing.T, from int) arrow.Record {
	_, rec := numbered(t, from, 10)
	return rec
}

// TestHiveCatalog writes tables that a metastore keeps: made, appended to by several at the same time, their rows deleted and compacted. What the
// metastore says of the table's rows is not left to be wrong.
func TestHiveCatalog(t *testing.T) {
	dir := t.TempDir()
	s := &metastorefake.Server{Tables: map[string]*metastore.Table{}, Locations: map[string]string{"db": "file:" + filepath.ToSlash(dir)}, Fail: map[string]int16{}, Lose: map[string]int{}, Waits: 2}
	catalog := "uri=thrift://" + s.Start(t)
	schema, rec := numbered(t, 0, 10)
	const name = "iceberg://any/db.t"
	o := func(m string) icebergtable.Options { return changing(mode(m, "iceberg-catalog", catalog)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(writeTo(t.Context(), name, o("create"), schema, rec))
	if err := writeTo(t.Context(), name, o("create"), schema, rec); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
		t.Error(err)
	}
	table := s.Tables["db.t"]
	first := table.Parameters["metadata_location"]
	if table.Kind != "EXTERNAL_TABLE" || table.Parameters["table_type"] != "ICEBERG" || !strings.HasSuffix(first, ".metadata.json") {
		t.Errorf("%+v", table)
	}
	table.Parameters["numRows"], table.Parameters["current-snapshot-id"] = "10", "1"
	s.Waits = 3
	must(writeTo(t.Context(), name, o("append"), schema, slice(t, 10)))
	if p := table.Parameters; p["numRows"] != "" || p["current-snapshot-id"] == "1" || p["previous_metadata_location"] != first {
		t.Errorf("%v", p)
	}
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for k := range 2 {
				_, rec := numbered(t, 20+10*(2*i+k), 10)
				if err := writeTo(t.Context(), name, o("append"), schema, rec); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	check := func(want []string) {
		t.Helper()
		if got := remoteRows(t, name, icebergtable.Options{}, map[string]string{"iceberg-catalog": catalog}); !slices.Equal(got, want) {
			t.Errorf("%d rows, not %d", len(got), len(want))
		}
	}
	check(wholly(t, 0, 80))
	if out, err := icebergtable.Delete(t.Context(), name, o("create"), where(t, "id >= 70")); err != nil || out.Rows != 10 {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := icebergtable.Compact(t.Context(), name, o("create"), icebergtable.CompactOptions{}); err != nil || out.Rewritten < 5 {
		t.Errorf("%+v, %v", out, err)
	}
	check(wholly(t, 0, 70))

	// An answer that is lost: the rows are there once.
	s.Lose["alter_table_with_environment_context"] = 1
	must(writeTo(t.Context(), name, o("append"), schema, slice(t, 70)))
	check(wholly(t, 0, 80))
	// A metastore that refuses: nothing is left.
	before := tree(t, filepath.Join(dir, "t"))
	s.Fail["alter_table_with_environment_context"] = 1
	if err := writeTo(t.Context(), name, o("append"), schema, slice(t, 80)); err == nil || !strings.Contains(err.Error(), "refuses") {
		t.Error(err)
	}
	if after := tree(t, filepath.Join(dir, "t")); !slices.Equal(after, before) {
		t.Errorf("%d files, not %d", len(after), len(before))
	}
	// One that does not answer: the question stays open.
	s.Fail["alter_table_with_environment_context"] = metastorefake.Closed
	if err := writeTo(t.Context(), name, o("append"), schema, slice(t, 80)); err == nil || !strings.Contains(err.Error(), "perhaps the table has the rows") {
		t.Error(err)
	}
	delete(s.Fail, "alter_table_with_environment_context")
	check(wholly(t, 0, 80))

	// A table of the same name in another catalog.
	s.Locations["c.db"] = "file:" + filepath.ToSlash(t.TempDir())
	for i, m := range []string{"create", "append"} {
		must(writeTo(t.Context(), "iceberg://any/c.db.t", o(m), schema, slice(t, 100+10*i)))
	}
	if got := remoteRows(t, "iceberg://any/c.db.t", icebergtable.Options{}, map[string]string{"iceberg-catalog": catalog}); len(got) != 20 {
		t.Errorf("%d rows", len(got))
	}
	check(wholly(t, 0, 80))

	// A table of another kind, and a catalog without a place for new tables.
	s.Tables["db.other"] = &metastore.Table{Database: "db", Name: "other", Kind: "EXTERNAL_TABLE"}
	if err := writeTo(t.Context(), "iceberg://any/db.other", o("append"), schema, rec); err == nil || !strings.Contains(err.Error(), "none of Iceberg") {
		t.Error(err)
	}
	if err := writeTo(t.Context(), "iceberg://any/none.t", o("create"), schema, rec); err == nil || !strings.Contains(err.Error(), "where new tables go") {
		t.Error(err)
	}
	s.Fail["get_database"] = 1
	if err := writeTo(t.Context(), "iceberg://any/none.t", o("create"), schema, rec); err == nil || !strings.Contains(err.Error(), "no database none") {
		t.Error(err)
	}
}
