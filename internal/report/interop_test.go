//go:build interop

package report

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A browser shows reports of every kind of input as they are meant, and axe-core finds nothing wrong with them.
func TestChromium(t *testing.T) {
	python, bin, chromium := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN"), os.Getenv("ARROWIO_CHROMIUM")
	if python == "" || bin == "" || chromium == "" {
		t.Fatal("ARROWIO_PYTHON, ARROWIO_BIN and ARROWIO_CHROMIUM must say where they are: see testdata/interop/README.md")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "../../testdata/interop/report_judge.py", bin, chromium).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}
