package flight

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/writers"
)

// A dataset that is put to a store is a directory of files there, as it is on this machine:
//
//	s3://bucket/staging/prices/part-00000.orc                 created: one object, which is there when its upload is completed
//	s3://bucket/staging/prices/part-00001-….orc               appended
//	hdfs://name/staging/.prices.….tmp/ -> /staging/prices/    created: renamed when it is complete
//
// Several objects do not appear together in S3, so that each put is one there.

// remote is the scheme of Dir; "" = it is a directory of this machine.
func (w *Writable) remote() string { return stores.Scheme(w.Dir) }

func (w *Writable) stores() *stores.Stores {
	if w.Read.Stores != nil {
		return w.Read.Stores
	}
	return stores.Shared()
}

// onlyObjects reports whether there are no directories in Dir that could be renamed.
func (w *Writable) onlyObjects() bool { return strings.HasPrefix(w.remote(), "s3") }

// listTime bounds how long a list of datasets in a store may take.
const listTime = 5 * time.Minute

// remoteDatasets is Datasets of a store. Where nothing was put to yet, there may be no directory.
func (w *Writable) remoteDatasets() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	tree, err := w.stores().Tree(w.Dir)
	if err != nil {
		return nil, err
	}
	entries, err := tree.List(ctx, "")
	if errors.Is(err, fs.ErrNotExist) && w.onlyObjects() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.Dir && ValidName(e.Name) && w.has(e.Name) {
			out = append(out, e.Name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// openRemote opens the place of a dataset in a store.
func (w *Writable) openRemote(ctx context.Context, name, format string, replace bool) (arrowio.Store, Spec, error) {
	s := w.Spec(name)
	f, err := writers.Lookup(format)
	if err != nil {
		return nil, s, err
	}
	if w.onlyObjects() && f.Directory {
		return nil, s, rpcerr.Errorf(codes.Unimplemented, "%s cannot be put as %s: its files do not appear together in an object store", name, f.Name)
	}
	st, err := w.stores().Create(ctx, s.Paths[0], local.FileStoreOptions{Force: replace, Directory: true})
	switch {
	case err != nil && replace && !errors.Is(err, stores.ErrUnavailable):
		return nil, s, notReplaced(name, err)
	case err != nil:
		return nil, s, err
	case w.onlyObjects():
		st = &oneFile{Store: st}
	}
	return st, s, nil
}
