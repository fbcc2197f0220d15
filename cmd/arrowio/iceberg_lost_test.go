package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileOf writes a file and returns its path.
func fileOf(t *testing.T, dir, name, text string) string {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestLostVersion loses the newest metadata of a table: nobody reads or writes it then as if an older state were the current one.
func TestLostVersion(t *testing.T) {
	dir := t.TempDir()
	csv, table := fileOf(t, dir, "in.csv", "id\n1\n"), filepath.Join(dir, "table")
	hint := filepath.Join(table, "metadata", "version-hint.text")
	ok(t, "convert", "--to", "iceberg", csv, table)
	ok(t, "convert", "--iceberg-mode", "append", csv, table)
	ok(t, "convert", "--iceberg-mode", "append", csv, table)
	if err := os.WriteFile(hint, []byte("1"), 0o600); err != nil { // a hint may be behind
		t.Fatal(err)
	}
	if got := ok(t, "count", table); got != "3\n" {
		t.Error(got)
	}
	if err := os.WriteFile(hint, []byte("3"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(table, "metadata", "v3.metadata.json")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"count", table},
		{"convert", "--iceberg-mode", "append", csv, table},
		{"convert", "--to", "iceberg", "--force", csv, table},
		{"iceberg", "delete", table, "--where", "id = 1"},
		{"iceberg", "compact", table},
	} {
		fails(t, do(t, args...), 1, table, "v3.metadata.json", "name metadata/v2.metadata.json")
	}
	if got := ok(t, "count", filepath.Join(table, "metadata", "v2.metadata.json")); got != "2\n" {
		t.Error(got)
	}
}

// TestInsideTable reads directories of a table as if they were data: a warning names the table.
func TestInsideTable(t *testing.T) {
	dir := t.TempDir()
	csv, table := fileOf(t, dir, "in.csv", "id\n1\n2\n"), filepath.Join(dir, "table")
	ok(t, "convert", "--to", "iceberg", csv, table)
	ok(t, "convert", "--iceberg-mode", "overwrite", csv, table)
	data, metadata := filepath.Join(table, "data"), filepath.Join(table, "metadata")
	for _, c := range []struct{ at, want, say string }{
		{data, "4\n", "rows that the table has no more"},
		{filepath.Join(data, "*.orc"), "4\n", "rows that the table has no more"},
		{metadata, "", "none of its rows"},
	} {
		o := do(t, "count", c.at)
		if o.code != 0 || c.want != "" && o.out != c.want || !strings.HasPrefix(o.err, "arrowio: "+c.at+": warning: ") || strings.Count(o.err, "this lies in a table") != 1 ||
			!strings.Contains(o.err, c.say) || !strings.Contains(o.err, "name the table, "+table+", ") {
			t.Errorf("%s: %+v", c.at, o)
		}
	}
	t.Chdir(data)
	if o := do(t, "count", "."); o.code != 0 || !strings.Contains(o.err, "name the table, ") {
		t.Errorf("%+v", o)
	}
	if got := ok(t, "count", "--from", "orc", data); got != "4\n" {
		t.Error(got)
	}
	fileOf(t, filepath.Join(dir, "other"), "data/in.csv", "id\n1\n")
	if got := ok(t, "count", filepath.Join(dir, "other", "data")); got != "1\n" {
		t.Error(got)
	}
	ok(t, "iceberg", "delete", table, "--where", "id = 1")
	fails(t, do(t, "count", "--from", "orc", data), 1, "-deletes.orc", "by naming the other files; or name the table itself")
}
