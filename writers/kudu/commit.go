package kudu

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"

	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// carryOut writes what is planned. Whatever fails before the superblock is replaced is taken back.
func (im *importer) carryOut() error {
	u := &undo{}
	err := im.writeBlocks(u)
	if err == nil {
		err = im.readBack()
	}
	if err == nil {
		err = im.ctx.Err() // the last moment at which it can still be called off
	}
	if err == nil {
		err = im.replaceSuperBlock(u)
	}
	if err == nil {
		return nil
	}
	if im.report.Done {
		return fmt.Errorf("the rows are in the tablet, but: %w", err)
	}
	if back := u.all(); back != nil {
		return errors.Join(err, fmt.Errorf("not everything could be removed, which does no harm (kudu fs check --repair does it): %w", back))
	}
	return err
}

// undo is what takes back what has been done, the last first.
type undo struct{ steps []func() error }

func (u *undo) add(step func() error) { u.steps = append(u.steps, step) }

func (u *undo) all() (err error) {
	for i := len(u.steps) - 1; i >= 0; i-- {
		if e := u.steps[i](); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	u.steps = nil
	return err
}

// writeBlocks makes the blocks. No superblock refers to them yet.
func (im *importer) writeBlocks(u *undo) error {
	if im.dirs.Data[0].Type == kuduwire.DirFile {
		return im.writeFiles(u)
	}
	return im.writeContainers(u)
}

// copyTo copies a file of the set to the end of a new file. It must be what was checked.
func (im *importer) copyTo(f *os.File, from *setFile, buf []byte) error {
	src, err := im.tree.Open(im.ctx, from.Name)
	if err != nil {
		return err
	}
	var sum uint32
	if src.Size() == from.Bytes {
		sum, err = im.eachPart(src, from.Bytes, buf, func(b []byte) error { return im.ops.write(f, b) })
	}
	if err = errors.Join(err, src.Close()); err == nil && (src.Size() != from.Bytes || sum != from.sum) {
		err = im.inFile(corrupt("it has changed since it was checked"), from)
	}
	return err
}

// readBack reads the new blocks as the server will find them.
func (im *importer) readBack() error {
	blocks, err := reader.OpenBlocks(im.ctx, im.dirs)
	if err != nil {
		return err
	}
	defer func() { _ = blocks.Close() }() // it forgets
	buf := make([]byte, copyBytes)
	for i, b := range im.plan.blocks {
		src, closer, err := blocks.Open(b.id)
		if err != nil {
			return err
		}
		var sum uint32
		if src.Size() == b.file.Bytes {
			sum, err = im.eachPart(src, b.file.Bytes, buf, func([]byte) error { return nil })
		}
		if err = errors.Join(err, closer.Close()); err == nil && (src.Size() != b.file.Bytes || sum != b.file.sum) {
			err = corrupt("block %s does not read as it was written: %s", kuduwire.BlockName(b.id), blocks.Where(b.id))
		}
		if err != nil {
			return err
		}
		path, at, err := blocks.At(b.id)
		if err != nil {
			return err
		}
		im.said(i, path, at.Off)
	}
	return nil
}

// said tells in the report where a block is.
func (im *importer) said(block int, path string, off int64) {
	for i := range im.report.RowSets {
		blocks := im.report.RowSets[i].Blocks
		if block < len(blocks) {
			blocks[block].Path, blocks[block].Offset = path, off
			return
		}
		block -= len(blocks)
	}
}

// replaceSuperBlock keeps the tablet's superblock under another name and puts a new one into its place: before this the
// rows belong to no tablet; after it they belong to this one.
func (im *importer) replaceSuperBlock(u *undo) error {
	path := im.dirs.SuperBlockPath(im.Tablet)
	dir := filepath.Dir(path)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	// Not everything that changes superblocks takes the locks: Kudu's tools for containers do not.
	is, err := kuduwire.ParseSuperBlock(old, im.Limits)
	if err == nil && !reflect.DeepEqual(is, im.tablet.Super) {
		err = corrupt("%s has changed since it was read", path)
	}
	if err != nil {
		return err
	}
	now, err := kuduwire.AddRowSets(old, im.plan.rowsets, im.Limits)
	if err != nil {
		return err
	}
	who, err := ownerOf(path)
	if err != nil {
		return err
	}
	// Kudu's own tools keep what they replace under such names, and its servers pass over them.
	backup := path + ".bak." + strconv.FormatUint(im.plan.micros, 10)
	copied, err := im.ops.put(path, old, who)
	if err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(copied) })
	if err := im.ops.rename(copied, backup); err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(backup) })
	next, err := im.ops.put(path, now, who)
	if err != nil {
		return err
	}
	u.add(func() error { return im.ops.remove(next) })
	if err := im.ops.syncDir(dir); err != nil {
		return err
	}
	if err := im.ops.rename(next, path); err != nil {
		// Whether it has happened is not known: the file itself tells.
		if is, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(is, old) {
			im.report.Done = readErr == nil && bytes.Equal(is, now)
			u.steps = nil // the blocks may be in use
			err = fmt.Errorf("whether the superblock was replaced is not known: %w", err)
		}
		return err
	}
	im.report.Done, im.report.Backup = true, backup
	return im.ops.syncDir(dir)
}
