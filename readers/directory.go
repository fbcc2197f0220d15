package readers

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// Directory returns the format that o names where it is one of directories (arrowio.Format.OpenPath), and the zero
// Format, without an error, where it is of files or none is named.
func Directory(o Options) (arrowio.Format, error) {
	if o.Format == "" {
		return arrowio.Format{}, nil
	}
	f, err := lookup(o.formats(), o.Format)
	if err != nil || f.OpenPath == nil {
		return arrowio.Format{}, err
	}
	return f, nil
}

func openDirectory(ctx context.Context, f arrowio.Format, path string, o Options) (arrowio.File, error) {
	local, ok := stores.Local(path)
	if !ok { // a directory that other programs than its own server take, perhaps
		if t, tf, err := Tree(ctx, path, o); err != nil || t != nil {
			if err == nil {
				return tf.OpenTree(ctx, t, o.openOptions())
			}
			return nil, err
		}
		return nil, errs.Errorf(errs.ErrUnsupported, "%s is read from directories of this machine only, not from %s://", f.Name, stores.Scheme(path))
	}
	fi, err := os.Stat(local)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, errs.Errorf(errs.ErrOption, "%s is the format of a directory, and this is a file", f.Name)
	}
	return f.OpenPath(ctx, local, o.openOptions())
}

// Tree returns the directory at a path or URL and its format where it is of one as a whole (arrowio.Format.MatchTree): of
// the one that o names, or of any. nil = it is not, or no directory.
func Tree(ctx context.Context, path string, o Options) (arrowio.Tree, arrowio.Format, error) {
	if e, err := o.stores().Stat(ctx, path); err != nil || !e.Dir {
		return nil, arrowio.Format{}, ctx.Err() // whatever it is, opening it will tell
	}
	t, err := o.stores().Tree(path)
	if err != nil {
		return nil, arrowio.Format{}, err
	}
	f, err := matchTree(ctx, t, o)
	if err != nil || f.OpenTree == nil {
		return nil, f, err
	}
	return t, f, nil
}

// matchTree returns the format of a tree, the zero Format where it has none.
func matchTree(ctx context.Context, t arrowio.Tree, o Options) (found arrowio.Format, err error) {
	for _, f := range o.formats() {
		if f.MatchTree == nil || o.Format != "" && o.Format != f.Name {
			continue
		}
		ok, err := f.MatchTree(ctx, t)
		if err != nil {
			return arrowio.Format{}, err
		}
		if ok && found.OpenTree != nil {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "%s: the directory could be one of %s or of %s; say which with --from", t.Path(""), found.Name, f.Name)
		}
		if ok {
			found = f
		}
	}
	return found, nil
}

// containerMagic begins the files in which a Kudu server keeps what it knows of itself.
const containerMagic = "kuducntr"

// tabletServer tells whether dir looks like one of a Kudu tablet server's, or holds such a one. The files in it are none
// to be read one by one: a column is one of them, or a part of one, and its name is a number.
func tabletServer(dir string) bool {
	if ofTabletServer(dir) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false // walking it will tell
	}
	for _, e := range entries {
		if e.IsDir() && ofTabletServer(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}

// ofTabletServer knows the directory by the instance file that Kudu leaves in each of a server's, and the one of tablets'
// metadata and logs by what else is in it.
func ofTabletServer(dir string) bool {
	for _, name := range []string{"tablet-meta", "wals"} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.IsDir() {
			return true
		}
	}
	for _, name := range []string{"instance", "block_manager_instance"} {
		if beginsWith(filepath.Join(dir, name), containerMagic) {
			return true
		}
	}
	return false
}

// beginsWith tells whether there is a regular file that begins with magic.
func beginsWith(path, magic string) bool {
	fi, err := os.Stat(path) // not opened before it is known to be no pipe
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == magic
}
