package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// serving answers the questions of a new place with f, in several goroutines as callers do in threads, until it is closed.
func serving(t *testing.T, f func(q question) (text string, data []byte)) (number uint64, questions func() int) {
	t.Helper()
	number = registerPlace()
	p := placeOf(number)
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				q, ok := p.next(time.Minute)
				if !ok {
					return
				}
				mu.Lock()
				n++
				mu.Unlock()
				text, data := f(q.question)
				p.answer(q.number, text, data)
			}
		})
	}
	t.Cleanup(func() {
		closePlace(number)
		wg.Wait()
	})
	return number, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// drive answers as if mine://ROOT were a directory of this machine.
func drive(t *testing.T, root string) func(q question) (string, []byte) {
	t.Helper()
	entry := func(fi fs.FileInfo) callerEntry {
		size, at := fi.Size(), fi.ModTime().UnixNano()
		return callerEntry{Name: fi.Name(), Dir: fi.IsDir(), Size: &size, ModTime: &at}
	}
	return func(q question) (string, []byte) {
		path := filepath.Join(root, strings.TrimPrefix(q.URL, "mine://"))
		var r reply
		var data []byte
		fi, err := os.Stat(path)
		switch {
		case err != nil:
			r.Error = &callerError{Kind: "missing", Text: "gone"}
		case q.Ask == "stat":
			e := entry(fi)
			r.Entry = &e
		case q.Ask == "list":
			list, err := os.ReadDir(path)
			if err != nil {
				t.Error(err)
			}
			for _, d := range list {
				fi, err := d.Info()
				if err != nil {
					t.Error(err)
				}
				r.Entries = append(r.Entries, entry(fi))
			}
		default:
			b, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			data = b[q.Off : q.Off+int64(q.Len)]
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		return string(text), data
	}
}

func openPlace(t *testing.T, number uint64, url string) (uint64, error) {
	t.Helper()
	v, err := done(t, fmt.Sprintf(`{"call": "open", "paths": [%q], "place": {"number": %d, "schemes": ["mine"]}}`, url, number))
	if err != nil {
		return 0, err
	}
	return v.(*opened).Handle, nil
}

// The files of a place are read like any others, and the place ends with the last scan.
func TestCallerPlace(t *testing.T) {
	before := arrowc.Allocated()
	want := opening(t, sample)
	rows, err := scanned(want.Handle, `{}`)
	closeHandle(want.Handle)
	if err != nil {
		t.Fatal(err)
	}
	dir, name := filepath.Split(sample)
	for _, url := range []string{"mine://" + name, "mine://./all-none*.orc"} {
		number, asked := serving(t, drive(t, dir))
		id, err := openPlace(t, number, url)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		h, err := take(id)
		if err != nil {
			t.Fatal(err)
		}
		closeHandle(id)
		if placeOf(number) == nil {
			t.Fatal("the place was closed before the scan")
		}
		s, err := h.scan(`{}`)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Unlocks {
			t.Error("those who wait keep the lock of Python")
		}
		n := int64(0)
		for s.Reader.Next() {
			n += s.Reader.Record().NumRows()
		}
		if err := s.Reader.Err(); err != nil || n == 0 || n < rows {
			t.Errorf("%s: %d rows, not %d; %v", url, n, rows, err)
		}
		s.Reader.Release()
		s.Done()
		if placeOf(number) != nil {
			t.Error("the place is still there")
		}
		if got := asked(); got > 16 { // looks, a listing, tails, and the rest in few pieces
			t.Errorf("%s: %d questions", url, got)
		}
	}
	if n := arrowc.Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

// Errors of the caller come back with the file, what they mean, and the question.
func TestCallerPlaceFails(t *testing.T) {
	stat := `{"entry": {"name": "x.orc", "size": 9000, "version": "1"}}`
	for what, x := range map[string]struct {
		text, kind, message string
		errno               int
	}{
		"missing":      {`{"error": {"kind": "missing", "message": "gone"}}`, "system", "", 2},
		"denied":       {`{"error": {"kind": "denied", "message": "not you"}}`, "system", "not you", 13},
		"memory":       {`{"error": {"kind": "memory", "message": "too much"}}`, "memory", "", 0},
		"errno":        {`{"error": {"errno": 5, "message": "the disk is on fire"}}`, "system", "on fire", 5},
		"other":        {`{"error": {"message": "ZeroDivisionError: boom"}}`, "system", "boom", 0},
		"short":        {`{}`, "internal", "0 bytes were given", 0},
		"no JSON":      {`{`, "internal", "the answer", 0},
		"unknown size": {"", "unsupported", "how many bytes", 0},
	} {
		number, _ := serving(t, func(q question) (string, []byte) {
			if q.Ask == "stat" && x.text != "" {
				return stat, nil
			}
			if q.Ask == "stat" {
				return `{"entry": {"name": "x.orc"}}`, nil
			}
			return x.text, nil
		})
		_, err := openPlace(t, number, "mine://a/x.orc")
		if err == nil {
			t.Errorf("%s: it was opened", what)
			continue
		}
		f := describe(err)
		if f.Kind != x.kind || !strings.Contains(f.Message, x.message) || f.Errno != x.errno || f.File != "mine://a/x.orc" {
			t.Errorf("%s: %+v", what, f)
		}
		if strings.Contains(x.text, "error") != (f.Question != 0) {
			t.Errorf("%s: question %d", what, f.Question)
		}
		if placeOf(number) != nil {
			t.Errorf("%s: the place is still there", what)
		}
	}
	if _, err := openPlace(t, 1<<60, "mine://a/x.orc"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// What is given up does not wait for an answer, and an answer that comes late is for nobody.
func TestCallerPlaceIsSlow(t *testing.T) {
	p := newCallerPlace()
	ctx, cancel := context.WithCancel(t.Context())
	dst := make([]byte, 4)
	failed := make(chan error)
	go func() {
		_, err := p.ask(ctx, question{Ask: "read", Len: 4}, dst)
		failed <- err
	}()
	late, ok := p.next(time.Minute)
	if !ok || late.Len != 4 {
		t.Fatalf("%+v", late)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.answer(late.number, `{}`, []byte("late"))
	p.answer(late.number, `{}`, []byte("more"))
	if string(dst) != "\x00\x00\x00\x00" {
		t.Errorf("%q", dst)
	}
	if q, ok := p.next(time.Millisecond); q != nil || !ok {
		t.Errorf("%+v, %t", q, ok)
	}
	go func() {
		_, err := p.Stat(t.Context(), "mine://x")
		failed <- err
	}()
	if _, ok := p.next(time.Minute); !ok {
		t.Error("it has ended")
	}
	p.close()
	if err := <-failed; !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if _, ok := p.next(time.Minute); ok {
		t.Error("it has not ended")
	}
	p.close()
}

func TestCallerPlaceLists(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b"} {
		number, _ := serving(t, func(question) (string, []byte) {
			return fmt.Sprintf(`{"entries": [{"name": %q}]}`, name), nil
		})
		tree, err := placeOf(number).Tree("mine://a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tree.List(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no name of a file") {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := tree.List(t.Context(), "../x"); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
		if _, err := tree.Open(t.Context(), "/x"); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
	}
	number, _ := serving(t, func(question) (string, []byte) { return `{"entry": {"name": "d", "dir": true}}`, nil })
	if _, err := placeOf(number).Open(t.Context(), "mine://d"); !errors.Is(err, stores.ErrIsDirectory) {
		t.Error(err)
	}
}
