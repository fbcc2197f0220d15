package arrowio

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Tree is a directory and what is below it, of a file system, an object store or the like: what formats read that are
// whole directories (Format.OpenTree). Names are slash-separated and relative to its top, which is "". All methods may be
// called concurrently. What lies there should not change meanwhile.
type Tree interface {
	// List returns what is directly in a directory, sorted by name. A directory that does not exist is fs.ErrNotExist;
	// where directories are only parts of names, one without entries does not exist.
	List(ctx context.Context, dir string) ([]TreeEntry, error)
	// Open opens the bytes of a file; the caller closes them.
	Open(ctx context.Context, name string) (OpenSource, error)
	// Path returns a name as people know it: with what leads to the top of the tree, a path or a URL.
	Path(name string) string
}

// TreeEntry is a file or a directory in a Tree.
type TreeEntry struct {
	Name    string // without that of the directory
	Dir     bool
	Size    int64     // of a file, in bytes
	ModTime time.Time // zero = not known
	// Version changes whenever the bytes of a file do, as a store tells it; "" = only size and time tell.
	Version string
}

// OpenSource is a source with an end to its use.
type OpenSource interface {
	Source
	io.Closer
}

// dirTree is a directory of the file system.
type dirTree string

// DirTree returns the tree at a directory of the file system. Symbolic links are followed; files that are not regular are
// not listed.
func DirTree(path string) Tree { return dirTree(path) }

func (t dirTree) Path(name string) string { return filepath.Join(string(t), filepath.FromSlash(name)) }

func (t dirTree) check(op, name string) error {
	if name != "" && (name == "." || !fs.ValidPath(name)) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

func (t dirTree) List(ctx context.Context, dir string) ([]TreeEntry, error) {
	if err := errors.Join(ctx.Err(), t.check("list", dir)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(t.Path(dir))
	if err != nil {
		return nil, err
	}
	var out []TreeEntry
	for _, e := range entries {
		fi, err := e.Info()
		if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			fi, err = os.Stat(filepath.Join(t.Path(dir), e.Name()))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone meanwhile, or a link that leads nowhere
		case err != nil:
			return nil, err
		case fi.IsDir():
			out = append(out, TreeEntry{Name: e.Name(), Dir: true, ModTime: fi.ModTime()})
		case fi.Mode().IsRegular():
			out = append(out, TreeEntry{Name: e.Name(), Size: fi.Size(), ModTime: fi.ModTime()})
		}
	}
	return out, nil
}

func (t dirTree) Open(ctx context.Context, name string) (OpenSource, error) {
	if err := errors.Join(ctx.Err(), t.check("open", name)); err != nil {
		return nil, err
	}
	return OpenFile(t.Path(name))
}
