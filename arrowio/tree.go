package arrowio

import (
	"context"
	"io"
	"time"
)

// Tree is a directory of a file system or an object store, with everything below it. Formats that are whole directories read one
// (Format.OpenTree). Names are separated by slashes and relative to the top of the tree, which is "". All methods may be called
// concurrently. The files should not change while the tree is in use.
type Tree interface {
	// List returns the entries of a directory, sorted by name, without those of directories in it. A directory that does not
	// exist is fs.ErrNotExist. In an object store, where directories are only parts of names, an empty directory does not exist.
	List(ctx context.Context, dir string) ([]TreeEntry, error)
	// Open opens a file. The caller closes it.
	Open(ctx context.Context, name string) (OpenSource, error)
	// Path returns the full path or URL of a name, for messages.
	Path(name string) string
}

// TreeEntry is a file or a directory in a Tree.
type TreeEntry struct {
	Name    string // the last element of the name
	Dir     bool
	Size    int64     // of a file, in bytes
	ModTime time.Time // zero = not known
	// Version is the store's own mark of a file's content, which changes whenever the content changes; "" = the store has none,
	// and only Size and ModTime show changes.
	Version string
}

// OpenSource is a Source that its owner closes.
type OpenSource interface {
	Source
	io.Closer
}
