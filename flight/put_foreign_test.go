package flight

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
)

// What this program has not written is not replaced: the client learns that trying again does not help, and what to do.
func TestPutOverFilesOfOthers(t *testing.T) {
	for what, place := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), []byte("x\n1\n"), 0o644) },
		"a directory with another file": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o755), os.WriteFile(filepath.Join(dir, "a", "notes.txt"), nil, 0o644))
		},
		"a table of others": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o755), os.WriteFile(filepath.Join(dir, "a", "000000_0.csv"), []byte("x\n1\n"), 0o644))
		},
		"a table of others in directories": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "a", "k=1"), 0o755), os.WriteFile(filepath.Join(dir, "a", "k=1", "x.csv"), []byte("x\n1\n"), 0o644))
		},
		"a link that leads nowhere": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "a")) },
		"a link to a device":        func(dir string) error { return os.Symlink("/dev/null", filepath.Join(dir, "a")) },
	} {
		dir := t.TempDir()
		if err := place(dir); err != nil {
			t.Fatal(err)
		}
		o := Options{Writable: []Writable{{Names: "a", Dir: dir}}}
		specs := map[string]Spec{}
		if strings.Contains(what, "table") {
			specs["a"] = o.Writable[0].Spec("a")
		}
		r := start(t, o, specs)
		s, recs := table(memory.DefaultAllocator, 10, 10, 1)
		_, err := putting(t.Context(), t, r.client(t), cmdOf(`{"dataset":"a","mode":"replace"}`), s, recs)
		t.Log(what, err)
		if code(err) != codes.FailedPrecondition || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "replace") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
