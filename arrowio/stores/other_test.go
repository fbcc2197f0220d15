package stores_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// shelf is a place of one file.
type shelf struct{ url, text string }

func (s shelf) Stat(_ context.Context, url string) (arrowio.TreeEntry, error) {
	if url != s.url {
		return arrowio.TreeEntry{}, &fs.PathError{Op: "stat", Path: url, Err: fs.ErrNotExist}
	}
	return arrowio.TreeEntry{Name: "x.csv", Size: int64(len(s.text))}, nil
}

func (s shelf) Open(ctx context.Context, url string) (arrowio.OpenSource, error) {
	if _, err := s.Stat(ctx, url); err != nil {
		return nil, err
	}
	return book{strings.NewReader(s.text)}, nil
}

func (shelf) Tree(string) (arrowio.Tree, error) { return nil, errors.New("there are none") }

type book struct{ *strings.Reader }

func (book) Close() error { return nil }

// A place of the program's own is read, also where the scheme is one of the known stores, and is not written to.
func TestOthers(t *testing.T) {
	const mine, own = "mine://a/x.csv", "s3://bucket/x.csv"
	s := stores.New(stores.Options{Others: map[string]stores.Place{"mine": shelf{mine, "text"}, "s3": shelf{own, "other"}, "file": shelf{"", ""}}})
	defer s.Close()
	if got := read(t, s, mine); got != "text" {
		t.Errorf("%q", got)
	}
	if got := read(t, s, own); got != "other" {
		t.Errorf("%q", got)
	}
	if e, err := s.Stat(t.Context(), mine); err != nil || e.Size != 4 {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := s.Stat(t.Context(), "file://"+t.TempDir()); err != nil {
		t.Errorf("this machine was replaced: %v", err)
	}
	if _, err := s.Open(t.Context(), "mine://none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	_, err := s.Create(t.Context(), mine, local.FileStoreOptions{})
	for _, err := range []error{err, s.Remove(t.Context(), mine), s.MakeDirectory(t.Context(), mine)} {
		if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "mine:// is only read") {
			t.Error(err)
		}
	}
}
