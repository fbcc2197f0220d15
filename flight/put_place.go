package flight

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/readers"
)

// Writable says which datasets clients may put, and where they are stored. The Authorizer decides which clients may: PermitWrite.
type Writable struct {
	Names string          // a dataset's name, or a pattern of names for path.Match
	Dir   string          // the directory in which each dataset is a directory NAME: of this machine, or s3:// or hdfs:// of Read.Stores
	Read  readers.Options // how the datasets are opened to be served: see Spec.Read
	// Store opens the place to which a dataset is written, if that is not in Dir, and returns how to serve it from there. If the
	// dataset exists and replace is false, the error is fs.ErrExist.
	Store func(ctx context.Context, name string, replace bool) (arrowio.Store, Spec, error)
}

func (w *Writable) has(name string) bool {
	ok, err := path.Match(w.Names, name)
	return err == nil && ok
}

// Spec returns the Spec of a dataset in Dir.
func (w *Writable) Spec(name string) Spec {
	if w.remote() != "" {
		return Spec{Paths: []string{strings.TrimRight(w.Dir, "/") + "/" + name + "/"}, Read: w.Read}
	}
	return Spec{Paths: []string{filepath.Join(w.Dir, name)}, Read: w.Read}
}

// Datasets returns the names of the datasets in Dir, which clients have put, sorted.
func (w *Writable) Datasets() ([]string, error) {
	if w.remote() != "" {
		return w.remoteDatasets()
	}
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && ValidName(name) && w.has(name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Clean repairs Dir after a server was killed: it removes datasets that were not stored completely, and restores a dataset whose
// replacement was not completed. See local.RemoveLeftovers. It logs each change. Call it when a server starts, before Datasets. In a
// store, where no lock tells which servers live, it leaves all as it is.
func (w *Writable) Clean(log *slog.Logger) error {
	if w.remote() != "" {
		return nil
	}
	left, err := local.RemoveLeftovers(w.Dir, func(name string) bool { return ValidName(name) && w.has(name) })
	if err == nil {
		var more []local.Leftover
		more, err = w.removeAppended()
		left = append(left, more...)
	}
	for _, l := range left {
		what := "removed what a put that was killed has left"
		switch {
		case l.Err != nil:
			log.Warn("what a put that was killed has left stays", "dataset", l.Output, "path", l.Path, "error", l.Err.Error())
			continue
		case l.Restored:
			what = "put back a dataset that was not replaced"
		}
		log.Info(what, "dataset", l.Output, "path", l.Path)
	}
	return err
}

// Discover returns a function for Catalog.Discover that finds the datasets in all of places: see Writable.Datasets.
func Discover(places []Writable) func(context.Context) (map[string]Spec, error) {
	return func(context.Context) (map[string]Spec, error) {
		out := map[string]Spec{}
		for i := range places {
			if places[i].Dir == "" {
				continue
			}
			names, err := places[i].Datasets()
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if _, ok := out[name]; !ok {
					out[name] = places[i].Spec(name)
				}
			}
		}
		return out, nil
	}
}

func (w *Writable) open(ctx context.Context, name, format string, replace bool) (arrowio.Store, Spec, error) {
	if w.Store != nil {
		return w.Store(ctx, name, replace)
	}
	if w.remote() != "" {
		return w.openRemote(ctx, name, format, replace)
	}
	s := w.Spec(name)
	fi, err := os.Stat(s.Paths[0])
	if err == nil && replace && !fi.IsDir() {
		return nil, s, notReplaced(name, errs.Errorf(errs.ErrOption, "it is no directory"))
	}
	st, err := local.NewFileStore(s.Paths[0], local.FileStoreOptions{Force: replace, Directory: true})
	if err != nil && replace && !errors.Is(err, syscall.ENOSPC) {
		err = notReplaced(name, err)
	}
	return st, s, err
}

// notReplaced is the error of a put over what this program has not written.
func notReplaced(name string, err error) error {
	return rpcerr.Errorf(codes.FailedPrecondition, "%s cannot be replaced: %w; put under another name, or have it removed on the server", name, err)
}

func checkWritable(ws []Writable) error {
	for _, w := range ws {
		if _, err := path.Match(w.Names, ""); err != nil || w.Names == "" {
			return errs.Errorf(errs.ErrOption, "%q is no name or pattern of datasets", w.Names)
		}
		if w.Dir == "" && w.Store == nil {
			return errs.Errorf(errs.ErrOption, "%s: writable where?", w.Names)
		}
	}
	return nil
}

// puts knows the names that are being put: one stream at a time.
type puts struct {
	mu sync.Mutex
	by map[string]bool
}

// begin takes a name, until end is called.
func (p *puts) begin(name string) (end func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by[name] {
		return nil, rpcerr.Errorf(codes.Aborted, "another stream is being put as %s: try again when it has ended", name)
	}
	if p.by == nil {
		p.by = map[string]bool{}
	}
	p.by[name] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.by, name)
	}, nil
}

