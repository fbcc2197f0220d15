package stores_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
)

func TestScheme(t *testing.T) {
	for path, want := range map[string]string{
		"x": "", "/a/b": "", "a:b": "", "://x": "", "s3://b/k": "s3", "S3A://b": "s3a", "hdfs:///x": "hdfs", "file:///x": "file",
		"a/b://c": "", "1a://c": "", "c+d-e.2://c": "c+d-e.2", `c:\x`: "",
	} {
		if got := stores.Scheme(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	for path, want := range map[string]string{"x://y": "-", "s3://b": "-", "a b": "a b", "file:///a%20b": "/a b", "file://localhost/x": "/x", "file://host/x": "-", "file:///x?y": "-"} {
		got, ok := stores.Local(path)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// read opens a path and returns what it holds.
func read(t *testing.T, s *stores.Stores, path string) string {
	t.Helper()
	src, err := s.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func commit(t *testing.T, st arrowio.Store, name, text string) {
	t.Helper()
	k, err := st.Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(k.Close(), st.Commit()); err != nil {
		t.Fatal(err)
	}
}

// One text goes the same way through each kind of store.
func TestAllTheSame(t *testing.T) {
	ctx := t.Context()
	fake := s3fake.New(t)
	o := stores.FromEnvironment()
	o.S3.Retry = stores.Retry{Attempts: 2, Wait: time.Millisecond}
	s := stores.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	for _, root := range []string{dir, "file://" + filepath.ToSlash(dir) + "/f%65", "s3://" + s3fake.Bucket + "/dir", "s3a://" + s3fake.Bucket + "/dir2"} {
		if strings.HasSuffix(root, "%65") { // the directory that the others make for themselves
			if err := os.Mkdir(filepath.Join(dir, "fe"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		st, err := s.Create(ctx, root+"/x.csv", local.FileStoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stat(ctx, root+"/x.csv"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", root, err)
		}
		commit(t, st, "part-00000.csv", "text")
		if got := read(t, s, root+"/x.csv"); got != "text" {
			t.Errorf("%s: %q", root, got)
		}
		if _, err := s.Create(ctx, root+"/x.csv", local.FileStoreOptions{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", root, err)
		}
		e, err := s.Stat(ctx, root+"/x.csv")
		if err != nil || e.Size != 4 || e.Name != "x.csv" || e.Dir {
			t.Errorf("%s: %+v, %v", root, e, err)
		}
		st, err = s.Create(ctx, root+"/sub/", local.FileStoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		commit(t, st, "part-00000.csv", "deep")
		if e, err := s.Stat(ctx, root+"/sub"); err != nil || !e.Dir {
			t.Errorf("%s: %+v, %v", root, e, err)
		}
		for _, path := range []string{root, root + "/sub"} {
			if _, err := s.Open(ctx, path); !errors.Is(err, stores.ErrIsDirectory) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if _, err := s.Open(ctx, root+"/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", root, err)
		}
		tree, err := s.Tree(root)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := s.Snapshot(ctx, tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range []arrowio.Tree{tree, snap} {
			src, err := tree.Open(ctx, "sub/part-00000.csv")
			if err != nil {
				t.Fatal(err)
			}
			if src.Size() != 4 {
				t.Errorf("%s: %d", root, src.Size())
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
			entries, err := tree.List(ctx, "sub")
			if err != nil || len(entries) != 1 || entries[0].Name != "part-00000.csv" || entries[0].Size != 4 {
				t.Errorf("%s: %+v, %v", root, entries, err)
			}
		}
	}
	fake.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 503, "SlowDown") })
	if _, err := s.Open(ctx, "s3://bucket/x"); !errors.Is(err, stores.ErrUnavailable) {
		t.Error(err)
	}
	s.Stop()
}

func TestNoStore(t *testing.T) {
	ctx := t.Context()
	s := stores.New(stores.Options{})
	for _, path := range []string{"gs://bucket/x", "file://host/x", "hdfs://a@b/x", "hdfs://host/a/../b", "s3://"} {
		_, err := s.Open(ctx, path)
		_, err2 := s.Stat(ctx, path)
		_, err3 := s.Tree(path)
		_, err4 := s.Create(ctx, path, local.FileStoreOptions{})
		for _, err := range []error{err, err2, err3, err4} {
			if !errors.Is(err, errs.ErrOption) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_HOME", "")
	if _, err := s.Open(ctx, "hdfs:///x"); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "HADOOP_CONF_DIR") {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	dir := t.TempDir()
	_, err := s.Stat(cancelled, dir)
	_, err2 := s.Open(cancelled, dir)
	_, err3 := s.Create(cancelled, filepath.Join(dir, "x"), local.FileStoreOptions{})
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if a, b := stores.Shared(), stores.Shared(); a != b {
		t.Error("shared stores are several")
	}
}
