//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The output of a query replaces no directory by a file and no file by a directory, not even with --force.
func TestQueryReplacesItsOwnKind(t *testing.T) {
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "folder.csv"), filepath.Join(dir, "file")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, force := range []string{"--force", "--force=false"} {
		for _, c := range [][]string{{"is a directory", "--output", folder}, {"is a file, and the output is a directory", "--to", "csv", "--output", file + "/"}} {
			args := append([]string{"query", force}, append(c[1:], "SELECT 1 AS a")...)
			if o := do(t, args...); o.code != exitUsage || !strings.Contains(o.err, c[0]) {
				t.Errorf("arrowio %s: exit %d: %s", strings.Join(args, " "), o.code, o.err)
			}
		}
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
}

// A name in quotes that is no file and no table is not found, as for other commands; a bare one is a mistake in the statement.
func TestQueryNoSuchFile(t *testing.T) {
	t.Chdir(t.TempDir())
	fails(t, do(t, "query", "select count(*) from 'nosuch'"), exitSystem, "nosuch: there is no table, and no file, of this name")
	fails(t, do(t, "query", "select count(*) from nosuch"), exitUsage, "Table with name nosuch does not exist")
	fails(t, do(t, "query", "select count(*) from 'no/such'"), exitSystem, "no/such")
}

// Columns that a schema leaves out are told, since rows may be written.
func TestQueryLeavesOut(t *testing.T) {
	csv := fileOf(t, t.TempDir(), "in.csv", "id,amount\n1,2\n")
	for _, args := range [][]string{{"--schema", "struct<id:bigint>", "select * from '" + csv + "'"}, {"select * from arrowio('" + csv + "', schema := 'struct<id:bigint>')"}} {
		o := do(t, append([]string{"query", "--format", "csv"}, args...)...)
		if o.code != 0 || o.out != "id\n1\n" || o.err != "arrowio: "+csv+": warning: columns that are not in the schema asked for are left out: amount\n" {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
