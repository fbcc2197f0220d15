//go:build duckdb_arrow

package main

import (
	"strings"
	"testing"
)

const (
	file = "../../../../testdata/orc/java-2.3.1/pruning.orc"
	want = "1667 rows to 4998\n"
)

func TestViewed(t *testing.T) {
	var out strings.Builder
	if err := viewed(t.Context(), &out, file); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
