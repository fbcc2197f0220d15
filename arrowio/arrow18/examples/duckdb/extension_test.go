//go:build duckdb_arrow && interop

package main

import (
	"os"
	"strings"
	"testing"
)

func TestLoaded(t *testing.T) {
	extension := os.Getenv("ARROWIO_DUCKDB_EXTENSION")
	if extension == "" {
		t.Fatal("ARROWIO_DUCKDB_EXTENSION must say where the extension is: make duckdb-extension-test")
	}
	var out strings.Builder
	if err := loaded(t.Context(), &out, file, extension); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
