package main

import (
	"os"
	"path/filepath"
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
