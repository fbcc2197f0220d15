package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The figures are those of the rows that the Java reader gives (pruning.jsonl.gz), of two files that are the same.
func TestServe(t *testing.T) {
	b, err := os.ReadFile("../../testdata/orc/java-2.3.1/pruning.orc")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.orc", "b.orc"} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := run(t.Context(), &out, dir, "id__mono >= 7500", "id__mono"); err != nil {
		t.Fatal(err)
	}
	if want := "7000 rows, sum 89239500\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := run(t.Context(), &out, dir, "nope = 1", "id__mono"); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Error(err)
	}
}
