package s3store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// store is an output: one object at a key, or several below it as a directory. The parts of an object are uploaded as they
// are written; the store keeps them to itself until the upload is completed, which is what Commit does.
//
//	out.parquet                  one object: uploaded to this key
//	out/part-00000.trv, …        several: the second and later ones to their keys below it. The first went to out when
//	                             nobody knew of a second; once completed, the store itself copies it to its place
type store struct {
	c *Client
	s *session
	l location // of the output, no slash at its end
	o local.FileStoreOptions

	ctx    context.Context // of uploads, which ends with Abort
	cancel context.CancelFunc
	slots  chan struct{} // parts that are being uploaded at once

	mu    sync.Mutex
	sinks []*sink
	done  bool
}

const (
	uploadsAtOnce = 4
	abortTime     = 30 * time.Second
	commitTime    = 10 * time.Minute
)

var errStoreDone = errors.New("the output is committed or given up already")

// Create opens a transaction that will put one object at url, or several, or with o.Directory any number, below it.
// Nothing is visible before Commit. If something is there, the error is fs.ErrExist, here and at Commit, unless o.Force,
// which replaces an object by an object, and a directory by a directory if all it holds looks like an output of this module. Objects
// below url are a directory, and one of their names that ends in a slash is, too: what is of the other kind is local.ErrOtherKind.
//
// Commit makes one object visible at once. Several become visible one after the other, a schema.json last; if it fails in
// between, the error says so and what was completed is removed again, unless it has replaced something.
func (c *Client) Create(ctx context.Context, url string, o local.FileStoreOptions) (arrowio.Store, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(l.key, "/") {
		o.Directory = true
		l.key = strings.TrimRight(l.key, "/")
	}
	if l.key == "" {
		return nil, errs.Errorf(errs.ErrOption, "%s is a whole bucket: name a key for the output", url)
	}
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	st := &store{c: c, s: s, l: l, o: o, slots: make(chan struct{}, uploadsAtOnce)}
	if _, err := st.present(ctx, o.Directory); err != nil {
		return nil, err
	}
	st.ctx, st.cancel = context.WithCancel(context.Background())
	return st, nil
}

// Remove removes the object at url. It is no error if there is none.
func (c *Client) Remove(ctx context.Context, url string) error {
	l, err := parse(url)
	if err != nil {
		return err
	}
	s, err := c.session(ctx)
	if err != nil {
		return err
	}
	if err := s.api.RemoveObject(ctx, l.bucket, l.key, minio.RemoveObjectOptions{}); err != nil {
		return s.fail("remove", l.String(), err)
	}
	return nil
}

// old is what is at the output's place.
type old struct {
	etag string            // of an object at the key; "" = there is none
	keys map[string]string // of objects below it, with their etags
}

// present returns what is there now, or why that must stay. directory tells what the output is.
func (st *store) present(ctx context.Context, directory bool) (old, error) {
	was := old{keys: map[string]string{}}
	i, err := st.s.api.StatObject(ctx, st.l.bucket, st.l.key, minio.StatObjectOptions{})
	if err == nil {
		was.etag = i.ETag
	} else if err := st.s.fail("create", st.l.String(), err); !errors.Is(err, fs.ErrNotExist) {
		return was, err
	}
	var names []string
	for o := range st.s.list(ctx, st.l.bucket, minio.ListObjectsOptions{Prefix: st.l.prefix(), Recursive: true}) {
		if o.Err != nil {
			return was, st.s.fail("create", st.l.String(), o.Err)
		}
		was.keys[o.Key] = o.ETag
		names = append(names, strings.TrimPrefix(o.Key, st.l.prefix()))
		if !st.o.Force || !directory {
			break
		}
	}
	f := local.FileStoreOptions{Force: st.o.Force, Directory: directory}
	if was.etag != "" {
		if err := f.CheckExisting(st.l.String(), false); err != nil {
			return was, err
		}
	}
	if len(was.keys) > 0 {
		if err := f.CheckExisting(st.l.String(), true); err != nil {
			return was, err
		}
	}
	if _, err := local.OutputNames(entriesOf(names), false); err != nil {
		return was, errs.Locate(err, errs.At{File: st.l.String()})
	}
	return was, nil
}

// entriesOf lists the directories of a tree of objects with these names, for local.OutputNames. The empty name, and those
// that end in a slash, are of objects that stand for a directory.
func entriesOf(names []string) func(dir string) ([]arrowio.TreeEntry, error) {
	tree := map[string][]arrowio.TreeEntry{}
	seen := map[string]bool{}
	for _, n := range names {
		for start := 0; start < len(n); {
			name, _, dir := strings.Cut(n[start:], "/")
			end := start + len(name)
			if !seen[n[:end]] {
				seen[n[:end]] = true
				below := strings.TrimSuffix(n[:start], "/")
				tree[below] = append(tree[below], arrowio.TreeEntry{Name: name, Dir: dir})
			}
			start = end + 1
		}
	}
	return func(dir string) ([]arrowio.TreeEntry, error) { return tree[dir], nil }
}

