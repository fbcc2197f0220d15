package readers

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/arrowio/arrowio/arrowio"
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
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, arrowio.Errorf(arrowio.ErrOption, "%s is the format of a directory, and this is a file", f.Name)
	}
	return f.OpenPath(ctx, path, arrowio.OpenOptions{Limits: o.Limits, Options: o.Options, For: o.For})
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
