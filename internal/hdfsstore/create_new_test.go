package hdfsstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colinmarc/hdfs/v2"

	"github.com/arrowio/arrowio/internal/remote"
)

// TestCreateNew has several create one file: one of them does, and nothing is left of the others.
func TestCreateNew(t *testing.T) {
	f := newFake()
	f.put("/d/other", nil)
	c := newClient(t, f)
	var made atomic.Int32
	var won atomic.Value
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint("content ", i)
			switch err := c.CreateNew(t.Context(), root+"/d/x", []byte(text)); {
			case err == nil:
				made.Add(1)
				won.Store(text)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := string(f.nodes["/d/x"].b); made.Load() != 1 || got != won.Load() {
		t.Errorf("made %d times: %q, not %v", made.Load(), got, won.Load())
	}
	if names := f.names(); names != "/d/other /d/x" {
		t.Error(names)
	}
	if err := c.CreateNew(t.Context(), root+"/none/x", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Answers of the namenode get lost: what was done is found out, or nobody knows.
func TestCreateNewLost(t *testing.T) {
	for _, x := range []struct {
		name  string
		fault func(op, path string, times int) error // of the renaming, and what follows
		is    error
		made  bool
	}{
		{"before it was obeyed", func(op, _ string, times int) error {
			if op == "renamenew" && times == 1 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}, nil, true},
		{"after it was obeyed", func(op, _ string, _ int) error {
			if op == "renamed" {
				return io.ErrUnexpectedEOF
			}
			return nil
		}, nil, true},
		{"and nobody answers any more", func(op, path string, _ int) error {
			if op == "renamed" || op == "stat" {
				return io.ErrUnexpectedEOF
			}
			return nil
		}, remote.ErrUnavailable, true},
		{"never", func(op, _ string, _ int) error {
			if op == "renamenew" {
				return io.ErrUnexpectedEOF
			}
			return nil
		}, remote.ErrUnavailable, false},
	} {
		f := newFake()
		f.put("/d/other", nil)
		c := newClient(t, f)
		times := 0
		f.fault = func(op, path string) error {
			if op == "renamenew" {
				times++
			}
			return x.fault(op, path, times)
		}
		err := c.CreateNew(t.Context(), root+"/d/x", []byte("text"))
		if x.is == nil && err != nil || !errors.Is(err, x.is) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", x.name, err)
		}
		if made := f.nodes["/d/x"] != nil; made != x.made || strings.Contains(f.names(), ".tmp") {
			t.Errorf("%s: %s", x.name, f.names())
		}
		f.fault = nil
	}
}

// Who is stopped while the namenode is asked does not know what it does.
func TestCreateNewCancelled(t *testing.T) {
	f := newFake()
	f.put("/d/other", nil)
	c := newClient(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	f.fault = func(op, _ string) error {
		if op == "renamed" {
			cancel()
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	if err := c.CreateNew(ctx, root+"/d/x", []byte("text")); !errors.Is(err, remote.ErrUnavailable) {
		t.Error(err)
	}
	f.fault = nil
}

// TestCallerOf: the library's client has the connection that RenameNew needs.
func TestCallerOf(t *testing.T) {
	if callerOf(&hdfs.Client{}) == nil {
		t.Error("RenameNew does not find the connection of the library's client")
	}
}

// Remove removes a file or an empty directory, and no directory with something in it.
func TestRemove(t *testing.T) {
	f := newFake()
	f.put("/d/x", []byte("x"))
	c := newClient(t, f)
	if err := c.Remove(t.Context(), root+"/d"); err == nil || f.nodes["/d/x"] == nil {
		t.Errorf("%v: %s", err, f.names())
	}
	for _, name := range []string{"/d/x", "/d"} {
		if err := c.Remove(t.Context(), root+name); err != nil || f.nodes[name] != nil {
			t.Errorf("%v: %s", err, f.names())
		}
	}
	if err := c.Remove(t.Context(), root+"/d"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