// place finds where a dataset goes that a client may put, and opens it. known is whether there is one already.
func (s *service) place(ctx context.Context, c *PutCommand) (st arrowio.Store, spec Spec, known bool, err error) {
	i := slices.IndexFunc(s.o.Writable, func(w Writable) bool { return w.has(c.Dataset) })
	if i < 0 && len(s.o.Writable) == 0 {
		return nil, spec, false, rpcerr.Errorf(codes.Unimplemented, "nothing can be put here: the server has no place for it")
	}
	if i < 0 {
		return nil, spec, false, rpcerr.Errorf(codes.PermissionDenied, "%s cannot be put: the server has no place for a dataset of this name", c.Dataset)
	}
	find := s.o.Catalog.sought
	if !c.appends() { // the store knows whether there is one
		find = func(_ context.Context, name string) (*served, error) { return s.o.Catalog.dataset(name) }
	}
	had, err := find(ctx, c.Dataset)
	known = err == nil
	if !known && c.Mode == PutAppend {
		return nil, spec, false, rpcerr.Errorf(codes.NotFound, "there is no dataset %q to append to", c.Dataset)
	}
	if known && c.appends() {
		if spec = s.o.Writable[i].Spec(c.Dataset); slices.Equal(had.spec.Paths, spec.Paths) {
			st, spec, err = s.appending(ctx, c, &s.o.Writable[i])
			return st, spec, true, err
		}
		return nil, spec, true, errElsewhere(c.Dataset)
	}
	if c.Format == "" {
		c.Format = defaultPutFormat
	}
	if known && c.Mode == PutCreate {
		return nil, spec, true, rpcerr.Errorf(codes.AlreadyExists, "there is a dataset %s already; mode %q would replace it", c.Dataset, PutReplace)
	}
	st, spec, err = s.o.Writable[i].open(ctx, c.Dataset, c.Format, c.Mode == PutReplace)
	if err == nil && known && !slices.Equal(had.spec.Paths, spec.Paths) {
		_ = st.Abort() // it has nothing yet
		return nil, spec, true, errElsewhere(c.Dataset)
	}
	return st, spec, known, err
}

func errElsewhere(name string) error {
	return rpcerr.Errorf(codes.FailedPrecondition, "%s is served from another place than what is put goes to", name)
}

// show serves what was put: under a new name, or in place of what the name stood for.
func (s *service) show(ctx context.Context, name string, spec Spec) error {
	if _, err := s.o.Catalog.dataset(name); err == nil {
		_, _, err := s.o.Catalog.Refresh(ctx, name)
		return err
	}
	err := s.o.Catalog.Add(ctx, name, spec)
	if _, known := s.o.Catalog.dataset(name); err != nil && known == nil { // which has been discovered meanwhile
		_, _, err = s.o.Catalog.Refresh(ctx, name)
	}
	return err
}
