//go:build interop

package page

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A browser shows every page as it is meant, with and without scripts, on a desk and on a telephone.
func TestChromium(t *testing.T) {
	python, bin, chromium := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN"), os.Getenv("ARROWIO_CHROMIUM")
	if python == "" || bin == "" || chromium == "" {
		t.Fatal("ARROWIO_PYTHON, ARROWIO_BIN and ARROWIO_CHROMIUM must say where they are: see testdata/interop/README.md")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "../../testdata/interop/page_judge.py", bin, chromium).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}
