package local_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// A tree shows a directory's files and directories, behind symbolic links too, by name, and nothing outside.
func TestDirTree(t *testing.T) {
	ctx, top := t.Context(), t.TempDir()
	for name, text := range map[string]string{"b": "bytes", "a/x": "", "a/y/z": "deep"} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("b", filepath.Join(top, "link")), os.Symlink("nowhere", filepath.Join(top, "gone"))); err != nil {
		t.Fatal(err)
	}
	tree := local.DirTree(top)
	for dir, want := range map[string][]arrowio.TreeEntry{
		"":  {{Name: "a", Dir: true}, {Name: "b", Size: 5}, {Name: "link", Size: 5}},
		"a": {{Name: "x"}, {Name: "y", Dir: true}},
	} {
		got, err := tree.List(ctx, dir)
		for i := range got {
			if got[i].ModTime.IsZero() {
				t.Errorf("%q: no time", got[i].Name)
			}
			want[i].ModTime = got[i].ModTime
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("List(%q) = %v, %v", dir, got, err)
		}
	}
	src, err := tree.Open(ctx, "a/y/z")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size())); string(b) != "deep" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if got, want := tree.Path("a/x"), filepath.Join(top, "a", "x"); got != want {
		t.Errorf("Path = %q, want %q", got, want)
	}
	for _, name := range []string{"..", "../x", "/etc", "a/../b", "a//x", "."} {
		if _, err := tree.Open(ctx, name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Open(%q): %v", name, err)
		}
		if _, err := tree.List(ctx, name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("List(%q): %v", name, err)
		}
	}
	if _, err := tree.List(ctx, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// The error about a directory whose name is not UTF-8 says what is wrong, and what helps.
func TestTreeNamesNotUTF8(t *testing.T) {
	_, err := local.DirTree(t.TempDir()).List(t.Context(), "c=\xff")
	if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "UTF-8") || !strings.Contains(err.Error(), "one by one") {
		t.Error(err)
	}
}
