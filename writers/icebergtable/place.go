package icebergtable

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergmeta"
	"github.com/arrowio/arrowio/internal/workers"
)

// place is where files of a table are. Their names are locations as the metadata have them.
type place struct{ st *stores.Stores }

// found returns the path or URL of a location.
func found(location string) string { return iceberg.PlainPath(location) }

func (p place) read(ctx context.Context, location string, most int64) ([]byte, error) {
	src, err := p.st.Open(ctx, found(location))
	if err != nil {
		return nil, err
	}
	b, err := icebergmeta.Whole(src, most)
	return b, errs.Locate(err, errs.At{File: location})
}

// create opens a new file, which is there at the latest when the sink is closed. What is there already is fs.ErrExist.
func (p place) create(ctx context.Context, location string) (arrowio.Sink, error) {
	to := found(location)
	if name, ok := stores.Local(to); ok {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		return &localSink{f: f, w: bufio.NewWriterSize(f, sinkBuffer)}, nil
	}
	if isHDFS(to) {
		if err := p.st.MakeDirectory(ctx, dirOf(to)); err != nil {
			return nil, err
		}
	}
	st, err := p.st.Create(ctx, to, local.FileStoreOptions{})
	if err != nil {
		return nil, err
	}
	k, err := st.Create(ctx, path.Base(to))
	if err != nil {
		return nil, errors.Join(err, st.Abort())
	}
	return &remoteSink{Sink: k, st: st}, nil
}

// dirOf returns the directory of a file, whose path may be a URL.
func dirOf(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

const sinkBuffer = 1 << 20

// localSink writes a file of this machine.
type localSink struct {
	f *os.File
	w *bufio.Writer
}

func (k *localSink) Write(b []byte) (int, error) { return k.w.Write(b) }

// Close finishes the file; makeDurable makes it durable.
func (k *localSink) Close() error {
	if k.f == nil {
		return nil
	}
	err := errors.Join(k.w.Flush(), k.f.Close())
	k.f = nil
	return err
}

// syncs is how many files are made durable at the same time: the system does many about as fast as one.
const syncs = 16

// makeDurable makes files of this machine, and their directories, durable.
func makeDurable(ctx context.Context, locations []string) error {
	var names []string
	dirs := map[string]bool{}
	for _, l := range locations {
		if isLocal(l) {
			names = append(names, found(l))
			dirs[filepath.Dir(found(l))] = true
		}
	}
	err := workers.Each(syncs, len(names), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := os.OpenFile(names[i], os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
	for dir := range dirs {
		syncDir(dir)
	}
	return err
}

// syncDir makes the names in a directory durable, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // some systems cannot
		_ = d.Close()
	}
}

// remoteSink writes an object of a store.
type remoteSink struct {
	arrowio.Sink
	st     arrowio.Store
	closed bool
}

// Close makes the object visible, unless it was not written whole.
func (k *remoteSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	err := k.Sink.Close()
	if err == nil {
		err = k.st.Commit()
	}
	if err != nil {
		err = errors.Join(err, k.st.Abort())
	}
	return err
}

func (p place) write(ctx context.Context, location string, b []byte) error {
	k, err := p.create(ctx, location)
	if err != nil {
		return err
	}
	_, err = k.Write(b)
	return errors.Join(err, k.Close())
}

// remove removes a file, or does nothing where there is none.
func (p place) remove(ctx context.Context, location string) error {
	err := p.st.Remove(ctx, found(location))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isLocal reports whether a location is on this machine.
func isLocal(location string) bool {
	_, ok := stores.Local(found(location))
	return ok && !strings.Contains(found(location), "://")
}
