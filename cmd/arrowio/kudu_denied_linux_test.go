package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// A superblock that this user may not read is an error at the end, and the tables of the others are listed and written.
func TestKuduDenied(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o755)
	}); err != nil {
		t.Fatal(err)
	}
	supers, err := filepath.Glob(filepath.Join(dir, "wal", "tablet-meta", "*"))
	if err != nil || len(supers) == 0 {
		t.Fatal(supers, err)
	}
	path := supers[0]
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{out: 0o777, filepath.Dir(out): 0o755, filepath.Dir(filepath.Dir(out)): 0o755} { // whatever the umask is
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 { // who may read everything, as long as this thread is not somebody else to file systems
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Error(err)
			}
		}()
	}
	wal := filepath.Join(dir, "wal")
	for _, args := range [][]string{{"kudu", "list", wal}, {"kudu", "export", "--all", wal, out}, {"kudu", "export", "--all", "--salvage", "--force", wal, out}} {
		o := do(t, args...)
		if o.code != exitSystem || !strings.Contains(o.out, " tables, ") || !strings.Contains(o.err, path+": permission denied") || strings.Contains(o.err, "lost:") {
			t.Errorf("%s: %d, %s\n%s", args, o.code, o.out, o.err)
		}
	}
	for _, args := range [][]string{{"kudu", "export", "--table", "that one", wal, out}, {"kudu", "export", "--salvage", "--table", "that one", wal, out}, {"count", "--from", "kudu", "--kudu-table", "that one", wal}} {
		if o := do(t, args...); o.code != exitSystem || !strings.Contains(o.err, `there is no table "that one"`) && !strings.Contains(o.err, `no table "that one"`) || !strings.Contains(o.err, path+": permission denied") {
			t.Errorf("%s: %d, %s\n%s", args, o.code, o.out, o.err)
		}
	}
	files, err := filepath.Glob(filepath.Join(out, "*.parquet"))
	if err != nil || len(files) < 8 {
		t.Errorf("%d files: %v", len(files), err)
	}
}
