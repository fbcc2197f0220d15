package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
)

// Files that were read are not kept, since a table may have a hundred thousand. How much was read of them is known afterwards.
func TestClosedFilesAreNotKept(t *testing.T) {
	dir := t.TempDir()
	var size int64
	for i := range 20 {
		text := "id\n" + strconv.Itoa(i) + "\n"
		size += int64(len(text))
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newApp(t.Context(), nil, io.Discard, io.Discard)
	r := a.addReadFlags(&cobra.Command{})
	ds, err := a.openDataset(t.Context(), []string{dir}, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	rr, err := ds.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for rr.Next() {
		rows += rr.Record().NumRows()
	}
	if err := rr.Err(); err != nil || rows != 20 {
		t.Error(rows, err)
	}
	rr.Release()
	open := 0
	for _, reads := range ds.reads {
		for _, read := range reads {
			if read.of != nil {
				open++
			}
		}
	}
	if open > 1 { // the first stays open
		t.Errorf("%d files are kept", open)
	}
	if n := ds.read(); n != size {
		t.Errorf("%d of %d bytes were read", n, size)
	}
	if err := ds.close(); err != nil {
		t.Error(err)
	}
}
