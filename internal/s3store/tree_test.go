package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// walk lists a tree as lines, directories with a slash.
func walk(t *testing.T, tree arrowio.Tree, dir string) []string {
	t.Helper()
	entries, err := tree.List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		name := strings.TrimPrefix(dir+"/"+e.Name, "/")
		if e.Dir {
			out = append(out, name+"/")
			out = append(out, walk(t, tree, name)...)
			continue
		}
		out = append(out, fmt.Sprintf("%s %d", name, e.Size))
		if e.Version == "" || e.ModTime.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	return out
}

func TestTree(t *testing.T) {
	s := s3fake.New(t)
	for _, k := range []string{"t/a-b", "t/a/x", "t/a/y/z", "t/a0", "t/", "t/empty/", "t2/no", "t/ü +%41/q"} {
		s.Put(t, k, []byte(k))
	}
	c := newClient(t, s)
	want := "a/, a/x 5, a/y/, a/y/z 7, a-b 5, a0 4, empty/, ü +%41/, ü +%41/q 11"
	for _, root := range []string{at("t"), at("t/"), "s3a://bucket/t"} {
		tree, err := c.Tree(root)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := tree.(interface {
			Snapshot(context.Context) (arrowio.Tree, error)
		}).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Requests()
		if got := strings.Join(walk(t, snap, ""), ", "); got != want {
			t.Errorf("%s at once: %s", root, got)
		}
		if r := s.Requests(); len(r) > 0 {
			t.Errorf("a snapshot asks: %v", r)
		}
		if got := strings.Join(walk(t, tree, ""), ", "); got != want {
			t.Errorf("%s: %s", root, got)
		}
		for _, tree := range []arrowio.Tree{tree, snap} {
			src, err := tree.Open(t.Context(), "a/y/z")
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size())); string(b) != "t/a/y/z" || err != nil {
				t.Errorf("%q, %v", b, err)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
			if got := tree.Path("a/x"); !strings.HasSuffix(got, "://bucket/t/a/x") {
				t.Error(got)
			}
			if _, err := tree.List(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			for _, name := range []string{"..", "/x", "a//x", "."} {
				if _, err := tree.Open(t.Context(), name); !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: %v", name, err)
				}
				if _, err := tree.List(t.Context(), name); !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	whole, err := c.Tree("s3://bucket")
	if err != nil {
		t.Fatal(err)
	}
	if got := walk(t, whole, ""); got[0] != "t/" || !slices.Contains(got, "t2/no 5") {
		t.Errorf("%v", got)
	}
	for _, odd := range []string{"odd//x", "odd/../x", "odd/./x", "odd2///"} {
		s.Put(t, odd, nil)
		dir, _, _ := strings.Cut(odd, "/")
		tree, err := c.Tree(at(dir))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tree.List(t.Context(), "")
		_, err2 := tree.(interface {
			Snapshot(context.Context) (arrowio.Tree, error)
		}).Snapshot(t.Context())
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), "part of the key") {
				t.Errorf("%s: %v", odd, err)
			}
		}
		s.Delete(t, odd)
	}
}

// A listing comes in pages of a thousand.
func TestPages(t *testing.T) {
	s := s3fake.New(t)
	const n = 2345
	for i := range n {
		s.Put(t, fmt.Sprintf("many/k%04d", i), []byte("x"))
	}
	c := newClient(t, s)
	tree, err := c.Tree(at("many"))
	if err != nil {
		t.Fatal(err)
	}
	s.Requests()
	got := walk(t, tree, "")
	if len(got) != n || got[n-1] != "k2344 1" || !slices.IsSorted(got) {
		t.Errorf("%d keys", len(got))
	}
	if r := s.Requests(); len(r) != 3 {
		t.Errorf("%d requests", len(r))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.List(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
