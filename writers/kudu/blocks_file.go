package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	reader "github.com/arrowio/arrowio/internal/kudu"
)

// writeFiles makes a file for each block, as the file block manager has them.
func (im *importer) writeFiles(u *undo) error {
	buf := make([]byte, copyBytes)
	for _, b := range im.plan.blocks {
		b.path = reader.BlockPath(b.dir, b.id)
		if err := im.writeFile(u, b, buf); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) writeFile(u *undo, b *newBlock, buf []byte) error {
	if _, err := os.Lstat(b.path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s: %w", b.path, fs.ErrExist))
	}
	dir := filepath.Dir(b.path)
	if err := im.makeDirs(u, b.dir.Path, dir); err != nil {
		return err
	}
	who, err := ownerOf(dir)
	if err != nil {
		return err
	}
	name, err := im.ops.temporary(b.path)
	if err != nil {
		return err
	}
	f, err := im.ops.create(name, who)
	if err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(name) })
	err = im.copyTo(f, b.file, buf)
	if err = errors.Join(err, im.ops.finish(f)); err != nil {
		return err
	}
	if err := im.ops.rename(name, b.path); err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(b.path) })
	return im.ops.syncDir(dir)
}

// makeDirs makes the folders of a block below top, which is there.
func (im *importer) makeDirs(u *undo, top, dir string) error {
	if dir == top {
		return nil
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(dir)
	if err := im.makeDirs(u, top, above); err != nil {
		return err
	}
	who, err := ownerOf(above)
	if err != nil {
		return err
	}
	if err := im.ops.mkdir(dir, who); err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(dir) })
	return im.ops.syncDir(above)
}
