package local

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

// Whatever happens to a file is seen, except that another takes its name.
func TestIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	content := bytes.Repeat([]byte("0123456789"), 2000)
	fresh := func() *FileSource {
		t.Helper()
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_700_000_000, 0)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		s, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	of := func(s arrowio.Source) string {
		t.Helper()
		id, err := Identity(context.Background(), s)
		if err != nil || id == "" {
			t.Fatal(id, err)
		}
		return id
	}
	want := of(fresh())
	if got := of(fresh()); got != want {
		t.Errorf("the same file: %s and %s", got, want)
	}
	for name, change := range map[string]func() error{
		"touched": func() error { return os.Chtimes(path, time.Unix(5, 0), time.Unix(5, 1)) },
		"longer":  func() error { return os.WriteFile(path, append(bytes.Clone(content), 'x'), 0o644) },
		"shorter": func() error { return os.Truncate(path, 10) },
		"emptied": func() error { return os.Truncate(path, 0) },
		"rewritten": func() error {
			return os.WriteFile(path, bytes.ToUpper(bytes.Repeat([]byte("abcdefghij"), 2000)), 0o644)
		},
	} {
		s := fresh()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if of(s) == want {
			t.Errorf("%s: not seen", name)
		}
	}
	s := fresh()
	other := path + ".new"
	if err := os.WriteFile(other, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if of(s) != want {
		t.Error("the open file is what it was")
	}

	a, b := of(NewBytesSource(content)), of(NewBytesSource(content[1:]))
	if a == b || a != of(NewBytesSource(bytes.Clone(content))) || of(NewBytesSource(nil)) == a {
		t.Error("bytes in memory are told by their size and ends")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Identity(ctx, NewBytesSource(content)); err == nil {
		t.Error("cancelled, and not told")
	}
}
