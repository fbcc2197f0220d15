package writers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

// Names that are not UTF-8 are refused before anything is written, wherever they are.
func TestNamesNotUTF8AreRefused(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	bad := arrow.StructOf(arrow.Field{Name: "p\xd2s", Type: i32})
	for _, f := range All() {
		o := arrowio.WriteOptions{}
		if f.Name == "kudu" {
			o.Options = map[string]string{"kudu-key": "a"}
		}
		for _, field := range []arrow.Field{
			{Name: "p\xd2s", Type: i32},
			{Name: "b", Type: bad},
			{Name: "b", Type: arrow.ListOf(bad)},
			{Name: "b", Type: arrow.MapOf(arrow.BinaryTypes.String, bad)},
			{Name: "b", Type: arrow.StructOf(arrow.Field{Name: "c", Type: bad})},
		} {
			_, err := f.Plan(arrow.NewSchema([]arrow.Field{{Name: "a", Type: i32}, field}, nil), o)
			if !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s, %v: %v", f.Name, field, err)
			}
		}
	}
}

// named returns a record of a column "pXs" and a struct with a child "qXz".
func named() arrow.Record {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "pXs", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b", Type: arrow.StructOf(arrow.Field{Name: "qXz", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "r", Type: arrow.PrimitiveTypes.Int64})},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, 2}, nil)
	st := b.Field(1).(*array.StructBuilder)
	st.AppendValues([]bool{true, true})
	st.FieldBuilder(0).(*array.Int64Builder).AppendValues([]int64{3, 4}, nil)
	st.FieldBuilder(1).(*array.Int64Builder).AppendValues([]int64{5, 6}, nil)
	return b.NewRecord()
}

// Files with names that are not UTF-8 are read under others, with a warning for each, and verification reports them. Every writer
// takes what is read.
func TestNamesNotUTF8AreRead(t *testing.T) {
	ctx := context.Background()
	rec := named()
	defer rec.Release()
	for ext, compression := range uncompressed {
		f, err := readers.OpenFile(ctx, misnamed(t, ext, compression, rec), readers.Options{})
		if err != nil {
			t.Errorf("%s: %v", ext, err)
			continue
		}
		checkNamed(t, ext, f)
		got := scanned(t, f)
		for _, out := range All() {
			if out.Name == "kudu" || out.Name == "cfile" { // they have no structs
				continue
			}
			write(t, filepath.Join(t.TempDir(), "out"+out.Extensions[0]), got, arrowio.WriteOptions{})
		}
		if st := got.Column(1).(*array.Struct); got.Column(0).(*array.Int32).Value(1) != 2 || st.Field(0).(*array.Int64).Value(1) != 4 {
			t.Errorf("%s: %v", ext, got)
		}
		got.Release()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// uncompressed says for the ending of a format how its names stay legible.
var uncompressed = map[string]string{".arrow": "", ".arrows": "", ".parquet": "", ".orc": "none", ".trv": "null"}

// misnamed writes rec, with names that are not UTF-8, and returns the path.
func misnamed(t *testing.T, ext, compression string, rec arrow.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in"+ext)
	write(t, path, rec, arrowio.WriteOptions{Compression: compression})
	b, err := os.ReadFile(path)
	if err == nil {
		b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("pXs"), []byte("p\xd2s")), []byte("qXz"), []byte("q\xffz"))
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func checkNamed(t *testing.T, ext string, f arrowio.File) {
	t.Helper()
	child := f.Schema().Field(1).Type.(*arrow.StructType).Field(0).Name
	if name := f.Schema().Field(0).Name; name != `p\xd2s` || child != `q\xffz` {
		t.Errorf("%s: names %q, %q", ext, name, child)
	}
	var columns []string
	for _, w := range arrowio.WarningsOf(f) {
		if w.Kind != arrowio.WarnDoubt || !utf8.ValidString(w.Text) {
			t.Errorf("%s: %v", ext, w)
		}
		columns = append(columns, w.Columns...)
	}
	if len(columns) != 2 || columns[0] != `p\xd2s` || columns[1] != `b.q\xffz` && ext != ".trv" {
		t.Errorf("%s: warnings about %q", ext, columns)
	}
	v, ok := arrowio.As[arrowio.Verifier](f)
	if !ok { // the caller of a scan reports Doubts
		return
	}
	faults := 0
	if err := v.Verify(t.Context(), func(err error) {
		var e *errs.Error
		if errors.As(err, &e) && e.Kind == errs.ErrCorrupt && e.Column != "" {
			faults++
		}
	}); err != nil || faults < 2 {
		t.Errorf("%s: %d faults, %v", ext, faults, err)
	}
}

func write(t *testing.T, path string, rec arrow.Record, o arrowio.WriteOptions) {
	t.Helper()
	w, err := Create(t.Context(), path, rec.Schema(), Options{Write: o})
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(path, err)
	}
}

// scanned returns the only batch of f.
func scanned(t *testing.T, f arrowio.File) arrow.Record {
	t.Helper()
	rows, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if !rows.Next() {
		t.Fatal("no rows", rows.Err())
	}
	rec := rows.Record()
	rec.Retain()
	return rec
}
