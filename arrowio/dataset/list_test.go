package dataset

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestExpand(t *testing.T) {
	dir := mixedTree(t)
	rel := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, filepath.FromSlash(names[i]))
		}
		return names
	}
	for _, c := range []struct{ args, want []string }{
		{rel(""), rel("a.csv", "b.csv", "sub/c.csv", "unnamed")},
		{rel("*.csv"), rel("a.csv", "b.csv")},
		{rel(".h*"), rel(".hidden.csv")},
		{rel("s*"), rel("sub/c.csv")},
		{rel("notes.txt", "sub"), rel("notes.txt", "sub/c.csv")},
	} {
		got, err := expand(t.Context(), c.args, Options{Formats: formats()})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, %v", c.args, got, err)
		}
	}
	for _, missing := range []string{"nothing", "nothing*", "no/thing.csv", "?SUCCESS"} {
		if _, err := expand(t.Context(), rel(missing), Options{Formats: formats()}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if _, err := expand(t.Context(), rel("["), Options{Formats: formats()}); err == nil {
		t.Error("a broken pattern stands for something")
	}
	if _, err := expand(t.Context(), []string{t.TempDir()}, Options{Formats: formats()}); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("an empty directory: %v", err)
	}
	odd := filepath.Join(dir, "odd[1].csv")
	put(t, odd, "x\n")
	if got, err := expand(t.Context(), []string{odd}, Options{Formats: formats()}); err != nil || len(got) != 1 {
		t.Errorf("a file whose name is a pattern: %v, %v", got, err)
	}
}

func TestDataset(t *testing.T) {
	ctx := context.Background()
	dir := mixedTree(t)
	d, err := OpenAll(ctx, []string{filepath.Join(dir, "*.csv"), filepath.Join(dir, "sub")}, Options{Formats: formats()})
	if err != nil {
		t.Fatal(err)
	}
	rr, err := d.Scan(ctx, arrowio.ScanOptions{Columns: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var got []string
	for rr.Next() {
		for i := 0; i < int(rr.Record().NumRows()); i++ {
			got = append(got, strings.Clone(rr.Record().Column(0).ValueStr(i)))
		}
	}
	if err := rr.Err(); err != nil || strings.Join(got, " ") != "a.csv b.csv sub/c.csv" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := OpenAll(ctx, nil, Options{Formats: formats()}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("no files: %v", err)
	}
	if _, err := OpenAll(ctx, []string{filepath.Join(dir, "notes.txt")}, Options{Formats: formats()}); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("got %v", err)
	}
}
