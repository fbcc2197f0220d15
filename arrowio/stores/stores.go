package stores

import (
	"context"
	"errors"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/hdfsstore"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/s3store"
)

// What a store may say of a file beyond fs.ErrNotExist, fs.ErrPermission and fs.ErrExist; errors.Is finds it.
var (
	// ErrChanged: the file is not the one any more that was opened; nothing of it was mixed with what is there now.
	ErrChanged = remote.ErrChanged
	// ErrUnavailable: the store did not do what was asked, though it was asked several times.
	ErrUnavailable = remote.ErrUnavailable
	// ErrIsDirectory: bytes were asked for where a directory is.
	ErrIsDirectory = remote.ErrIsDirectory
)

// Stores reaches files wherever they are. It keeps connections, so that one serves a whole program. Its methods may be
// called concurrently. Errors of the system's kind (not found, no permission, see the variables above) are, or wrap,
// an *fs.PathError with the path as it was given.
type Stores struct {
	s3   *s3store.Client
	hdfs *hdfsstore.Client
}

// New returns stores; nobody is asked for anything yet.
func New(o Options) *Stores {
	return &Stores{s3: s3store.New(o.S3.client()), hdfs: hdfsstore.New(o.HDFS.client())}
}

var shared = sync.OnceValue(func() *Stores { return New(FromEnvironment()) })

// Shared returns stores as the environment has them, which are never closed: for who has none of their own.
func Shared() *Stores { return shared() }

// Stop ends the reads that are under way, and all that come: what has no context of its own ends with it. Outputs can
// still be given up.
func (s *Stores) Stop() {
	s.s3.Stop()
	s.hdfs.Stop()
}

// Close lets go of all connections. What was opened must be closed before.
func (s *Stores) Close() error { return errors.Join(s.s3.Close(), s.hdfs.Close()) }

// place is a kind of store.
type place interface {
	Stat(ctx context.Context, path string) (arrowio.TreeEntry, error)
	Tree(path string) (arrowio.Tree, error)
	Create(ctx context.Context, path string, o local.FileStoreOptions) (arrowio.Store, error)
	source(ctx context.Context, path string) (arrowio.OpenSource, error)
}

type s3Place struct{ *s3store.Client }

func (p s3Place) source(ctx context.Context, path string) (arrowio.OpenSource, error) {
	src, err := p.Open(ctx, path)
	if err != nil {
		return nil, err // not a pointer that is nil
	}
	return src, nil
}

type hdfsPlace struct{ *hdfsstore.Client }

func (p hdfsPlace) source(ctx context.Context, path string) (arrowio.OpenSource, error) {
	src, err := p.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func (s *Stores) place(path string) (place, string, error) {
	switch scheme := Scheme(path); scheme {
	case "":
		return localPlace{}, path, nil
	case "file":
		path, err := filePath(path)
		return localPlace{}, path, err
	case "s3", "s3a":
		return s3Place{s.s3}, path, nil
	case "hdfs":
		return hdfsPlace{s.hdfs}, path, nil
	default:
		return nil, "", errs.Errorf(errs.ErrOption, "there is no store %s://, only s3:// (s3a://) and hdfs://, and file:// for this machine", scheme)
	}
}

// Stat returns what is at a path. In S3 a URL that ends in a slash is a directory, and another an object, if there is
// one, or else a directory.
func (s *Stores) Stat(ctx context.Context, path string) (arrowio.TreeEntry, error) {
	p, path, err := s.place(path)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	return p.Stat(ctx, path)
}

// Open opens the bytes of the file at path, which the caller closes. The error is ErrIsDirectory where a directory is.
func (s *Stores) Open(ctx context.Context, path string) (arrowio.OpenSource, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.source(ctx, path)
}

// Tree returns the directory at path. Whether there is one is not looked at.
func (s *Stores) Tree(path string) (arrowio.Tree, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.Tree(path)
}

// Snapshot returns t, or a tree of the same directory that has been listed as a whole, where that takes fewer requests.
// It shows the files as they are now.
func (s *Stores) Snapshot(ctx context.Context, t arrowio.Tree) (arrowio.Tree, error) {
	far, ok := t.(interface {
		Snapshot(ctx context.Context) (arrowio.Tree, error)
	})
	if !ok {
		return t, nil
	}
	snap, err := far.Snapshot(ctx)
	if err != nil || snap == nil {
		return t, err
	}
	return snap, nil
}

// Create opens a transaction that will put an output at path: see local.NewFileStore, whose rules about what is there
// already hold everywhere. A path that ends in a slash is a directory. What a store cannot do at once is in docs/stores.md.
func (s *Stores) Create(ctx context.Context, path string, o local.FileStoreOptions) (arrowio.Store, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.Create(ctx, path, o)
}
