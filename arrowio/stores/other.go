package stores

import (
	"context"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// Place is a store that the program brings itself: see Options.Others. It is only read. The paths of its methods are URLs, whose
// parts are separated by slashes, and errors are or wrap an *fs.PathError with the URL: of fs.ErrNotExist where nothing is there,
// of ErrIsDirectory where Open is given a directory. The methods may be called concurrently.
type Place interface {
	// Stat returns what is at url.
	Stat(ctx context.Context, url string) (arrowio.TreeEntry, error)
	// Open opens the file at url.
	Open(ctx context.Context, url string) (arrowio.OpenSource, error)
	// Tree returns the directory at url, which need not exist.
	Tree(url string) (arrowio.Tree, error)
}

// otherPlace is a Place among the others.
type otherPlace struct{ Place }

func (p otherPlace) source(ctx context.Context, path string) (arrowio.OpenSource, error) {
	return p.Open(ctx, path)
}

func readOnly(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: errs.Errorf(errs.ErrUnsupported, "%s:// is only read: write to this machine or to s3:// or hdfs://, and copy the output", Scheme(path))}
}

func (otherPlace) Create(_ context.Context, path string, _ local.FileStoreOptions) (arrowio.Store, error) {
	return nil, readOnly("create", path)
}

func (otherPlace) Remove(_ context.Context, path string) error { return readOnly("remove", path) }

func (otherPlace) MakeDirectory(_ context.Context, path string) error {
	return readOnly("mkdir", path)
}

func (otherPlace) CreateNew(_ context.Context, path string, _ []byte) error {
	return readOnly("create", path)
}

func (otherPlace) CanCreateNew(_ context.Context, path string) error {
	return readOnly("create", path)
}
