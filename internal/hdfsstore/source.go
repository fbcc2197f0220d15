package hdfsstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/colinmarc/hdfs/v2"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/remote"
)

const (
	stepBytes   = 1 << 20  // between looks at the context
	skipBytes   = 64 << 10 // a reader that is so little before what is wanted reads on to there
	idleReaders = 4        // of one file; each holds a connection to a datanode
)

func entryOf(fi os.FileInfo) arrowio.TreeEntry {
	e := arrowio.TreeEntry{Name: fi.Name(), Dir: fi.IsDir()}
	e.ModTime = fi.ModTime()
	if !e.Dir {
		e.Size = fi.Size()
		e.Version = identityOf(fi).String()
	}
	return e
}

// identity tells one file from what takes its place, and from itself once it is written to.
type identity struct {
	id       uint64 // of the inode; never used again
	size     int64
	modified int64 // milliseconds
}

func identityOf(fi os.FileInfo) identity {
	i := identity{size: fi.Size(), modified: fi.ModTime().UnixMilli()}
	if s, ok := fi.Sys().(*hdfs.FileStatus); ok {
		i.id = s.GetFileId()
	}
	return i
}

func (i identity) String() string {
	return fmt.Sprintf("%d of %d bytes at %d", i.id, i.size, i.modified)
}

// file is one that is open.
type file struct {
	c  *cluster
	l  location
	is identity

	mu     sync.Mutex
	idle   []*cursor
	closed bool
}

// cursor is a reader of the library, and where it is.
type cursor struct {
	reader
	at    int64
	fresh bool // nothing was read yet
}

// Open opens the file at a URL. Where a directory is the error is remote.ErrIsDirectory. What is read later must still be
// of the same file, as it is now.
func (c *Client) Open(ctx context.Context, url string) (*remote.Source, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	f := &file{c: c.cluster(l.authority), l: l}
	err = f.c.do(ctx, "open", url, func(ns namesystem) error {
		r, err := ns.Open(l.path)
		if err != nil {
			return err
		}
		if r.Stat().IsDir() {
			return errors.Join(remote.ErrIsDirectory, r.Close())
		}
		f.is = identityOf(r.Stat())
		f.idle = []*cursor{{reader: r, fresh: true}}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return remote.NewSource(c.host, remote.File{Name: url, Size: f.is.size, Fetch: f.fetch, Identity: f.identity, Close: f.close}), nil
}

// identity looks at the path again.
func (f *file) identity(ctx context.Context) (string, error) {
	var is identity
	err := f.c.do(ctx, "open", f.l.String(), func(ns namesystem) error {
		fi, err := ns.Stat(f.l.path)
		if err == nil {
			is = identityOf(fi)
		}
		return err
	})
	return is.String(), err
}

func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	var errs []error
	for _, c := range f.idle {
		errs = append(errs, c.Close())
	}
	f.idle = nil
	return errors.Join(errs...)
}

// cursor returns a reader for the bytes at off: one that is just there, or at least one that is connected to somebody.
func (f *file) cursor(off int64) (*cursor, error) {
	f.mu.Lock()
	best := -1
	for i, c := range f.idle {
		if off >= c.at && off-c.at <= skipBytes && (best < 0 || f.idle[best].at < c.at) {
			best = i
		}
	}
	if best < 0 && len(f.idle) > 0 && (len(f.idle) == idleReaders || f.idle[0].fresh) {
		best = 0 // the one that was used longest ago
	}
	if best >= 0 {
		c := f.idle[best]
		f.idle = append(f.idle[:best], f.idle[best+1:]...)
		f.mu.Unlock()
		return c, nil
	}
	f.mu.Unlock()
	ns, err := f.c.connect()
	if err != nil {
		return nil, err
	}
	r, err := ns.Open(f.l.path)
	if err != nil {
		return nil, gone(err)
	}
	if identityOf(r.Stat()) != f.is {
		_ = r.Close() // nothing was read
		return nil, remote.ErrChanged
	}
	return &cursor{reader: r, fresh: true}, nil
}

// gone makes a file that is not there any more one that was replaced.
func gone(err error) error {
	if errors.Is(interpret(err), os.ErrNotExist) {
		return remote.ErrChanged
	}
	return err
}

// release keeps a reader for later.
func (f *file) release(c *cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.idle) == idleReaders {
		_ = c.Close() // what was wanted of it was read
		return
	}
	f.idle = append(f.idle, c)
}

// fetch fills dst with the bytes at off. When a read breaks off another reader goes on with what is missing.
func (f *file) fetch(ctx context.Context, dst []byte, off int64) error {
	done := 0
	attempts, err := f.c.o.Retry.Retry(ctx, func() (int64, bool, error) {
		n, err := f.part(ctx, dst[done:], off+int64(done))
		done += n
		return int64(n), isTransient(err), err
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	why := classify(err)
	why.Off, why.Attempts = off+int64(done), attempts
	return remote.Wrap("read", f.l.String(), why)
}

// part reads as much of dst as one reader gives.
func (f *file) part(ctx context.Context, dst []byte, off int64) (n int, err error) {
	c, err := f.cursor(off)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = c.Close() // the error of reading tells more
			return
		}
		f.release(c)
	}()
	if err := c.move(off); err != nil {
		return 0, gone(err)
	}
	for n < len(dst) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		step := dst[n:min(len(dst), n+stepBytes)]
		k, err := io.ReadFull(c, step)
		n, c.at = n+k, c.at+int64(k)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if c.at < f.is.size {
				return n, fmt.Errorf("the datanode broke off: %w", io.ErrUnexpectedEOF)
			}
			return n, remote.ErrChanged
		}
		if err != nil {
			return n, gone(err)
		}
		if c.fresh {
			if err := f.confirm(c); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// move goes to another place. The library connects anew for that, but for a step forward of up to 64 KiB, after which it
// does not know any more where in its block it is, and gives bytes twice when the block ends: such a step is read.
func (c *cursor) move(off int64) error {
	step := off - c.at
	if step > 0 && step <= skipBytes && !c.fresh {
		n, err := io.CopyN(io.Discard, c.reader, step)
		c.at += n
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if step != 0 {
		if _, err := c.Seek(off, io.SeekStart); err != nil {
			return err
		}
		c.at = off
	}
	return nil
}

// confirm looks at the path again after the first read, for which the reader has asked where the file's blocks are: by the
// path, under which another file might lie meanwhile.
func (f *file) confirm(c *cursor) error {
	ns, err := f.c.connect()
	if err != nil {
		return err
	}
	fi, err := ns.Stat(f.l.path)
	if err != nil {
		return gone(err)
	}
	if identityOf(fi) != f.is {
		return remote.ErrChanged
	}
	c.fresh = false
	return nil
}