func (st *store) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if name == "." || !fs.ValidPath(name) {
		return nil, errs.Errorf(errs.ErrInternal, "%q is not a legal object name", name)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.done {
		return nil, errStoreDone
	}
	key := st.l.prefix() + name
	for _, k := range st.sinks {
		if k.name == name {
			return nil, &fs.PathError{Op: "create", Path: st.l.with(key), Err: fs.ErrExist}
		}
	}
	if len(st.sinks) == 1 && !st.o.Directory { // it will be a directory
		if _, err := st.present(ctx, true); err != nil {
			return nil, err
		}
	}
	k := st.newSink(ctx, name, key)
	if len(st.sinks) == 0 && !st.o.Directory {
		k.key = st.l.key
	}
	st.sinks = append(st.sinks, k)
	return k, nil
}

// newSink returns a sink whose uploads end with ctx.
func (st *store) newSink(ctx context.Context, name, key string) *sink {
	k := &sink{st: st, name: name, key: key, final: key, size: st.c.o.PartBytes}
	k.ctx, k.cancel = context.WithCancel(st.ctx)
	k.unhook = context.AfterFunc(ctx, k.cancel)
	return k
}

// Scratch opens a file on this machine.
func (st *store) Scratch() (arrowio.ScratchFile, error) { return newScratch() }

func newScratch() (arrowio.ScratchFile, error) { return local.NewMemStore().Scratch() }

func (st *store) Commit() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.done {
		return errStoreDone
	}
	for _, k := range st.sinks {
		if k.err != nil {
			return k.err
		}
		if !k.closed {
			return errs.Errorf(errs.ErrInternal, "commit before %s is closed", k.name)
		}
	}
	if len(st.sinks) == 0 && !st.o.Directory {
		return errs.Errorf(errs.ErrInternal, "commit of an output with no object")
	}
	ctx, cancel := context.WithTimeout(st.ctx, commitTime)
	defer cancel()
	was, err := st.present(ctx, st.o.Directory || len(st.sinks) != 1)
	if err != nil {
		return err
	}
	if err := st.publish(ctx, was); err != nil {
		return err
	}
	st.done = true
	defer st.cancel()
	return st.removeOld(ctx, was)
}

// publish completes the uploads, in the order in which they were begun, a schema.json last: who finds that finds the rest.
func (st *store) publish(ctx context.Context, was old) error {
	if len(st.sinks) == 1 && !st.o.Directory {
		st.sinks[0].final = st.sinks[0].key
	}
	if len(st.sinks) == 0 { // an empty directory
		k := st.newSink(ctx, "", st.l.prefix())
		if err := k.Close(); err != nil {
			return err
		}
		st.sinks = append(st.sinks, k)
	}
	order := make([]*sink, 0, len(st.sinks))
	var last []*sink
	for _, k := range st.sinks {
		if k.name == "schema.json" {
			last = append(last, k)
		} else {
			order = append(order, k)
		}
	}
	order = append(order, last...)
	for i, k := range order {
		err := k.complete(ctx, was)
		if err == nil && k.key != k.final {
			err = k.move(ctx)
		}
		if err != nil {
			return st.takeBack(ctx, order[:i+1], was, err)
		}
	}
	return nil
}

// takeBack removes what was completed before err, where nothing was there before.
func (st *store) takeBack(ctx context.Context, sinks []*sink, was old, err error) error {
	var left []string
	for _, k := range sinks {
		for _, key := range k.visible {
			if was.had(st.l, key) || st.s.api.RemoveObject(ctx, st.l.bucket, key, minio.RemoveObjectOptions{}) != nil {
				left = append(left, st.l.with(key))
			}
		}
		k.visible = nil
	}
	if len(left) > 0 {
		st.done = true // there is nothing to give up any more
		return fmt.Errorf("the output is not complete, and %s of it are there: %w", strings.Join(left, ", "), err)
	}
	return err
}

func (o old) had(l location, key string) bool {
	_, below := o.keys[key]
	return below || key == l.key && o.etag != ""
}

// removeOld removes what the output replaces and has not overwritten.
func (st *store) removeOld(ctx context.Context, was old) error {
	kept := map[string]bool{}
	for _, k := range st.sinks {
		kept[k.final] = true
	}
	for key := range was.keys {
		if kept[key] {
			continue
		}
		if err := st.s.api.RemoveObject(ctx, st.l.bucket, key, minio.RemoveObjectOptions{}); err != nil {
			return fmt.Errorf("%s is complete, but a part of what it replaced is left: %w", st.l, st.s.fail("remove", st.l.with(key), err))
		}
	}
	return nil
}

func (st *store) Abort() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.done {
		return nil
	}
	st.done = true
	st.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), abortTime)
	defer cancel()
	var all []error
	for _, k := range st.sinks {
		all = append(all, k.abort(ctx))
	}
	return errors.Join(all...)
}
