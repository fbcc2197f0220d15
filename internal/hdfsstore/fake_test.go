package hdfsstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/arrowio/arrowio/internal/remote"
)

// fake is a namesystem in memory.
type fake struct {
	mu     sync.Mutex
	nodes  map[string]*node // by path
	next   uint64
	open   int // readers and writers
	opened int // readers, ever
	fault  func(op, path string) error
	broken int // reads that break off
}

// node is a file, or a directory.
type node struct {
	id    uint64
	b     []byte
	dir   bool
	at    time.Time
	taken bool  // somebody writes it
	block int64 // bytes of its blocks
}

func newFake() *fake {
	return &fake{nodes: map[string]*node{"/": {id: 1, dir: true}}, next: 2}
}

// newClient returns a client of one cluster.
func newClient(t *testing.T, f *fake) *Client {
	t.Helper()
	c := New(Options{Retry: remote.Policy{Attempts: 4, Wait: time.Millisecond, MaxWait: time.Millisecond}})
	c.dial = func(authority string) (namesystem, error) {
		if authority != "nn:9000" {
			return nil, errors.New("connection refused")
		}
		return f, nil
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if f.open != 0 {
			t.Errorf("%d files are open", f.open)
		}
	})
	return c
}

func (f *fake) put(name string, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for dir := path.Dir(name); f.nodes[dir] == nil; dir = path.Dir(dir) {
		f.nodes[dir] = &node{id: f.next, dir: true}
		f.next++
	}
	f.nodes[name] = &node{id: f.next, b: b, at: time.UnixMilli(int64(f.next))}
	f.next++
}

func (f *fake) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for n, x := range f.nodes {
		if !x.dir {
			out = append(out, n)
		} else if strings.Contains(n, "/.") {
			out = append(out, n+"/")
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// begin counts an operation in, and has it fail if it is to.
func (f *fake) begin(op, name string) error {
	if f.fault != nil {
		return f.fault(op, name)
	}
	return nil
}

func notExist(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (f *fake) Stat(name string) (os.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("stat", name); err != nil {
		return nil, err
	}
	n := f.nodes[name]
	if n == nil {
		return nil, notExist("stat", name)
	}
	return info{path.Base(name), n, int64(len(n.b))}, nil
}

type info struct {
	name string
	*node
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.dir }
func (i info) ModTime() time.Time { return i.at }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir
	}
	return 0
}

func (f *fake) ReadDir(name string) ([]os.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("list", name); err != nil {
		return nil, err
	}
	if n := f.nodes[name]; n == nil || !n.dir {
		return nil, notExist("list", name)
	}
	var out []os.FileInfo
	for p, n := range f.nodes {
		if p != "/" && path.Dir(p) == name {
			out = append(out, info{path.Base(p), n, int64(len(n.b))})
		}
	}
	return out, nil
}

// fakeReader reads what the path was when it read first, as the library does.
type fakeReader struct {
	f    *fake
	name string
	is   info
	node *node
	off  int64
	done bool
}

func (f *fake) Open(name string) (reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("open", name); err != nil {
		return nil, err
	}
	n := f.nodes[name]
	if n == nil {
		return nil, notExist("open", name)
	}
	f.open++
	f.opened++
	return &fakeReader{f: f, name: name, is: info{path.Base(name), n, int64(len(n.b))}}, nil
}

func (r *fakeReader) Stat() os.FileInfo { return r.is }

func (r *fakeReader) Read(p []byte) (int, error) {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	if err := r.f.begin("read", r.name); err != nil {
		return 0, err
	}
	if r.node == nil {
		if r.node = r.f.nodes[r.name]; r.node == nil {
			return 0, notExist("read", r.name)
		}
	}
	if r.off >= min(r.is.size, int64(len(r.node.b))) {
		return 0, io.EOF
	}
	n := copy(p, r.node.b[r.off:])
	if r.f.broken > 0 {
		r.f.broken--
		n = n / 2
		r.off += int64(n)
		return n, errors.New("connection reset")
	}
	r.off += int64(n)
	return n, nil
}

func (r *fakeReader) Seek(off int64, _ int) (int64, error) {
	r.off = off
	return off, nil
}

func (r *fakeReader) Close() error {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	if !r.done {
		r.done = true
		r.f.open--
	}
	return nil
}

type fakeWriter struct {
	f    *fake
	name string
	buf  bytes.Buffer
	done bool
}

// Blocks of the fake are small, and multiples of 8 bytes.
func (f *fake) Blocks() (size, chunk int64, err error) { return 64, 8, f.begin("blocks", "") }

func (f *fake) Create(name string, block int64) (io.WriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if block < 16 || block%8 != 0 {
		return nil, fmt.Errorf("blocks of %d bytes", block)
	}
	if err := f.begin("create", name); err != nil {
		return nil, err
	}
	if f.nodes[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if n := f.nodes[path.Dir(name)]; n == nil || !n.dir {
		return nil, notExist("create", name)
	}
	f.nodes[name] = &node{id: f.next, taken: true, block: block}
	f.next++
	f.open++
	return &fakeWriter{f: f, name: name}, nil
}

func (w *fakeWriter) Write(p []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if err := w.f.begin("write", w.name); err != nil {
		return 0, err
	}
	return w.buf.Write(p)
}

func (w *fakeWriter) Close() error {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if w.done {
		return nil
	}
	if err := w.f.begin("close", w.name); err != nil {
		return err
	}
	w.done = true
	w.f.open--
	if n := w.f.nodes[w.name]; n != nil {
		n.b, n.taken, n.at = w.buf.Bytes(), false, time.UnixMilli(int64(n.id))
	}
	return nil
}

func (f *fake) Mkdir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("mkdir", name); err != nil {
		return err
	}
	for ; f.nodes[name] == nil; name = path.Dir(name) {
		f.nodes[name] = &node{id: f.next, dir: true}
		f.next++
	}
	return nil
}

func (f *fake) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("rename", to); err != nil {
		return err
	}
	if f.nodes[from] == nil {
		return notExist("rename", from)
	}
	for p, n := range f.nodes {
		if p == from || strings.HasPrefix(p, from+"/") {
			delete(f.nodes, p)
			f.nodes[to+strings.TrimPrefix(p, from)] = n
		}
	}
	return nil
}

func (f *fake) RenameNew(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("renamenew", to); err != nil {
		return err
	}
	switch {
	case f.nodes[from] == nil:
		return notExist("rename", from)
	case f.nodes[to] != nil:
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	f.nodes[to] = f.nodes[from]
	delete(f.nodes, from)
	return f.begin("renamed", to)
}

func (f *fake) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("remove", name); err != nil {
		return err
	}
	if f.nodes[name] == nil {
		return notExist("remove", name)
	}
	for p := range f.nodes {
		if strings.HasPrefix(p, name+"/") {
			return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
		}
	}
	delete(f.nodes, name)
	return nil
}

func (f *fake) RemoveAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("remove", name); err != nil {
		return err
	}
	for p := range f.nodes {
		if p == name || strings.HasPrefix(p, name+"/") {
			delete(f.nodes, p)
		}
	}
	return nil
}

func (f *fake) Close() error { return nil }
