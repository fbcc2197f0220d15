package writers

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

func record() arrow.Record {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "row", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 0, 3}, []bool{true, false, true})
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "", ""}, []bool{true, true, false})
	b.Field(2).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	return b.NewRecord()
}

// TestEveryFormat writes a file by each ending and reads it back.
func TestEveryFormat(t *testing.T) {
	ctx := context.Background()
	rec := record()
	defer rec.Release()
	for _, f := range All() {
		for _, ext := range f.Extensions {
			path := filepath.Join(t.TempDir(), "out"+ext)
			var o Options
			if f.Name == "kudu" { // a table has a key
				o.Write.Options = map[string]string{"kudu-key": "row"}
			}
			w, err := Create(ctx, path, rec.Schema(), o)
			if err != nil {
				t.Fatal(ext, err)
			}
			if err := w.Write(rec); err != nil {
				t.Fatal(ext, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there before it is closed: %v", ext, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(ext, err)
			}
			file, err := readers.OpenFile(ctx, path, readers.Options{})
			if err != nil {
				t.Fatal(ext, err)
			}
			rr, err := arrowio.Scan(ctx, file, arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(ext, err)
			}
			rows := 0
			for rr.Next() {
				got := rr.Record()
				for c, field := range rec.Schema().Fields() {
					g, w := got.Column(got.Schema().FieldIndices(field.Name)[0]), rec.Column(c) // key columns come first
					if !array.Equal(g, w) {
						t.Errorf("%s: %v, want %v", ext, g, w)
					}
				}
				rows += int(rr.Record().NumRows())
			}
			if rr.Err() != nil || rows != 3 {
				t.Errorf("%s: %d rows, %v", ext, rows, rr.Err())
			}
			rr.Release()
			file.Close()
		}
	}
}

func TestCreate(t *testing.T) {
	ctx := context.Background()
	rec := record()
	defer rec.Release()
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(ctx, path, rec.Schema(), Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	w, err := Create(ctx, path, rec.Schema(), Options{Force: true, Format: "jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); !strings.HasPrefix(string(b), `{"i":1,"s":"a",`) {
		t.Errorf("got %s", b)
	}
}

func TestUnknown(t *testing.T) {
	ctx := context.Background()
	s := arrow.NewSchema(nil, nil)
	for _, c := range []struct {
		path string
		o    Options
		says string
	}{{"out.xyz", Options{}, "--to"}, {"out", Options{}, ".parquet"}, {"out.csv", Options{Format: "xyz"}, "trevni"}} {
		_, err := Create(ctx, filepath.Join(t.TempDir(), c.path), s, c.o)
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

// TestByExtension: the ending of a directory's name counts, whether a slash follows or not.
func TestByExtension(t *testing.T) {
	for path, want := range map[string]string{"a.kudu": "kudu", "a.kudu/": "kudu", "b/a.cfile///": "cfile", "a.KUDU/": "kudu", "x.kudu/a.orc": "orc"} {
		if f, err := ByExtension(path); err != nil || f.Name != want {
			t.Errorf("%s: %s, %v", path, f.Name, err)
		}
	}
}

// A format that is named packs text as the ending of the path says, and files of other formats not at all.
func TestFor(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	gzip, zstd := "\x1f\x8b", "\x28\xb5\x2f\xfd"
	for _, x := range []struct{ name, path, codec, begins, fault string }{
		{"csv", "x.csv.gz", "", gzip, ""},
		{"jsonl", "x.zst", "", zstd, ""},
		{"csv", "X.GZ", "gzip:9", gzip, ""},
		{"csv", "x.csv", "", "a", ""},
		{"", "x.jsonl.gz", "", gzip, ""},
		{"parquet", "x.gz", "", "PAR1", ""},
		{"csv", "x.csv.gz", "zstd", "", "the extension of the output says gzip"},
		{"none", "x", "", "", "unknown output format"},
	} {
		path := filepath.Join(t.TempDir(), x.path)
		w, err := Create(t.Context(), path, s, Options{Format: x.name, Write: arrowio.WriteOptions{Compression: x.codec}})
		if x.fault != "" {
			if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), x.fault) {
				t.Errorf("%v: %v", x, err)
			}
			continue
		}
		if err == nil {
			err = w.Close()
		}
		b, _ := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(b), x.begins) {
			t.Errorf("%v: %v, %q", x, err, b)
		}
	}
}

func TestNamesAreThoseOfReaders(t *testing.T) {
	for _, f := range All() {
		r, err := readers.Lookup(f.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		for i, e := range f.Extensions {
			if i < len(r.Extensions) && r.Extensions[i] != e {
				t.Errorf("%s: %s to write, %s to read", f.Name, e, r.Extensions[i])
			}
		}
	}
}
