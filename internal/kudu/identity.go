package kudu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Identity implements arrowio.Identifier: the names, sizes and times of the files that the table is read from. Of a server
// these are the superblocks, what its tablets have in the write-ahead log and agreed on, and the files of blocks, where one
// container has those of many tables.
func (f *File) Identity(ctx context.Context) (string, error) {
	h := sha256.New()
	var err error
	switch b := f.blocks.(type) {
	case *setBlocks:
		err = b.identify(ctx, h)
	case *Blocks:
		err = f.identify(ctx, h, b)
	default:
		err = errs.Errorf(errs.ErrUnsupported, "kudu: it cannot be told when these blocks change")
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// identify adds the directories that the files of a set are in.
func (b *setBlocks) identify(ctx context.Context, h hash.Hash) error {
	var dirs []string
	for _, f := range b.files {
		dir := ""
		if d := filepath.ToSlash(filepath.Dir(filepath.FromSlash(f.Name))); d != "." {
			dir = d
		}
		dirs = append(dirs, dir)
	}
	dirs = append(dirs, "") // the one with what says which files these are
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		entries, err := b.tree.List(ctx, dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Dir {
				fmt.Fprintf(h, "%q %q %d %d %q\n", dir, e.Name, e.Size, e.ModTime.UnixNano(), e.Version)
			}
		}
	}
	return nil
}

// identify adds the files of a server's tablets.
func (f *File) identify(ctx context.Context, h hash.Hash, b *Blocks) error {
	for _, t := range f.tablets {
		if t.rebuilt != nil {
			if err := f.identifyHints(ctx, h); err != nil {
				return err
			}
		}
		for _, folder := range []string{tabletMetaName, consensusName} {
			if err := addFile(h, filepath.Join(f.dirs.Metadata, folder, t.id)); err != nil {
				return err
			}
		}
		if dir := f.dirs.LogDir(t.id); dir != "" {
			if err := errors.Join(addDir(ctx, h, dir), addDir(ctx, h, dir+".recovery")); err != nil {
				return err
			}
		}
		for _, u := range t.super.Blocks() {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, dir := range b.files {
				if err := addFile(h, BlockPath(dir, u.Block)); err != nil {
					return err
				}
			}
		}
	}
	for i := range f.dirs.Data {
		if d := &f.dirs.Data[i]; d.Type != kuduwire.DirFile {
			if err := errors.Join(addDir(ctx, h, d.Path), addDir(ctx, h, filepath.Join(d.Path, rocksName))); err != nil {
				return err
			}
		}
	}
	return nil
}

// identifyHints adds what rebuilding looks at beside the blocks of a tablet.
func (f *File) identifyHints(ctx context.Context, h hash.Hash) error {
	fmt.Fprintf(h, "%q\n", f.opt.Rebuild)
	for _, path := range append(f.opt.Schemas[:len(f.opt.Schemas):len(f.opt.Schemas)], filepath.Join(f.dirs.Metadata, tabletMetaName)) {
		if err := addFile(h, path); err != nil {
			return err
		}
		if isDir(path) {
			if err := addDir(ctx, h, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDir adds the files that are directly in a directory.
func addDir(ctx context.Context, h hash.Hash, dir string) error {
	fmt.Fprintf(h, "%q\n", filepath.Base(dir))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := addFile(h, filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return err
}

// addFile adds a file, where there is one. Where the directories lie makes no difference.
func addFile(h hash.Hash, path string) error {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !fi.IsDir() {
		fmt.Fprintf(h, "%q %d %d\n", filepath.Base(path), fi.Size(), fi.ModTime().UnixNano())
	}
	return err
}

var _ arrowio.Identifier = (*File)(nil)
