//go:build cgo

package main

import (
	"strings"
	"testing"
)

func TestHandOver(t *testing.T) {
	var out strings.Builder
	if err := handOver(t.Context(), &out, "../../testdata/orc/java-2.3.1/pruning.orc"); err != nil {
		t.Fatal(err)
	}
	if want := "6000 rows handed over, 0 bytes not given back\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
