package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
)

// dirTree is a directory of the file system.
type dirTree string

// DirTree returns the directory at path as a tree. It follows symbolic links, and does not list files that are not regular.
func DirTree(path string) arrowio.Tree { return dirTree(path) }

func (t dirTree) Path(name string) string { return filepath.Join(string(t), filepath.FromSlash(name)) }

// notUTF8 is about a name that no fs.FS takes.
type notUTF8 struct{}

func (notUTF8) Error() string {
	return "the name is not UTF-8: rename it, or name the files in it one by one"
}
func (notUTF8) Is(target error) bool { return target == fs.ErrInvalid }

func (t dirTree) check(op, name string) error {
	if !utf8.ValidString(name) {
		return &fs.PathError{Op: op, Path: name, Err: notUTF8{}}
	}
	if name != "" && (name == "." || !fs.ValidPath(name)) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

func (t dirTree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if err := errors.Join(ctx.Err(), t.check("list", dir)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(t.Path(dir))
	if err != nil {
		return nil, err
	}
	var out []arrowio.TreeEntry
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
			out = append(out, arrowio.TreeEntry{Name: e.Name(), Dir: true, ModTime: fi.ModTime()})
		case fi.Mode().IsRegular():
			out = append(out, arrowio.TreeEntry{Name: e.Name(), Size: fi.Size(), ModTime: fi.ModTime()})
		}
	}
	return out, nil
}

func (t dirTree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	if err := errors.Join(ctx.Err(), t.check("open", name)); err != nil {
		return nil, err
	}
	return OpenFile(t.Path(name))
}
