package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers/csv"
)

// shelf is a format that is a directory: the rows of "rows.csv" in it.
func shelf() arrowio.Format {
	return arrowio.Format{
		Name:       "shelf",
		Extensions: []string{".csv"}, // which must not count
		Match:      func([]byte, []byte) bool { return true },
		OpenPath: func(ctx context.Context, path string, o arrowio.OpenOptions) (arrowio.File, error) {
			src, err := local.OpenFile(filepath.Join(path, "rows.csv"))
			if err != nil {
				return nil, err
			}
			f, err := csv.Format().Open(ctx, src, arrowio.OpenOptions{Limits: o.Limits})
			if err != nil {
				return nil, errors.Join(err, src.Close())
			}
			return owner{f, src}, nil
		},
	}
}

func TestDirectoryFormat(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	put(t, filepath.Join(one, "rows.csv"), "x,y\n1,a\n")
	put(t, filepath.Join(one, "other.csv"), "z\n1\n")
	put(t, filepath.Join(two, "rows.csv"), "x,y\n2,b\n")
	o := Options{Format: "shelf", Formats: append(formats(), shelf())}

	paths, err := expand(t.Context(), []string{two, one}, o)
	if err != nil || len(paths) != 2 || paths[0] != two {
		t.Errorf("%v, %v", paths, err)
	}
	d, err := OpenAll(ctx, []string{two, one}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, d), "2 b\n1 a\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if f, err := o.directory(); err != nil || f.Name != "shelf" {
		t.Errorf("%s, %v", f.Name, err)
	}

	if _, err := Open(ctx, filepath.Join(one, "rows.csv"), o); !errors.Is(err, errs.ErrOption) {
		t.Errorf("a file: %v", err)
	}
	if _, err := Open(ctx, filepath.Join(dir, "none"), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := OpenSource(ctx, local.NewBytesSource([]byte("x\n1\n")), "x.csv", o); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "shelf") {
		t.Errorf("bytes: %v", err)
	}
}

// Neither content nor ending chooses a format that is a directory.
func TestDirectoryFormatIsNotGuessed(t *testing.T) {
	ctx := context.Background()
	known := []arrowio.Format{shelf(), csv.Format()}
	f, err := choose(t.Context(), local.NewBytesSource([]byte("x\n1\n")), "x.csv", Options{Formats: known})
	if err != nil || f.Name != "csv" {
		t.Errorf("%s, %v", f.Name, err)
	}
	if _, err := choose(t.Context(), local.NewBytesSource([]byte("x\n1\n")), "x", Options{Formats: known}); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "notes"), "something\n")
	if _, err := OpenAll(ctx, []string{dir}, Options{Formats: known}); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := Open(ctx, dir, Options{Formats: formats(), Format: "nonesuch"}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	if f, err := (Options{Formats: formats(), Format: "csv"}).directory(); err != nil || f.OpenPath != nil {
		t.Errorf("%s, %v", f.Name, err)
	}
}

// A tablet server's directories hold files that would read as columns without a table.
func TestTabletServerDirectory(t *testing.T) {
	const magic = "kuducntr\x02\x00\x00\x00"
	for name, files := range map[string]map[string]string{
		"metadata":         {"tablet-meta/0123": magic},
		"logs":             {"wals/0123/wal-000000001": "x"},
		"the whole server": {"wal/instance": magic, "data/instance": magic},
		"data":             {"instance": magic, "data/1.data": "x"},
		"blocks":           {"block_manager_instance": magic, "1.data": "x"},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "rows.csv"), "x\n1\n")
		for f, text := range files {
			put(t, filepath.Join(dir, filepath.FromSlash(f)), text)
		}
		_, err := expand(t.Context(), []string{dir}, Options{Formats: formats()})
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "--from=kudu") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := expand(t.Context(), []string{dir}, Options{Formats: formats(), Format: "csv"}); err != nil || len(got) == 0 {
			t.Errorf("%s, read as csv: %v, %v", name, got, err)
		}
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "rows.csv"), "x\n1\n")
	put(t, filepath.Join(dir, "instance"), "of something else")
	put(t, filepath.Join(dir, "wals.csv"), "x\n1\n")
	if err := os.Mkdir(filepath.Join(dir, "block_manager_instance"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got, err := expand(t.Context(), []string{dir}, Options{Formats: formats()}); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}
