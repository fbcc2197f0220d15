package kudu

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// A superblock that this user may not read is not lost: an error names the file, to salvage, too.
func TestSuperblockDenied(t *testing.T) {
	s := newRealServer(t, "file")
	err := filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if e.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
	path := s.superblocks()[0]
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // who may read everything, as long as this thread is not somebody else to file systems
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	for _, salvage := range []bool{false, true} {
		_, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{Salvage: salvage})
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
}
