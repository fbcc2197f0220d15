//go:build interop

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Screens of browse in a terminal are those that people have looked at.
func TestBrowseInTerminal(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	out, err := exec.CommandContext(t.Context(), python, "../../testdata/interop/browse_judge.py", bin).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}
