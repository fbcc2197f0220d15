//go:build interop

package flight

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/flight/internal/certtest"
)

// pyarrow's client shows tokens, passwords and certificates as it does to any server.
func TestPyarrowAccess(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	dir, ca := t.TempDir(), certtest.New(t, "ca")
	_, recs := table(memory.DefaultAllocator, 1000, 100, 1)
	write(t, filepath.Join(dir, "data.orc"), recs, nil)
	move := func(from, to string) {
		if err := os.Rename(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	move(ca.File, "ca.pem")
	for _, name := range []string{"server", "alice"} {
		cert, key := ca.Issue(t, name, nil)
		move(cert, name+".pem")
		move(key, name+".key")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "../testdata/interop/flight_access_judge.py", bin, dir)
	var errs strings.Builder // gRPC tells there of connections that were refused
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s\n%s", err, out, errs.String())
	}
}
