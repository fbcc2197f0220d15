package local

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What an output replaces keeps its permissions: what was private stays so, and nobody sees it while it is made.
func TestFileStoreKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // permissions are others there
	}
	modes := func(dir string) map[string]fs.FileMode {
		out := map[string]fs.FileMode{}
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == dir {
				return err
			}
			fi, err := d.Info()
			rel, _ := filepath.Rel(dir, p)
			out[rel] = fi.Mode().Perm()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, c := range map[string]struct {
		old, want map[string]fs.FileMode
		objects   []string
	}{
		"private file":       {map[string]fs.FileMode{"out": 0o600}, map[string]fs.FileMode{"out": 0o600}, []string{"a"}},
		"file of a group":    {map[string]fs.FileMode{"out": 0o664}, map[string]fs.FileMode{"out": 0o664}, []string{"a"}},
		"directory":          {map[string]fs.FileMode{"out": 0o700, "out/part-0": 0o600}, map[string]fs.FileMode{"out": 0o700, "out/a": 0o600, "out/b": 0o600}, []string{"a", "b"}},
		"an empty directory": {map[string]fs.FileMode{"out": 0o700}, map[string]fs.FileMode{"out": 0o700, "out/a": 0o600, "out/b": 0o600}, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			for _, p := range []string{"out", "out/part-0"} {
				mode, ok := c.old[p]
				if !ok {
					continue
				}
				at := filepath.Join(dir, p)
				err := os.WriteFile(at, nil, 0o600)
				if mode&0o100 != 0 {
					err = os.Remove(at)
					if err == nil {
						err = os.Mkdir(at, 0o700)
					}
				}
				if err == nil {
					err = os.Chmod(at, mode)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			st := fileStoreAt(t, path, FileStoreOptions{Force: true, Directory: len(c.objects) > 1})
			for _, n := range c.objects {
				put(t, st, n, n)
			}
			for n, mode := range modes(dir) {
				if filepath.Dir(n) == "." && n != "out" && mode != 0o700 {
					t.Errorf("%s has mode %o while it is written", n, mode)
				}
			}
			commit(t, st)
			got := modes(dir)
			for n, mode := range c.want {
				if got[n] != mode {
					t.Errorf("%s has mode %o, want %o", n, got[n], mode)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%v", got)
			}
		})
	}
}
