//go:build interop

package kudu

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// TestRealReplicas makes the fixture of TestReplicas anew, with three real servers of either block manager that are killed while rows
// are written.
func TestRealReplicas(t *testing.T) {
	for _, manager := range managers {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out, err := exec.Command("python3", "../../testdata/kudu/replicas.py", dir, manager).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			root := t.TempDir()
			fixtures.UnpackInto(t, root, filepath.Join(dir, "replicas.tar.gz"))
			checkReplicas(t, root, readAcknowledged(t, filepath.Join(dir, "replicas.json")))
		})
	}
}
