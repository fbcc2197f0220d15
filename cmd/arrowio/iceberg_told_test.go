package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesTold makes the mistakes that people make with tables: what is said is about them, and says what to do.
func TestTablesTold(t *testing.T) {
	dir := t.TempDir()
	csv := fileOf(t, dir, "in.csv", "id,day\n1,2024-01-02\n2,2024-01-03\n")
	at := func(name string) string { return filepath.Join(dir, name) }
	ok(t, "convert", "--to", "iceberg", csv, at("table"))

	// A property whose value is not known.
	fails(t, do(t, "convert", "--to", "iceberg", "--iceberg-property", "write.delete.mode=banana", csv, at("new")), 2, `write.delete.mode is "banana"`, "merge-on-read")
	ok(t, "convert", "--to", "iceberg", "--iceberg-property", "write.delete.mode=Copy-On-Write", csv, at("again"))
	if got := ok(t, "iceberg", "delete", at("again"), "--where", "id = 1"); !strings.Contains(got, "1 file written again") {
		t.Error(got)
	}
	metadata := filepath.Join(at("again"), "metadata", "v2.metadata.json")
	said, err := os.ReadFile(metadata)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(metadata, []byte(strings.Replace(string(said), "Copy-On-Write", "banana", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "iceberg", "delete", at("again"), "--where", "id = 2"), 1, `write.delete.mode is "banana"`)

	// A type that is not known.
	if err := os.WriteFile(metadata, []byte(strings.Replace(string(said), `"type":"long"`, `"type":"integer"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "count", at("again")); o.code != 1 || !strings.Contains(o.err, `there is no type "integer"`) || strings.Contains(o.err, "ORC") {
		t.Errorf("%+v", o)
	}

	// Damage is called the same by readers and writers.
	lists, err := filepath.Glob(filepath.Join(at("table"), "metadata", "snap-*.avro"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	if got := ok(t, "iceberg", "compact", at("table")); got != "nothing to compact; the table stays as it is\n" {
		t.Error(got)
	}
	if got := ok(t, "iceberg", "compact", "--dry-run", at("table")); got != "nothing to compact\n" {
		t.Error(got)
	}
	if err := os.Truncate(lists[0], 60); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"count", at("table")}, {"iceberg", "delete", at("table"), "--where", "id = 1"}} {
		if o := do(t, args...); o.code != 1 || !strings.Contains(o.err, "manifest list: damaged Avro: ") || strings.Contains(o.err, "ocf") {
			t.Errorf("%q: %+v", args, o)
		}
	}

	for _, c := range []struct {
		code int
		say  string
		args []string
	}{
		{2, "--iceberg-partition", []string{"convert", "--to", "iceberg", "--partition-by", "day", csv, at("new")}},
		{3, "there is no table", []string{"convert", "--to", "iceberg", "--iceberg-mode", "append", csv, at("none")}},
		{3, "there is no Iceberg table", []string{"iceberg", "delete", at("none"), "--where", "id = 1"}},
		{3, "this is a file, and a table is a directory", []string{"iceberg", "delete", csv, "--where", "id = 1"}},
		{3, "this is a file, and a table is a directory", []string{"convert", "--to", "iceberg", csv, fileOf(t, dir, "out.csv", "")}},
	} {
		fails(t, do(t, c.args...), c.code, c.say)
	}
	if _, err := os.Stat(at("new")); !os.IsNotExist(err) {
		t.Error(err)
	}

	// What a run leaves that is killed while it makes a table.
	fileOf(t, at("killed"), "data/1.orc", "")
	fileOf(t, at("killed"), "metadata/1-m0.avro", "")
	for _, args := range [][]string{{"convert"}, {"convert", "--force"}} {
		fails(t, do(t, append(args, "--to", "iceberg", csv, at("killed"))...), 2, `it has "data", "metadata".`, "then remove the directory")
	}
}

// TestTableNotWritable plans what cannot be written: the dry run has the error of the real one.
func TestTableNotWritable(t *testing.T) {
	dir := t.TempDir()
	csv, table := fileOf(t, dir, "in.csv", "id\n1\n"), filepath.Join(dir, "table")
	ok(t, "convert", "--to", "iceberg", csv, table)
	ok(t, "convert", "--iceberg-mode", "append", "--dry-run", csv, table)
	ok(t, "convert", "--to", "iceberg", "--dry-run", csv, filepath.Join(dir, "new"))
	if err := os.RemoveAll(filepath.Join(table, "data")); err != nil {
		t.Fatal(err)
	}
	fileOf(t, table, "data", "") // nobody makes a file below it, not even root
	for _, more := range []string{"--dry-run", "--progress=never"} {
		o := do(t, "convert", "--iceberg-mode", "append", more, csv, table)
		fails(t, o, 3, filepath.Join(table, "data"), "not a directory")
		if strings.Contains(o.err, "; ") {
			t.Errorf("%s", o.err)
		}
	}
	left, err := os.ReadDir(table)
	if err != nil || len(left) != 2 {
		t.Error(left, err)
	}
}

// TestTableBySymlink reads a table by another path than that by which it was made.
func TestTableBySymlink(t *testing.T) {
	dir := t.TempDir()
	csv, real, sym := fileOf(t, dir, "in.csv", "id\n1\n"), filepath.Join(dir, "real"), filepath.Join(dir, "sym")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, sym); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", "--to", "iceberg", csv, filepath.Join(sym, "t"))
	for _, parent := range []string{sym, real} {
		if got := ok(t, "count", filepath.Join(parent, "t")); got != "1\n" {
			t.Error(got)
		}
		ok(t, "cat", filepath.Join(parent, "t"))
	}
}

// TestRelocateAdvice follows the advice of the error about a table that was moved, with directories KEY=VALUE.
func TestRelocateAdvice(t *testing.T) {
	dir := t.TempDir()
	csv, was, is := fileOf(t, dir, "in.csv", "k,v\n2,a\n3,b\n"), filepath.Join(dir, "w=as"), filepath.Join(dir, "i=s")
	ok(t, "convert", "--to", "iceberg", "--iceberg-partition", "k", csv, was)
	if err := os.Rename(was, is); err != nil {
		t.Fatal(err)
	}
	o := do(t, "count", is)
	_, advice, found := strings.Cut(o.err, "--iceberg-relocate=")
	advice, _, _ = strings.Cut(advice, "DIRECTORY")
	if o.code != 2 || !found {
		t.Fatalf("%+v", o)
	}
	if got := ok(t, "count", "--iceberg-relocate", advice+is, is); got != "2\n" {
		t.Error(got)
	}
}
