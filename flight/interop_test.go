//go:build interop

package flight

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// pyarrow's client reads what pyarrow has written, through arrowio's server.
func TestPyarrow(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "../testdata/interop/flight_judge.py", bin).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}
