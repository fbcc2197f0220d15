package main

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	var out strings.Builder
	if err := read(t.Context(), &out, "../../testdata/trevni/java-1.12.1/avro-nested.trv"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), " rows in ") {
		t.Error(out.String())
	}
}
