package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// put creates an object with a content and closes it.
func put(t testing.TB, st arrowio.Store, name, content string) {
	t.Helper()
	k, err := st.Create(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(k, content); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// tree returns the regular files below dir, hidden ones included, by slash-separated name.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if entries, err := os.ReadDir(p); err == nil && len(entries) == 0 && p != dir {
				out[rel+"/"] = ""
			}
			return nil
		}
		b, err := os.ReadFile(p)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantTree(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	got := tree(t, dir)
	for name, content := range want {
		if c, ok := got[name]; !ok || c != content {
			t.Errorf("%s holds %q (there: %v), want %q", name, c, ok, content)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is there and should not be", name)
	}
}

func fileStoreAt(t testing.TB, path string, o FileStoreOptions) arrowio.Store {
	t.Helper()
	st, err := NewFileStore(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func commit(t testing.TB, st arrowio.Store) {
	t.Helper()
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := st.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
}

func TestFileStoreLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		o       FileStoreOptions
		objects []string
		want    map[string]string
	}{
		"one object":             {FileStoreOptions{}, []string{"part-00000.trv"}, map[string]string{"out": "part-00000.trv"}},
		"one below":              {FileStoreOptions{}, []string{"a/b.trv"}, map[string]string{"out": "a/b.trv"}},
		"two":                    {FileStoreOptions{}, []string{"a", "b"}, map[string]string{"out/a": "a", "out/b": "b"}},
		"two below":              {FileStoreOptions{}, []string{"a/x", "b/x"}, map[string]string{"out/a/x": "a/x", "out/b/x": "b/x"}},
		"one in a directory":     {FileStoreOptions{Directory: true}, []string{"a"}, map[string]string{"out/a": "a"}},
		"nothing in a directory": {FileStoreOptions{Directory: true}, nil, map[string]string{"out/": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			st := fileStoreAt(t, filepath.Join(dir, "out"), c.o)
			empty(t, dir)
			for _, n := range c.objects {
				put(t, st, n, n)
			}
			if _, err := os.Lstat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the output is there before Commit: %v", err)
			}
			commit(t, st)
			wantTree(t, dir, c.want)
			if err := st.Commit(); err == nil {
				t.Error("a second Commit succeeds")
			}
			if _, err := st.Create(context.Background(), "late"); err == nil {
				t.Error("Create after Commit succeeds")
			}
		})
	}
}

func TestFileStoreAbort(t *testing.T) {
	dir := t.TempDir()
	st := fileStoreAt(t, filepath.Join(dir, "out"), FileStoreOptions{})
	put(t, st, "a", "a")
	k, err := st.Create(context.Background(), "sub/b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
	}
	empty(t, dir)
	if _, err := k.Write([]byte("late")); err == nil {
		t.Error("Write after Abort succeeds")
	}
	if err := k.Close(); err == nil {
		t.Error("Close after Abort succeeds")
	}
	if err := st.Commit(); err == nil {
		t.Error("Commit after Abort succeeds")
	}
	empty(t, dir)
}

