package dataset

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// rowsOf reads a dataset as lines of text.
func rowsOf(t *testing.T, d *Dataset, columns ...string) string {
	t.Helper()
	s, err := d.Scan(context.Background(), arrowio.ScanOptions{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	var b strings.Builder
	for s.Next() {
		rec := s.Record()
		for i := range int(rec.NumRows()) {
			for k, c := range rec.Columns() {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(c.ValueStr(i))
			}
			b.WriteByte('\n')
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Files of several formats, with columns added, dropped and in another order.
func TestDatasetOfDifferentFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "1.csv"), "x,y\n1,a\n")
	put(t, filepath.Join(dir, "2.csv"), "y,z\nb,true\n")
	put(t, filepath.Join(dir, "3.jsonl"), "{\"z\":false,\"x\":7,\"n\":{\"k\":1}}\n")
	d, err := OpenAll(ctx, []string{dir}, Options{Formats: formats()})
	if err != nil {
		t.Fatal(err)
	}
	want := "1 a (null) (null)\n(null) b true (null)\n7 (null) false {1}\n"
	if got := rowsOf(t, d); strings.ReplaceAll(got, `{"k":1}`, "{1}") != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := rowsOf(t, d, "n.k", "z"); strings.Count(got, "\n") != 3 {
		t.Errorf("got %s", got)
	}
}

func TestDatasetByPosition(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "1.csv"), "_col0,_col1\n1,a\n")
	put(t, filepath.Join(dir, "2.csv"), "id,name,more\n2,b,0.5\n")
	for _, by := range []view.Match{view.ByName, view.ByPosition} { // _colN are no names
		d, err := OpenAll(ctx, []string{dir}, Options{Formats: formats(), Match: by})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := rowsOf(t, d, "id", "name", "more"), "1 a (null)\n2 b 0.5\n"; got != want {
			t.Errorf("%d: got\n%swant\n%s", by, got, want)
		}
	}
	put(t, filepath.Join(dir, "1.csv"), "a,b\n1,a\n")
	d, err := OpenAll(ctx, []string{dir}, Options{Formats: formats(), Match: view.ByPosition})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, d), "1 a (null)\n2 b 0.5\n"; got != want || d.Schema.Field(0).Name != "a" || d.Schema.Field(2).Name != "more" {
		t.Errorf("got\n%s%s", got, d.Schema)
	}
}

func TestDatasetOfClashingFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv")
	put(t, one, "x,y\n1,a\n")
	put(t, two, "x,y\nzwei,b\n")
	_, err := OpenAll(ctx, []string{dir}, Options{Formats: formats()})
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != "x" || !strings.HasPrefix(err.Error(), two+": ") || !strings.Contains(err.Error(), "int64 in "+one) {
		t.Errorf("got %v", err)
	}
	d, err := OpenAll(ctx, []string{dir}, Options{Formats: formats(), Columns: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, d); got != "a\nb\n" || d.Schema.Field(0).Type.ID() != arrow.STRING {
		t.Errorf("got %s%s", got, d.Schema)
	}
}

func TestMatch(t *testing.T) {
	for value, want := range map[string]view.Match{"name": view.ByName, "position": view.ByPosition} {
		if m, err := Match(map[string]string{"orc-by": value, "orc-strings": "position"}); err != nil || m != want {
			t.Errorf("%s: %v, %v", value, m, err)
		}
	}
	if _, err := Match(map[string]string{"orc-by": "x"}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// Columns whose names differ only in case are two columns, which is told if one of them is read.
func TestNamesInOtherCase(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv")
	put(t, one, "id,Name\n1,a\n")
	put(t, two, "ID,Name\n2,b\n")
	for _, c := range []struct {
		columns, exclude []string
		want             bool
	}{
		{nil, nil, true},
		{[]string{"id"}, nil, true},
		{[]string{"Name"}, nil, false},
		{[]string{}, nil, false},
		{nil, []string{"id", "ID"}, false},
		{nil, []string{"id"}, true},
	} {
		var told []arrowio.Warning
		o := Options{Formats: formats(), Columns: c.columns, Exclude: c.exclude, Warn: func(w arrowio.Warning) { told = append(told, w) }}
		if _, err := OpenAll(context.Background(), []string{dir}, o); err != nil {
			t.Fatal(err)
		}
		text := "id (" + one + ") and ID (" + two + ") differ only in case and are two columns"
		if len(told) > 1 || (len(told) == 1) != c.want || c.want && (told[0].File != one || told[0].Kind != arrowio.WarnDoubt || told[0].Text != text) {
			t.Errorf("%q %q: %+v", c.columns, c.exclude, told)
		}
	}
}

// A child of a struct that no file has is told, though some files do not have the struct.
func TestAbsentChild(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "1.jsonl"), `{"id":1,"st":{"p":1}}`+"\n")
	put(t, filepath.Join(dir, "2.jsonl"), `{"id":2}`+"\n")
	put(t, filepath.Join(dir, "3.jsonl"), `{"id":3,"a.b":1}`+"\n")
	put(t, filepath.Join(dir, "4.jsonl"), `{"id":4,"a":{"b":1}}`+"\n")
	i64 := arrow.PrimitiveTypes.Int64
	child := func(name string) arrow.Field { return arrow.Field{Name: name, Type: i64, Nullable: true} }
	st := func(name string, children ...arrow.Field) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.StructOf(children...), Nullable: true}
	}
	schema := arrow.NewSchema([]arrow.Field{child("id"), st("st", child("p"), child("zz")), child("a.b"), st("a", child("b"))}, nil)
	var told []string
	o := Options{Formats: formats(), Schema: schema, Warn: func(w arrowio.Warning) { told = append(told, string(w.Kind)+" "+w.String()) }}
	if _, err := OpenAll(context.Background(), []string{dir}, o); err != nil {
		t.Fatal(err)
	}
	if want := "missing-column columns of the schema are in no file, and null in every row: st.zz"; len(told) != 1 || told[0] != want {
		t.Errorf("%q", told)
	}
}
