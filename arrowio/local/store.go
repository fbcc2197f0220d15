package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// sinkBuffer is the size of a sink's buffer: small enough for a sink per column, large enough that a system call
// costs nothing beside what it writes. Larger writes pass it by.
const sinkBuffer = 256 << 10

// checkObject refuses a context that has ended, and names that would lead out of the output or that no directory could hold.
func checkObject(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		return errs.Errorf(errs.ErrInternal, "%q is not a legal object name", name)
	}
	return nil
}

var errStoreDone = errors.New("the output is committed or given up already")

// streamStore writes the one object of an output to a stream.
type streamStore struct {
	w    *bufio.Writer
	name string // of the object; "" = none yet
	sink *streamSink
	done bool
}

// NewStreamStore returns a store that writes its only object to w immediately. What is written cannot be taken back: Commit
// only flushes, and Abort only stops writing. Create returns an error of kind errs.ErrOption for a second object. The store
// must be used by one goroutine at a time.
func NewStreamStore(w io.Writer) arrowio.Store {
	return &streamStore{w: bufio.NewWriterSize(w, sinkBuffer)}
}

func (s *streamStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if s.done {
		return nil, errStoreDone
	}
	if err := checkObject(ctx, name); err != nil {
		return nil, err
	}
	if s.name != "" {
		return nil, errs.Errorf(errs.ErrOption, "the output needs more than one file (%s, %s): write to a directory, or allow larger files (%w)", s.name, name, errs.Opt("row-group-bytes", ""))
	}
	s.name = name
	s.sink = &streamSink{w: s.w}
	return s.sink, nil
}

func (s *streamStore) Scratch() (arrowio.ScratchFile, error) {
	return newScratch("", "arrowio-scratch-*")
}

func (s *streamStore) Commit() error {
	if s.done {
		return errStoreDone
	}
	s.done = true
	if s.sink == nil || !s.sink.closed {
		return errs.Errorf(errs.ErrInternal, "commit of an output with no finished object")
	}
	return s.sink.err
}

func (s *streamStore) Abort() error {
	s.done = true
	return nil
}

type streamSink struct {
	w      *bufio.Writer
	closed bool
	err    error
}

func (k *streamSink) Write(p []byte) (int, error) {
	if k.closed {
		return 0, fs.ErrClosed
	}
	n, err := k.w.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}

func (k *streamSink) Close() error {
	if !k.closed {
		k.closed = true
		if err := k.w.Flush(); err != nil {
			k.err = err
		}
	}
	return k.err
}

// MemStore keeps objects in memory. Its methods may be called concurrently; a sink must be used by one goroutine at a time.
type MemStore struct {
	mu      sync.Mutex
	sinks   map[string]*memSink
	objects map[string][]byte
	done    bool
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore { return &MemStore{sinks: map[string]*memSink{}} }

// Objects returns the committed objects by name; it returns nil before Commit.
func (s *MemStore) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.objects)
}

// Create implements arrowio.Store.
func (s *MemStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := checkObject(ctx, name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil, errStoreDone
	}
	if s.sinks[name] != nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	k := &memSink{}
	s.sinks[name] = k
	return k, nil
}

// Scratch implements arrowio.Store.
func (s *MemStore) Scratch() (arrowio.ScratchFile, error) { return newScratch("", "arrowio-scratch-*") }

// Commit implements arrowio.Store.
func (s *MemStore) Commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return errStoreDone
	}
	objects := make(map[string][]byte, len(s.sinks))
	for name, k := range s.sinks {
		if !k.closed {
			return errs.Errorf(errs.ErrInternal, "commit before %s is closed", name)
		}
		objects[name] = k.buf.Bytes()
	}
	s.objects, s.done = objects, true
	return nil
}

// Abort implements arrowio.Store.
func (s *MemStore) Abort() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.sinks = true, nil
	return nil
}

type memSink struct {
	buf    bytes.Buffer
	closed bool
}

func (k *memSink) Write(p []byte) (int, error) {
	if k.closed {
		return 0, fs.ErrClosed
	}
	return k.buf.Write(p)
}

func (k *memSink) Close() error {
	k.closed = true
	return nil
}