func TestFileStoreRefusesWhatExists(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFileStore(path, FileStoreOptions{}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	wantTree(t, dir, map[string]string{"out": "old"})
	if _, err := NewFileStore(dir, FileStoreOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory: %v", err)
	}
}

// What appears at the path while the output is written stays.
func TestFileStoreLosesTheRace(t *testing.T) {
	for _, objects := range [][]string{{"a"}, {"a", "b"}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		st := fileStoreAt(t, path, FileStoreOptions{})
		for _, n := range objects {
			put(t, st, n, n)
		}
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := st.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("error %v", err)
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
		wantTree(t, dir, map[string]string{"out": "theirs"})
	}
}

func TestRenameNewKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, p := range []string{from, to} {
		if err := os.WriteFile(p, []byte(p), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := renameNew(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	wantTree(t, dir, map[string]string{"from": from, "to": to})
}

func TestFileStoreForce(t *testing.T) {
	type files map[string]string
	for name, c := range map[string]struct {
		old     files // "out" or "out/…"
		objects []string
		want    files // nil = refused, and the old ones stay
	}{
		"file by file":           {files{"out": "old"}, []string{"a"}, files{"out": "a"}},
		"directory by directory": {files{"out/part-0.trv": "x", "out/part-1.trv": "y", "out/schema.json": "{}"}, []string{"a", "b"}, files{"out/a": "a", "out/b": "b"}},
		"columns by directory":   {files{"out/id.cfile": "x", "out/schema.json": "{}"}, []string{"a", "b"}, files{"out/a": "a", "out/b": "b"}},
		"rowsets by directory": {
			files{"out/schema.json": "{}", "out/rowset-00000/a.cfile": "x", "out/rowset-00000/bloom.cfile": "y", "out/rowset-00001/a.cfile": "z"},
			[]string{"rowset-00000/a.cfile", "schema.json"},
			files{"out/rowset-00000/a.cfile": "rowset-00000/a.cfile", "out/schema.json": "schema.json"},
		},
		"rowsets without their schema":   {files{"out/rowset-00000/a.cfile": "x"}, nil, nil},
		"a stranger in a rowset":         {files{"out/schema.json": "{}", "out/rowset-00000/a.cfile": "x", "out/rowset-00000/thesis.tex": "y"}, nil, nil},
		"a directory in a rowset":        {files{"out/schema.json": "{}", "out/rowset-00000/a.cfile/b": "x"}, nil, nil},
		"a directory beside rowsets":     {files{"out/schema.json": "{}", "out/rowset-00000/a.cfile": "x", "out/rowset-1/a.cfile": "x"}, nil, nil},
		"a file called like a rowset":    {files{"out/schema.json": "{}", "out/rowset-00000": "x"}, nil, nil},
		"nothing there":                  {files{}, []string{"a"}, files{"out": "a"}},
		"a stranger in the directory":    {files{"out/part-0.trv": "x", "out/thesis.tex": "y"}, nil, nil},
		"columns without their schema":   {files{"out/id.cfile": "x"}, nil, nil},
		"a directory in the directory":   {files{"out/part-0/x": "x"}, nil, nil},
		"a hidden file in the directory": {files{"out/.part-0": "x"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for p, content := range c.old {
				p = filepath.Join(dir, filepath.FromSlash(p))
				if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			st, err := NewFileStore(filepath.Join(dir, "out"), FileStoreOptions{Force: true, Directory: name != "file by file" && name != "nothing there"})
			if c.want == nil {
				if err == nil {
					t.Error("accepted")
				}
				wantTree(t, dir, c.old)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range c.objects {
				put(t, st, n, n)
			}
			commit(t, st)
			wantTree(t, dir, c.want)
		})
	}
	t.Run("a stranger arrives", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		st := fileStoreAt(t, path, FileStoreOptions{Force: true, Directory: true})
		put(t, st, "a", "a")
		if err := os.WriteFile(filepath.Join(path, "thesis.tex"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := st.Commit(); err == nil {
			t.Error("committed")
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
		wantTree(t, dir, map[string]string{"out/thesis.tex": "x"})
	})
}

// A file replaces no directory and a directory no file, with Force or without, over links or not, whenever the other one comes.
func TestFileStoreReplacesItsOwnKind(t *testing.T) {
	for _, c := range []struct {
		name      string
		old       string // "out", or a file or directory (with a slash at its end) in it
		directory bool
		objects   []string
	}{
		{"an empty directory", "out/", false, []string{"a"}},
		{"an output", "out/part-0.trv", false, []string{"a"}},
		{"a directory of somebody", "out/thesis.tex", false, []string{"a"}},
		{"a file", "out", true, []string{"a"}},
		{"a file, by no object", "out", true, nil},
		{"a file, by what becomes a directory", "out", false, []string{"a", "b"}},
	} {
		for _, force := range []bool{false, true} {
			for _, link := range []bool{false, true} {
				for _, late := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, force %v, link %v, late %v", c.name, force, link, late), func(t *testing.T) {
						dir := t.TempDir()
						path := filepath.Join(dir, "out")
						makeOld := func() {
							p := filepath.Join(dir, filepath.FromSlash(c.old))
							if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
								t.Fatal(err)
							}
							var err error
							if strings.HasSuffix(c.old, "/") {
								err = os.Mkdir(p, 0o777)
							} else {
								err = os.WriteFile(p, []byte("old"), 0o600)
							}
							if err != nil {
								t.Fatal(err)
							}
						}
						if link && (late || runtime.GOOS == "windows") {
							return // a link that leads nowhere is no output; links need a privilege there
						}
						out := path
						if link {
							out = filepath.Join(dir, "link")
							if err := os.Symlink("out", out); err != nil {
								t.Fatal(err)
							}
						}
						if !late {
							makeOld()
						}
						st, err := NewFileStore(out, FileStoreOptions{Force: force, Directory: c.directory})
						if err == nil {
							t.Cleanup(func() { _ = st.Abort() })
							for i, n := range c.objects {
								if late && i == len(c.objects)-1 {
									makeOld()
								}
								var k arrowio.Sink
								if k, err = st.Create(t.Context(), n); err != nil {
									break
								}
								if err := k.Close(); err != nil {
									t.Fatal(err)
								}
							}
							if late && c.objects == nil {
								makeOld()
							}
							if err == nil {
								err = st.Commit()
							}
						}
						want := fs.ErrExist
						if force {
							want = ErrOtherKind
						}
						if !errors.Is(err, want) {
							t.Errorf("error %v", err)
						}
						fi, err := os.Lstat(filepath.Join(dir, strings.TrimSuffix(filepath.FromSlash(c.old), "/")))
						if err != nil || fi.IsDir() != strings.HasSuffix(c.old, "/") {
							t.Errorf("what was there: %v, %v", fi, err)
						}
					})
				}
			}
		}
	}
}

func TestFileStoreLinksAndDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o777); err != nil {
		t.Fatal(err)
	}
	target, link := filepath.Join(dir, "real", "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFileStore(link, FileStoreOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link without force: %v", err)
	}
	st := fileStoreAt(t, link, FileStoreOptions{Force: true})
	put(t, st, "a", "new")
	commit(t, st)
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("the link leads to %q, error %v", got, err)
	}
	wantTree(t, filepath.Join(dir, "real"), map[string]string{"file": "new"})

	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := NewFileStore(link, FileStoreOptions{Force: force}); err == nil {
			t.Error("a link that leads nowhere is accepted")
		}
		if _, err := NewFileStore(os.DevNull, FileStoreOptions{Force: force}); err == nil || !strings.Contains(err.Error(), "device") {
			t.Errorf("a device: %v", err)
		}
		if _, err := NewFileStore(filepath.Join(dir, "none", "out"), FileStoreOptions{Force: force}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no parent: %v", err)
		}
		if _, err := NewFileStore("", FileStoreOptions{Force: force}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("no name: %v", err)
		}
	}
}

