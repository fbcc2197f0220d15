//go:build interop

package flight

import (
	"os"
	"testing"
)

// pyarrow's client puts tables, which its own readers then find in the files, and exchanges batches.
func TestPyarrowPuts(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	judged(t, python, "../testdata/interop/flight_put_judge.py", bin)
}
