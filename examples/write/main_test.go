package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/readers"
)

// What the program writes is there, whole, and reads as what was written.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "squares.orc")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f, err := readers.OpenFile(t.Context(), path, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := f.Splits(); len(s) == 0 || s[len(s)-1].Rows.End != 20_000 {
		t.Errorf("splits %v", s)
	}
	if !f.Schema().Equal(schema) && f.Schema().NumFields() != 2 {
		t.Errorf("schema %v", f.Schema())
	}
}
