package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The layout is that of ParseExtensionMetaData in DuckDB's extension_load.cpp.
func TestFooter(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "x.so"), filepath.Join(dir, "x.duckdb_extension")
	if err := os.WriteFile(in, []byte("library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run("linux_amd64", "v0.9.0", in, out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != len("library")+512 || string(b[:7]) != "library" {
		t.Fatalf("%d bytes", len(b))
	}
	b = b[7:]
	var fields []string
	for i := range 8 {
		fields = append(fields, strings.TrimRight(string(b[32*i:32*i+32]), "\x00"))
	}
	if got := strings.Join(fields, "|"); got != "|||C_STRUCT|v0.9.0|v1.2.0|linux_amd64|4" {
		t.Error(got)
	}
	if err := run("linux_amd64", strings.Repeat("9", 33), in, out); err == nil {
		t.Error("a version of 33 bytes was written")
	}
	if got := platformOf("darwin", "arm64"); got != "osx_arm64" {
		t.Error(got)
	}
}