func TestFileStoreLongName(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("ü", 120) // 240 bytes of the 255 that a name may have
	st := fileStoreAt(t, filepath.Join(dir, name), FileStoreOptions{})
	put(t, st, "a", "a")
	commit(t, st)
	wantTree(t, dir, map[string]string{name: "a"})
}

func TestFileStoreRefusesBadNames(t *testing.T) {
	for _, st := range []arrowio.Store{fileStoreAt(t, filepath.Join(t.TempDir(), "out"), FileStoreOptions{}), NewMemStore(), NewStreamStore(io.Discard)} {
		for _, n := range []string{"", ".", "..", "/a", "../a", "a/../../b", "a//b", "a/", "a\\b", "a\x00"} {
			if _, err := st.Create(context.Background(), n); !errors.Is(err, errs.ErrInternal) {
				t.Errorf("%T: name %q: %v", st, n, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := st.Create(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: cancelled: %v", st, err)
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
	}
}

func TestFileStoreCommitNeedsFinishedObjects(t *testing.T) {
	dir := t.TempDir()
	for name, st := range map[string]arrowio.Store{"file": fileStoreAt(t, filepath.Join(dir, "out"), FileStoreOptions{}), "mem": NewMemStore(), "stream": NewStreamStore(io.Discard)} {
		if name != "mem" { // which may be empty
			if err := st.Commit(); !errors.Is(err, errs.ErrInternal) {
				t.Errorf("%s with no object: %v", name, err)
			}
		}
		if name == "stream" {
			st = NewStreamStore(io.Discard)
		}
		if _, err := st.Create(context.Background(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := st.Commit(); !errors.Is(err, errs.ErrInternal) {
			t.Errorf("%s with an open object: %v", name, err)
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
	}
	empty(t, dir)
}

// A sink that failed fails for good, and its output cannot be committed.
func TestFileSinkErrorsStick(t *testing.T) {
	dir := t.TempDir()
	st := fileStoreAt(t, filepath.Join(dir, "out"), FileStoreOptions{})
	k, err := st.Create(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	// A descriptor that cannot be written stands for a disk that is full.
	full, err := os.Open(k.(*fileSink).f.Name())
	if err != nil {
		t.Fatal(err)
	}
	k.(*fileSink).f.Close()
	k.(*fileSink).f = full
	if _, err := k.Write([]byte("small: into the buffer")); err != nil {
		t.Fatal(err)
	}
	_, first := k.Write(make([]byte, 2*sinkBuffer))
	if first == nil || strings.Contains(first.Error(), ".tmp") || !strings.Contains(first.Error(), filepath.Join(dir, "out")) {
		t.Errorf("error %v does not name the output", first)
	}
	if _, err := k.Write([]byte("x")); err != first {
		t.Errorf("second error %v, want %v", err, first)
	}
	if err := k.Close(); err != first {
		t.Errorf("Close: %v, want %v", err, first)
	}
	if err := st.Commit(); err != first {
		t.Errorf("Commit: %v, want %v", err, first)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	empty(t, dir)
}

func TestScratch(t *testing.T) {
	dir := t.TempDir()
	for name, st := range map[string]arrowio.Store{"file": fileStoreAt(t, filepath.Join(dir, "out"), FileStoreOptions{}), "mem": NewMemStore(), "stream": NewStreamStore(io.Discard)} {
		f, err := st.Scratch()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("hello ")); err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 5)
		if _, err := f.ReadAt(p, 0); err != nil || string(p) != "hello" {
			t.Errorf("%s: read %q, error %v", name, p, err)
		}
		if _, err := f.Write([]byte("world")); err != nil {
			t.Fatal(err)
		}
		if _, err := f.ReadAt(p, 6); err != nil || string(p) != "world" {
			t.Errorf("%s: read %q, error %v", name, p, err)
		}
		if runtime.GOOS != "windows" {
			empty(t, dir)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
	}
	empty(t, dir)
}

func TestMemStore(t *testing.T) {
	st := NewMemStore()
	put(t, st, "a", "A")
	put(t, st, "d/b", "B")
	if _, err := st.Create(context.Background(), "a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same name twice: %v", err)
	}
	if st.Objects() != nil {
		t.Error("objects before Commit")
	}
	commit(t, st)
	if o := st.Objects(); len(o) != 2 || string(o["a"]) != "A" || string(o["d/b"]) != "B" {
		t.Errorf("objects %q", o)
	}
	st = NewMemStore()
	put(t, st, "a", "A")
	if err := st.Abort(); err != nil || st.Objects() != nil {
		t.Errorf("objects after Abort, error %v", err)
	}
}

func TestStreamStore(t *testing.T) {
	var out bytes.Buffer
	st := NewStreamStore(&out)
	put(t, st, "part-00000.arrows", "hello")
	if out.String() != "hello" {
		t.Errorf("%q after Close", out.String())
	}
	if _, err := st.Create(context.Background(), "part-00001.arrows"); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a second object: %v", err)
	}
	commit(t, st)

	st = NewStreamStore(brokenPipe{})
	k, err := st.Create(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); !errors.Is(err, errDisk) {
		t.Errorf("Close: %v", err)
	}
	if err := st.Commit(); !errors.Is(err, errDisk) {
		t.Errorf("Commit: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errDisk }
