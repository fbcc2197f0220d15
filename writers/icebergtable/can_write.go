package icebergtable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// CanWrite returns an error if files cannot be created where the table has its data and metadata, or is to have them. It looks on this
// machine alone, and leaves nothing behind.
func (t *Table) CanWrite(context.Context) error {
	dir := ""
	if t.base != nil {
		dir = t.base.location()
	} else if d, ok := t.catalog.(*directory); ok {
		dir = d.dir
	}
	if dir == "" || !isLocal(dir) {
		return nil
	}
	for _, below := range []string{"data", icebergmeta.Dir} {
		if err := canCreateIn(filepath.Join(filepath.FromSlash(found(dir)), below)); err != nil {
			return err
		}
	}
	return nil
}

// canCreateIn returns an error if no file can be created in a directory, or in the nearest above it that is there.
func canCreateIn(dir string) error {
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".arrowio-*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
