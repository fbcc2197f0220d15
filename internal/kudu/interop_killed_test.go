//go:build interop

package kudu

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// TestRealKilled makes the fixture of TestKilledServer anew.
func TestRealKilled(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("python3", "../../testdata/kudu/killed.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var m struct{ Rows int64 }
	fixtures.ReadJSON(t, filepath.Join(dir, "manifest.json"), &m)
	s := &realServer{t, fixtures.Unpack(t, filepath.Join(dir, "killed.tar.gz"))}
	if rows, w := s.readThrough("kudu-salvage=true"); rows != m.Rows || rows == 0 || len(w) > 0 {
		t.Errorf("%d rows of %d, %+v", rows, m.Rows, w)
	}
}
