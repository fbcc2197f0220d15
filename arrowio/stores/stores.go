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

// Errors of stores, besides fs.ErrNotExist, fs.ErrPermission and fs.ErrExist; errors.Is finds them.
var (
	// ErrChanged: the file has changed since it was opened. No bytes of the new file were returned.
	ErrChanged = remote.ErrChanged
	// ErrUnavailable: the store did not answer or could not process the request, also after several attempts.
	ErrUnavailable = remote.ErrUnavailable
	// ErrIsDirectory: the path of a file was needed, and it is that of a directory.
	ErrIsDirectory = remote.ErrIsDirectory
)

// Stores opens files in all stores. It keeps connections, so one is enough for a program. Its methods may be called
// concurrently. Errors about a path (it does not exist, access is denied, the variables above) are or wrap an *fs.PathError
// with the path as the caller passed it.
type Stores struct {
	s3     *s3store.Client
	hdfs   *hdfsstore.Client
	others map[string]Place
	lent   loans
}

// New returns stores. It does not connect to any.
func New(o Options) *Stores {
	return &Stores{s3: s3store.New(o.S3.client()), hdfs: hdfsstore.New(o.HDFS.client()), others: o.Others, lent: loans{o: o.S3}}
}

var shared = sync.OnceValue(func() *Stores { return New(FromEnvironment()) })

// Shared returns stores with the options of FromEnvironment, which are never closed. Use it where no Stores was given.
func Shared() *Stores { return shared() }

// Stop cancels all reads that are in progress, and all later ones, also those without a context; those of Options.Others go on.
// Outputs can still be aborted.
func (s *Stores) Stop() {
	s.s3.Stop()
	s.lent.each((*s3store.Client).Stop)
	s.hdfs.Stop()
}

// Close closes all connections. Close everything that was opened before.
func (s *Stores) Close() error {
	all := []error{s.s3.Close(), s.hdfs.Close()}
	s.lent.each(func(c *s3store.Client) { all = append(all, c.Close()) })
	return errors.Join(all...)
}

// place is a kind of store.
type place interface {
	Stat(ctx context.Context, path string) (arrowio.TreeEntry, error)
	Tree(path string) (arrowio.Tree, error)
	Create(ctx context.Context, path string, o local.FileStoreOptions) (arrowio.Store, error)
	Remove(ctx context.Context, path string) error
	MakeDirectory(ctx context.Context, path string) error
	CreateNew(ctx context.Context, path string, content []byte) error
	CanCreateNew(ctx context.Context, path string) error
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

// MakeDirectory does nothing: there are no directories.
func (s3Place) MakeDirectory(context.Context, string) error { return nil }

type hdfsPlace struct{ *hdfsstore.Client }

func (p hdfsPlace) source(ctx context.Context, path string) (arrowio.OpenSource, error) {
	src, err := p.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return src, nil
}

// CanCreateNew implements place: all namenodes can.
func (hdfsPlace) CanCreateNew(context.Context, string) error { return nil }

func (s *Stores) place(path string) (place, string, error) {
	scheme := Scheme(path)
	switch scheme {
	case "":
		return localPlace{}, path, nil
	case "file":
		path, err := filePath(path)
		return localPlace{}, path, err
	}
	if p, ok := s.others[scheme]; ok {
		return otherPlace{p}, path, nil
	}
	switch scheme {
	case "s3", "s3a":
		if c := s.lent.of(path); c != nil {
			return s3Place{c}, path, nil
		}
		return s3Place{s.s3}, path, nil
	case "hdfs":
		return hdfsPlace{s.hdfs}, path, nil
	default:
		return nil, "", errs.Errorf(errs.ErrOption, "there is no store %s://, only s3:// (s3a://) and hdfs://, and file:// for this machine", scheme)
	}
}

// Stat returns what is at path. In S3 a URL that ends in a slash is a directory; another URL is an object, or a directory if
// there is no such object.
func (s *Stores) Stat(ctx context.Context, path string) (arrowio.TreeEntry, error) {
	p, path, err := s.place(path)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	return p.Stat(ctx, path)
}

// Open opens the file at path. The caller closes it. If path is a directory, the error is ErrIsDirectory.
func (s *Stores) Open(ctx context.Context, path string) (arrowio.OpenSource, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.source(ctx, path)
}

// Tree returns the directory at path. It does not check that the directory exists.
func (s *Stores) Tree(path string) (arrowio.Tree, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.Tree(path)
}

// Snapshot returns t, or, if that takes fewer requests, a tree of the same directory whose files were all listed by this call.
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

// Create opens a transaction that puts an output at path: see local.NewFileStore, whose rules about existing outputs hold for
// all stores. A path that ends in a slash is a directory. docs/stores.md lists what stores cannot do atomically.
func (s *Stores) Create(ctx context.Context, path string, o local.FileStoreOptions) (arrowio.Store, error) {
	p, path, err := s.place(path)
	if err != nil {
		return nil, err
	}
	return p.Create(ctx, path, o)
}

// Remove removes the file at path, or an empty directory where there are any. In S3 it is no error if there is none.
func (s *Stores) Remove(ctx context.Context, path string) error {
	p, path, err := s.place(path)
	if err != nil {
		return err
	}
	return p.Remove(ctx, path)
}

// MakeDirectory makes a directory, and those that it is in, if they do not exist. In S3, which has no directories, it does nothing.
func (s *Stores) MakeDirectory(ctx context.Context, path string) error {
	p, path, err := s.place(path)
	if err != nil {
		return err
	}
	return p.MakeDirectory(ctx, path)
}

// CreateNew makes the file at path with a content, whole and durable, if there is none: otherwise the error is fs.ErrExist, also if several
// try at the same time. It works on this machine, where the file system has hard links, in S3, where the store knows If-None-Match, and in HDFS;
// elsewhere it is errs.ErrUnsupported. ErrUnavailable = nobody knows whether the file was made.
func (s *Stores) CreateNew(ctx context.Context, path string, content []byte) error {
	p, path, err := s.place(path)
	if err != nil {
		return err
	}
	return p.CreateNew(ctx, path, content)
}

// CanCreateNew returns the error that CreateNew would return because of the store. In S3 it makes an object in the directory of path, and removes
// it, the first time for each bucket.
func (s *Stores) CanCreateNew(ctx context.Context, path string) error {
	p, path, err := s.place(path)
	if err != nil {
		return err
	}
	return p.CanCreateNew(ctx, path)
}
