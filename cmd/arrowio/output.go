package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// textFormats are the formats that may be written to a terminal.
var textFormats = []string{"csv", "jsonl"}

// openStore opens the store for OUTPUT, as a directory if asked for. Nothing appears at OUTPUT before Commit of the store.
func (a *app) openStore(ctx context.Context, f arrowio.OutputFormat, out string, force, directory bool) (arrowio.Store, error) {
	if out == "-" {
		if f.Directory {
			return nil, usagef("%s is a directory of files: it cannot go to standard output", f.Name)
		}
		if _, tty := a.terminal(a.stdout); tty && !isText(f.Name) {
			return nil, usagef("%s cannot be printed on a terminal; name a file, or use a pipe", f.Name)
		}
		return local.NewStreamStore(a.stdout), nil
	}
	st, err := a.places(ctx).Create(ctx, out, local.FileStoreOptions{
		Force:     force,
		Directory: directory,
	})
	if err != nil {
		return nil, inFile(out, explainExists(err))
	}
	return &namedStore{Store: st, name: out}, nil
}

// tryToWrite checks that files can be created in the store. It leaves no file there.
func tryToWrite(ctx context.Context, st arrowio.Store) error {
	if n, ok := st.(*namedStore); ok {
		if t, ok := n.Store.(interface {
			CanWrite(ctx context.Context) error
		}); ok {
			return inFile(n.name, t.CanWrite(ctx))
		}
	}
	f, err := st.Scratch()
	if err != nil {
		return err
	}
	return f.Close()
}

func isText(format string) bool {
	for _, t := range textFormats {
		if t == format {
			return true
		}
	}
	return false
}

// explainExists adds to the error that OUTPUT exists how to replace it.
func explainExists(err error) error {
	if errors.Is(err, fs.ErrExist) && !errors.Is(err, local.ErrOtherKind) {
		return usagef("exists already; --force replaces it")
	}
	return err
}

// namedStore adds the name of OUTPUT to errors of a store. Errors of reading the input do not pass through it, so the two can
// be told apart.
type namedStore struct {
	arrowio.Store
	name  string
	files atomic.Int64 // created
}

func (s *namedStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	k, err := s.Store.Create(ctx, name)
	if err != nil {
		return nil, inFile(s.name, err)
	}
	s.files.Add(1)
	return &namedSink{Sink: k, name: s.name}, nil
}

func (s *namedStore) Scratch() (arrowio.ScratchFile, error) {
	f, err := s.Store.Scratch()
	return f, inFile(s.name, err)
}

func (s *namedStore) Commit() error { return inFile(s.name, explainExists(s.Store.Commit())) }
func (s *namedStore) Abort() error  { return inFile(s.name, s.Store.Abort()) }

type namedSink struct {
	arrowio.Sink
	name string
}

func (k *namedSink) Write(p []byte) (int, error) {
	n, err := k.Sink.Write(p)
	return n, inFile(k.name, err)
}

// Unwrap returns the store's own sink.
func (k *namedSink) Unwrap() arrowio.Sink { return k.Sink }

func (k *namedSink) Close() error { return inFile(k.name, k.Sink.Close()) }

var _ io.Writer = (*namedSink)(nil)
