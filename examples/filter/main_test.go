package main

import (
	"strings"
	"testing"
)

// The figures are those of the rows that the Java reader gives (pruning.jsonl.gz).
func TestSum(t *testing.T) {
	var out strings.Builder
	if err := sum(t.Context(), &out, "../../testdata/orc/java-2.3.1/pruning.orc", "id__mono >= 7500", "id__mono"); err != nil {
		t.Fatal(err)
	}
	if want := "3500 rows, sum 44619750\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
