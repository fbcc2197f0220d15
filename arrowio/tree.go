package arrowio

import (
	"context"
	"io"
	"time"
)

// Tree is a directory and what is below it, of a file system, an object store or the like: what formats read that are
// whole directories (Format.OpenTree). Names are slash-separated and relative to its top, which is "". All methods may be
// called concurrently. What lies there should not change meanwhile.
type Tree interface {
	// List returns what is directly in a directory, sorted by name. A directory that does not exist is fs.ErrNotExist;
	// where directories are only parts of names, one without entries does not exist.
	List(ctx context.Context, dir string) ([]TreeEntry, error)
	// Open opens the bytes of a file; the caller closes them.
	Open(ctx context.Context, name string) (OpenSource, error)
	// Path returns a name as people know it: with what leads to the top of the tree, a path or a URL.
	Path(name string) string
}

// TreeEntry is a file or a directory in a Tree.
type TreeEntry struct {
	Name    string // without that of the directory
	Dir     bool
	Size    int64     // of a file, in bytes
	ModTime time.Time // zero = not known
	// Version changes whenever the bytes of a file do, as a store tells it; "" = only size and time tell.
	Version string
}

// OpenSource is a source with an end to its use.
type OpenSource interface {
	Source
	io.Closer
}
