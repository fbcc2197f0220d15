package stores

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// CanCreateNew implements place. Which file systems have no hard links is not known before.
func (localPlace) CanCreateNew(context.Context, string) error { return nil }

// CreateNew implements place: a file gets a second name, which fails if that exists.
func (localPlace) CreateNew(ctx context.Context, path string, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	f, err := os.OpenFile(filepath.Join(dir, "."+name+"."+uuid.NewString()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a hidden file, if it stays
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	case err != nil:
		return errs.Errorf(errs.ErrUnsupported, "the file system cannot create a file only where there is none (hard links): %w", err)
	}
	// The file is there, and others may have seen it: an error from here on would say that it is not.
	if d, err := os.Open(filepath.Clean(dir)); err == nil {
		_ = d.Sync() // so that it survives a power cut, where the system can
		_ = d.Close()
	}
	return nil
}
