package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/readers/csv"
)

// shelf is a format that is a directory: the rows of "rows.csv" in it, or of the one file that an option names.
func shelf() arrowio.Format {
	known := []arrowio.Option{{Name: "shelf-file", Usage: "which `FILE`s", Default: "rows.csv", Repeated: true}}
	return arrowio.Format{
		Name:    "shelf",
		Options: known,
		OpenPath: func(ctx context.Context, path string, o arrowio.OpenOptions) (arrowio.File, error) {
			v, err := options.Check(known, o.Options)
			if err != nil {
				return nil, err
			}
			files := options.Values(v["shelf-file"])
			if len(files) > 1 {
				return nil, errs.Errorf(errs.ErrSchema, "files %s", strings.Join(files, " and "))
			}
			src, err := local.OpenFile(filepath.Join(path, files[0]))
			if err != nil {
				return nil, err
			}
			counted := arrowio.NewCountingSource(src)
			f, err := csv.Format().Open(ctx, counted, arrowio.OpenOptions{Limits: o.Limits})
			if err != nil {
				return nil, errors.Join(err, src.Close())
			}
			return &shelfFile{f, counted, src}, nil
		},
	}
}

type shelfFile struct {
	arrowio.File
	counted *arrowio.CountingSource
	src     *local.FileSource
}

func (f *shelfFile) BytesRead() int64   { return f.counted.Bytes() }
func (f *shelfFile) BytesStored() int64 { return f.src.Size() }
func (f *shelfFile) Close() error       { return errors.Join(f.File.Close(), f.src.Close()) }

func (f *shelfFile) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info, err := f.File.Info(ctx, o)
	if err == nil {
		info.Format = "shelf"
	}
	return info, err
}

// withShelf runs the program with one format more.
func withShelf(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(t.Context(), strings.NewReader(""), &out, &errs)
	a.readers = append(a.readers, shelf())
	code := a.run(t.Context(), args)
	return outcome{code, out.String(), errs.String()}
}

func okWithShelf(t *testing.T, args ...string) string {
	t.Helper()
	o := withShelf(t, args...)
	if o.code != 0 || o.err != "" {
		t.Fatalf("arrowio %s: exit %d: %s", strings.Join(args, " "), o.code, o.err)
	}
	return o.out
}

func makeShelf(t *testing.T, dir, name, text string) string {
	t.Helper()
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every command takes a format that is a directory.
func TestDirectoryFormat(t *testing.T) {
	dir := t.TempDir()
	one, two := makeShelf(t, dir, "one", "x,y\n1,a\n2,b\n"), makeShelf(t, dir, "two", "x,y\n3,c\n")

	if got, want := okWithShelf(t, "cat", "--from", "shelf", "--format", "csv", one, two), "x,y\n1,a\n2,b\n3,c\n"; got != want {
		t.Errorf("cat: %q", got)
	}
	out := filepath.Join(dir, "out.csv")
	var report struct {
		BytesIn int64 `json:"bytes_in"`
		Rows    int64
	}
	if err := json.Unmarshal([]byte(okWithShelf(t, "convert", "--from", "shelf", "--json", one, out)), &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows != 2 || report.BytesIn < 12 {
		t.Errorf("convert: %+v", report)
	}
	if got := okWithShelf(t, "schema", "--from", "shelf", one); !strings.Contains(got, "one: shelf, 2 columns") {
		t.Errorf("schema: %s", got)
	}
	if got := okWithShelf(t, "inspect", "--from", "shelf", one, two); !strings.Contains(got, "two: shelf") || !strings.Contains(got, "12 (12 B)") {
		t.Errorf("inspect: %s", got)
	}
	if got := okWithShelf(t, "verify", "--from", "shelf", one, two); strings.Count(got, ": ok") != 2 {
		t.Errorf("verify: %s", got)
	}
	var scan struct {
		FileSize  int64 `json:"file_size"`
		FileBytes int64 `json:"file_bytes"`
		Rows      int64
	}
	if err := json.Unmarshal([]byte(okWithShelf(t, "scan", "--from", "shelf", "--json", one, two)), &scan); err != nil {
		t.Fatal(err)
	}
	if scan.Rows != 3 || scan.FileSize != 20 || scan.FileBytes < 20 {
		t.Errorf("scan: %+v", scan)
	}
	fails(t, withShelf(t, "dump", "--from", "shelf", one), 1, "one: ", "no dump of a directory", "shelf")
}

func TestDirectoryFormatMistakes(t *testing.T) {
	dir := t.TempDir()
	one := makeShelf(t, dir, "one", "x,y\n1,a\n")
	fails(t, withShelf(t, "cat", "--from", "shelf", filepath.Join(one, "rows.csv")), 2, "rows.csv: ", "shelf", "directory")
	fails(t, withShelf(t, "cat", "--from", "shelf", filepath.Join(dir, "none")), 3, "none: ")
	fails(t, withShelf(t, "cat", "--from", "shelf", "-"), 2, "standard input", "shelf")
	fails(t, withShelf(t, "cat", "--from", "csv", "--shelf-file", "x", one), 2, "--shelf-file is an option of shelf")
	if got := okWithShelf(t, "cat", "--format", "csv", one); got != "x,y\n1,a\n" { // nobody says that it is a shelf
		t.Errorf("%q", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "wals"), 0o777); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "inspect", dir), 2, dir, "--from=kudu")
}

// A repeated option collects its values.
func TestRepeatedOption(t *testing.T) {
	dir := t.TempDir()
	one := makeShelf(t, dir, "one", "x,y\n1,a\n")
	if got := okWithShelf(t, "cat", "--from", "shelf", "--format", "csv", "--shelf-file", "rows.csv", one); got != "x,y\n1,a\n" {
		t.Errorf("%q", got)
	}
	fails(t, withShelf(t, "cat", "--from", "shelf", "--shelf-file", "a", "--shelf-file=b c", one), 1, "files a and b c")
	for _, bad := range []string{"", "a\nb"} {
		fails(t, withShelf(t, "cat", "--from", "shelf", "--shelf-file", bad, one), 2, "--shelf-file", "one line")
	}
	if help := okWithShelf(t, "cat", "--help"); !strings.Contains(help, "Options of shelf:\n  --shelf-file FILE") || !strings.Contains(help, "several times") {
		t.Error(help)
	}
}
