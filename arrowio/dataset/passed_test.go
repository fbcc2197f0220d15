package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/ipc"
	"github.com/arrowio/arrowio/readers/jsonl"
)

// TestPassedOver tells of files that are not read: a part whose first bytes are gone looks like any file that is no data.
func TestPassedOver(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "x\n1\n", "part-1": "\x00\x00", "part-2": "", "README": "r", "notes.md": "m", ".part.crc": "c", "x.csv.crc": "c", "sub/2.tsv": "x\n1\n",
	} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "far")); err != nil {
		t.Fatal(err)
	}
	var told []string
	o := Options{Formats: formats(), Warn: func(w arrowio.Warning) {
		if w.Kind != arrowio.WarnDoubt || w.File != dir {
			t.Errorf("%+v", w)
		}
		told = append(told, w.String())
	}}
	got, err := expand(t.Context(), []string{dir}, o)
	if err != nil || !reflect.DeepEqual(got, []string{filepath.Join(dir, "a.csv")}) {
		t.Errorf("%v, %v", got, err)
	}
	if len(told) != 2 || !strings.HasSuffix(told[0], ": part-1, part-2, sub/2.tsv") || !strings.HasPrefix(told[0], "3 files") || !strings.HasSuffix(told[1], ": far") {
		t.Errorf("%q", told)
	}
}

// TestAllOfFormat takes every file for what the format is that was told, so that damaged ones are errors.
func TestAllOfFormat(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"part-1", "part-2", "README.md", "x.json"} {
		put(t, filepath.Join(dir, name), "\x00\x00")
	}
	put(t, filepath.Join(dir, "part-3"), "")
	got, err := expand(t.Context(), []string{dir}, Options{Formats: append(formats(), ipc.Format()), Format: "ipc"})
	want := []string{filepath.Join(dir, "part-1"), filepath.Join(dir, "part-2"), filepath.Join(dir, "part-3")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestPacked refuses a compressed file rather than to leave out its rows.
func TestPacked(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "1.csv"), "x\n1\n")
	put(t, filepath.Join(dir, "2.orc.gz"), "\x1f\x8b\x08\x00")
	_, err := OpenAll(t.Context(), []string{dir}, Options{Formats: formats()})
	if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "gzip") {
		t.Error(err)
	}
}

// TestAnyDepth matches ** with any number of directories, none among them.
func TestAnyDepth(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1.csv", "x/2.csv", "x/y/3.csv", "x/y/z.txt", "_x/4.csv", ".x/5.csv"} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), "x\n1\n")
	}
	for pattern, want := range map[string][]string{
		"**/*.csv":    {"1.csv", "x/2.csv", "x/y/3.csv"},
		"**/y/*.csv":  {"x/y/3.csv"},
		"**/**/3.csv": {"x/y/3.csv"},
		"x/**/*.csv":  {"x/2.csv", "x/y/3.csv"},
		"**":          {"1.csv", "x/2.csv", "x/y/3.csv"},
	} {
		got, err := expand(t.Context(), []string{filepath.Join(dir, filepath.FromSlash(pattern))}, Options{Formats: formats()})
		for i := range want {
			want[i] = filepath.Join(dir, filepath.FromSlash(want[i]))
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", pattern, got, err)
		}
	}
	t.Chdir(dir)
	if got, err := expand(t.Context(), []string{"**/3.csv"}, Options{Formats: formats()}); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// Files named .json are each a unit where no file beside them is of another format, and a warning names those that are not.
func TestUnitsOfJSON(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"alone/k.json", "two/a.json", "two/b.json.gz", "two/README.json", "mixed/a.csv", "mixed/a.json", "mixed/sub/b.json", "unknown/c.json", "unknown/c.bin"} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), "{\"x\": 1}\n")
	}
	var told []string
	units, err := Units(t.Context(), dir, Options{Formats: append(formats(), jsonl.Format()), Warn: func(w arrowio.Warning) { told = append(told, w.String()) }})
	var got []string
	for _, u := range units {
		got = append(got, u.Name)
	}
	want := []string{"alone/k.json", "mixed/a.csv", "mixed/sub/b.json", "two/README.json", "two/a.json", "two/b.json.gz", "unknown/c.json"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "1 file is passed over, because neither its name nor its content") || !strings.HasSuffix(told[0], ": unknown/c.bin") ||
		!strings.Contains(told[1], "1 file named .json is passed over, because it may describe the files of other formats beside it") || !strings.HasSuffix(told[1], ": mixed/a.json") {
		t.Errorf("%q", told)
	}
	told = nil
	o := Options{Formats: append(formats(), jsonl.Format()), Warn: func(w arrowio.Warning) { told = append(told, w.String()) }}
	if _, err := expand(t.Context(), []string{filepath.Join(dir, "mixed")}, o); err != nil || len(told) != 1 || !strings.Contains(told[0], "2 files named .json are passed over") {
		t.Errorf("%q, %v", told, err)
	}
}
