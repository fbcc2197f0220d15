package main

import (
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	var out strings.Builder
	if err := describe(t.Context(), &out, "../../../../testdata/orc/java-2.3.1/pruning.orc"); err != nil {
		t.Fatal(err)
	}
	if want := "1 id__mono: long\n6000 rows\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
