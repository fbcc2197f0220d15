package kudu

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// recycled are the directories of servers that no test uses now, by the name of the manager. Making the files of a server
// costs more than most tests do with them, so the next test gets the same directory, and only what was changed is written again.
var recycled struct {
	sync.Mutex
	free map[string][]*serverDir
}

// serverDir is the directory of a server as it was unpacked.
type serverDir struct {
	root  string
	files map[string]unpackedFile // by path
}

// unpackedFile is a file of a server, or a directory, as it was unpacked.
type unpackedFile struct {
	content []byte      // nil = a directory
	info    fs.FileInfo // of a file
}

// unchanged is the time of change of files that nothing has written to.
var unchanged = time.Unix(1_000_000_000, 0)

// newRealServer returns a server that the test may change.
func newRealServer(t testing.TB, manager string) *realServer {
	t.Helper()
	recycled.Lock()
	defer recycled.Unlock()
	var d *serverDir
	if n := len(recycled.free[manager]); n > 0 {
		d, recycled.free[manager] = recycled.free[manager][n-1], recycled.free[manager][:n-1]
	} else {
		d = unpackServer(t, manager)
	}
	t.Cleanup(func() {
		if err := d.restore(); err != nil {
			t.Errorf("restoring %s: %v", d.root, err)
			return
		}
		recycled.Lock()
		defer recycled.Unlock()
		recycled.free[manager] = append(recycled.free[manager], d)
	})
	return &realServer{t, d.root}
}

func unpackServer(t testing.TB, manager string) *serverDir {
	t.Helper()
	root, err := os.MkdirTemp("", "kudu")
	if err != nil {
		t.Fatal(err)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.dirs == nil {
		shared.dirs = map[string]string{}
	}
	shared.dirs[root] = root
	if recycled.free == nil {
		recycled.free = map[string][]*serverDir{}
	}
	fixtures.UnpackInto(t, root, realServers+manager+".tar.gz")
	d := &serverDir{root, map[string]unpackedFile{}}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			d.files[path] = unpackedFile{}
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return d.made(path, b)
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// made notes a file that was written.
func (d *serverDir) made(path string, b []byte) error {
	if err := os.Chtimes(path, unchanged, unchanged); err != nil {
		return err
	}
	info, err := os.Stat(path)
	d.files[path] = unpackedFile{append([]byte{}, b...), info}
	return err
}

// restore undoes what a test has done to the files.
func (d *serverDir) restore() error {
	kept := map[string]bool{}
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, known := d.files[path]
		if known && e.IsDir() && f.content == nil {
			kept[path] = true
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if known && f.content != nil && os.SameFile(info, f.info) && info.Mode() == f.info.Mode() && info.Size() == f.info.Size() && info.ModTime().Equal(unchanged) {
			kept[path] = true
			return nil
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return err
	}
	for path, f := range d.files {
		if kept[path] {
			continue
		}
		if f.content == nil {
			err = os.MkdirAll(path, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			if err = os.WriteFile(path, f.content, 0o600); err == nil {
				err = d.made(path, f.content)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
