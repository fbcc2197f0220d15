package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// What is said of columns of one name is said once. A size of row groups where there are none is wrong usage.
func TestNoteOfSameNames(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out.arrow")
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(1)
	b.Field(1).(*array.Int64Builder).Append(2)
	rec := b.NewRecord()
	defer rec.Release()
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(s))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "convert", in, out); o.code != 0 || strings.Count(o.err, "2 columns have this name") != 1 {
		t.Errorf("%d: %s", o.code, o.err)
	}
	if o := do(t, "convert", "--row-group-bytes", "1MiB", in, filepath.Join(dir, "x.csv")); o.code != exitUsage || !strings.Contains(o.err, "--row-group-bytes: the format has no row groups") {
		t.Errorf("%d: %s", o.code, o.err)
	}
}
