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
