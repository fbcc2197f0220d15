package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// leftoverName is of what a fileStore has beside an output: see fileStore.hidden.
var leftoverName = regexp.MustCompile(`^\.(.+)\.[0-9a-f]{10}\.(tmp|old)$`)

// Leftover is what RemoveLeftovers did about one directory.
type Leftover struct {
	Path     string // of the hidden directory
	Output   string // name of the output that it was made for
	Restored bool   // it was the output that was about to be replaced, and is in its place again
	Err      error  // why it is still there, or a part of it; nil = it is gone
}

// RemoveLeftovers removes what processes that were killed have left in dir of outputs that NewFileStore was to put there, of
// the names that match. An output that was moved aside to be replaced, and was not, is put back. A directory whose process
// is alive is left alone, by the lock that it holds, and so is one that holds what this module does not write. On systems
// and file systems without such locks nothing is removed.
//
// The error is one of listing dir.
func RemoveLeftovers(dir string, match func(name string) bool) ([]Leftover, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Leftover
	for _, e := range entries {
		m := leftoverName.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() || !match(m[1]) {
			continue
		}
		l := Leftover{Path: filepath.Join(dir, e.Name()), Output: m[1]}
		lock, err := lockDir(l.Path)
		if err != nil {
			continue // it is in use, or gone, or nobody can tell
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
	names, err := outputNames(dir, func(string) bool { return true })
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := os.Remove(filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}

// outputNames returns the names of all that is below a directory that holds nothing but objects of ours, those in a
// directory before its own. column tells whether NAME.cfile may be one. The error is a foreignError for any other.
func outputNames(dir string, column func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 && partitionColumn(entries[0]) != "" {
		return partitionNames(dir, "", entries)
	}
	var names []string
	for _, e := range entries {
		n := e.Name()
		switch {
		case e.Type().IsRegular() && (n == "schema.json" || strings.HasPrefix(n, "part-") || isColumn(n) && column(n)):
		case e.IsDir() && rowsetName.MatchString(n) && column(n):
			files, err := os.ReadDir(filepath.Join(dir, n))
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				name := filepath.Join(n, f.Name())
				if !f.Type().IsRegular() || !isColumn(f.Name()) {
					return nil, foreignError(name)
				}
				names = append(names, name)
			}
		default:
			return nil, foreignError(n)
		}
		names = append(names, n)
	}
	return names, nil
}

// partName is of the files in directories NAME=VALUE.
var partName = regexp.MustCompile(`^part-[0-9]{5,}\.[a-z0-9]+$`)

// partitionColumn returns NAME of a directory NAME=VALUE, "" of anything else.
func partitionColumn(e fs.DirEntry) string {
	name, _, ok := strings.Cut(e.Name(), "=")
	if !ok || !e.IsDir() {
		return ""
	}
	return name
}

// partitionNames is outputNames for an output with directories NAME=VALUE: each directory has either such directories, of one
// NAME, or parts. entries are those of the directory at below, a path in dir.
func partitionNames(dir, below string, entries []fs.DirEntry) ([]string, error) {
	var names []string
	for _, e := range entries {
		path, column := filepath.Join(below, e.Name()), partitionColumn(e)
		switch {
		case column != partitionColumn(entries[0]),
			column == "" && (!e.Type().IsRegular() || !partName.MatchString(e.Name())):
			return nil, foreignError(path)
		case column != "":
			inner, err := os.ReadDir(filepath.Join(dir, path))
			if err != nil {
				return nil, err
			}
			more, err := partitionNames(dir, path, inner)
			if err != nil {
				return nil, err
			}
			names = append(names, more...)
		}
		names = append(names, path)
	}
	return names, nil
}

// foreignError is the name of what this module does not write.
type foreignError string

func (e foreignError) Error() string {
	return "the directory holds \"" + string(e) + "\", which does not look like output of this program"
}
