package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const (
	// alignment is the least that blocks are aligned to in a container.
	alignment = 4096
	// mostContainerBytes is how large a container grows (--log_container_max_size).
	mostContainerBytes = 10 << 30

	metadataSuffix = ".metadata"
	dataSuffix     = ".data"
)

// container is a new pair of files of the log block manager.
type container struct {
	base   string // path without suffix
	dir    *reader.DataDir
	who    owner
	align  int64
	blocks []*newBlock
	end    int64 // behind the last block
}

// writeContainers makes containers, one for each data directory, more where it would be too large: the servers' own are
// not touched.
func (im *importer) writeContainers(u *undo) error {
	var all []*container
	open := map[*reader.DataDir]*container{}
	for _, b := range im.plan.blocks {
		c := open[b.dir]
		if c == nil || c.end+b.file.Bytes > mostContainerBytes && c.end > 0 {
			var err error
			if c, err = im.newContainer(b.dir); err != nil {
				return err
			}
			open[b.dir] = c
			all = append(all, c)
		}
		b.off = c.end
		b.path = c.base + dataSuffix
		c.blocks = append(c.blocks, b)
		c.end = (b.off + b.file.Bytes + c.align - 1) / c.align * c.align
	}
	for _, c := range all {
		if err := im.writeContainer(u, c); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) newContainer(dir *reader.DataDir) (*container, error) {
	who, err := ownerOf(dir.Path)
	if err != nil {
		return nil, err
	}
	name, err := im.ops.randomName(16)
	if err != nil {
		return nil, err
	}
	c := &container{base: filepath.Join(dir.Path, name), dir: dir, who: who, align: max(alignment, dir.BlockSize)}
	for _, suffix := range []string{dataSuffix, metadataSuffix} {
		if _, err := os.Lstat(c.base + suffix); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, fmt.Errorf("%s: %w", c.base+suffix, fs.ErrExist))
		}
	}
	return c, nil
}

// writeContainer makes a container. A server does not start where it finds records of blocks without data, or data without
// records: so the two come one after the other, records last.
//
//	1  data and records are complete under names that a server deletes
//	2  .metadata without a record   a server deletes it
//	3  .data                        a server keeps the container and writes into it, from the beginning
//	4  .metadata with all records   the blocks are there, and no superblock refers to them
func (im *importer) writeContainer(u *undo, c *container) error {
	data, err := im.writeData(u, c)
	if err != nil {
		return err
	}
	empty := kuduwire.AppendBlockContainer(nil)
	records := append([]byte{}, empty...)
	for _, b := range c.blocks {
		records = kuduwire.AppendBlockRecord(records, kuduwire.BlockRecord{ID: b.id, Op: kuduwire.BlockCreate, Off: b.off, Length: b.file.Bytes}, im.plan.micros)
	}
	metadata := c.base + metadataSuffix
	put := func(b []byte) (string, error) {
		name, err := im.ops.put(metadata, b, c.who)
		if err == nil {
			u.add(func() error { return im.ops.remove(name) })
		}
		return name, err
	}
	without, err := put(empty)
	if err != nil {
		return err
	}
	with, err := put(records)
	if err != nil {
		return err
	}
	u.add(func() error { return im.removeContainer(c, int64(len(empty))) })
	for _, step := range [][2]string{{without, metadata}, {data, c.base + dataSuffix}, {with, metadata}} {
		if err := im.ops.rename(step[0], step[1]); err != nil {
			return err
		}
		if err := im.ops.syncDir(c.dir.Path); err != nil {
			return err
		}
	}
	return nil
}

// removeContainer goes the same way back: no step before the one in front of it is done.
func (im *importer) removeContainer(c *container, empty int64) error {
	for _, step := range []func() error{
		func() error { return im.ops.truncate(c.base+metadataSuffix, empty) },
		func() error { return im.ops.remove(c.base + dataSuffix) },
		func() error { return im.ops.remove(c.base + metadataSuffix) },
	} {
		if err := step(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeData copies the blocks of a container into a file that has no name yet.
func (im *importer) writeData(u *undo, c *container) (name string, err error) {
	if name, err = im.ops.temporary(c.base + dataSuffix); err != nil {
		return "", err
	}
	f, err := im.ops.create(name, c.who)
	if err != nil {
		return "", err
	}
	u.add(func() error { return im.ops.remove(name) })
	buf := make([]byte, copyBytes)
	at := int64(0)
	for _, b := range c.blocks {
		if err == nil && b.off > at {
			err = im.ops.write(f, make([]byte, b.off-at))
		}
		if err == nil {
			err = im.copyTo(f, b.file, buf)
		}
		at = b.off + b.file.Bytes
	}
	return name, errors.Join(err, im.ops.finish(f))
}
