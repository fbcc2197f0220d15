package stores

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// localPlace is this machine.
type localPlace struct{}

func (localPlace) Stat(ctx context.Context, path string) (arrowio.TreeEntry, error) {
	if err := ctx.Err(); err != nil {
		return arrowio.TreeEntry{}, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	e := arrowio.TreeEntry{Name: fi.Name(), Dir: fi.IsDir(), ModTime: fi.ModTime()}
	if !e.Dir {
		e.Size = fi.Size()
	}
	return e, nil
}

func (localPlace) source(ctx context.Context, path string) (arrowio.OpenSource, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src, err := local.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		if fi, statErr := os.Stat(path); statErr == nil && fi.IsDir() {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrIsDirectory}
		}
		return nil, err
	}
	return src, nil
}

func (localPlace) Tree(path string) (arrowio.Tree, error) { return local.DirTree(path), nil }

func (localPlace) Create(ctx context.Context, path string, o local.FileStoreOptions) (arrowio.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.Directory = o.Directory || strings.HasSuffix(path, "/")
	return local.NewFileStore(path, o)
}

func (localPlace) Remove(_ context.Context, path string) error { return os.Remove(path) }

func (localPlace) MakeDirectory(_ context.Context, path string) error {
	return os.MkdirAll(path, 0o777)
}
