package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// leftoverName is of what a fileStore has beside an output: see fileStore.hidden.
var leftoverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.(.+)\.[0-9a-f]{10}\.(tmp|old)$`) })

// Leftover describes what RemoveLeftovers did with one hidden directory.
type Leftover struct {
	Path     string // of the hidden directory
	Output   string // name of the output that it was made for
	Restored bool   // the directory was an output that was to be replaced, and is at its path again
	Err      error  // why the directory, or a part of it, still exists; nil = it is gone
}

// RemoveLeftovers removes from dir the hidden directories of outputs that killed processes did not finish, if match returns
// true for the name of the output. An output that such a process had moved aside to replace it, and did not replace, is moved
// back. A directory stays if its process still runs, which holds a lock on it, or if it contains what this module does not
// write. On systems and file systems without such locks nothing is removed.
//
// The error is that of listing dir.
func RemoveLeftovers(dir string, match func(name string) bool) ([]Leftover, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Leftover
	for _, e := range entries {
		m := leftoverName().FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() || !match(m[1]) {
			continue
		}
		l := Leftover{Path: filepath.Join(dir, e.Name()), Output: m[1]}
		lock, err := lockDir(l.Path)
		if err != nil {
			continue // it is in use, or gone, or that is not known
		}
		if m[2] == "old" {
			l.Restored, l.Err = restore(l.Path, filepath.Join(dir, l.Output))
		}
		if !l.Restored && l.Err == nil {
			l.Err = removeOutput(l.Path)
		}
		_ = lock.Close() // nothing was written
		out = append(out, l)
	}
	return out, nil
}

// restore puts an output back that was moved aside, where nothing has taken its place.
func restore(aside, path string) (bool, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err := os.Rename(aside, path)
	return err == nil, err
}

// removeOutput removes a directory of objects, whole or not, and nothing that is none.
func removeOutput(dir string) error {
	names, err := OutputNames(entries(dir), true)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(n))); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// entries lists the directories below one of the file system, for OutputNames. Links, devices and the like are no output.
func entries(dir string) func(string) ([]arrowio.TreeEntry, error) {
	return func(below string) ([]arrowio.TreeEntry, error) {
		list, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(below)))
		out := make([]arrowio.TreeEntry, len(list))
		for i, e := range list {
			if !e.IsDir() && !e.Type().IsRegular() {
				return nil, NotOurs(path.Join(below, e.Name()))
			}
			out[i] = arrowio.TreeEntry{Name: e.Name(), Dir: e.IsDir()}
		}
		return out, err
	}
}
