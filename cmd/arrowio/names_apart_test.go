package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/writers"
)

// Names that look alike are escaped, those that do not stay as they are.
func TestNamesThatLookAlike(t *testing.T) {
	got := toldApart([]string{"\u00fc", "u\u0308", "ö", "a", "\u0430", "b"})
	if want := []string{`"\u00fc"`, `"u\u0308"`, "ö", "a", `"\u0430"`, "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Inspect, schema and cat tell names that look alike apart, and quote names with blanks, of every format but Trevni, whose stored names have neither.
func TestNamesAreToldApart(t *testing.T) {
	names := []string{"name", "n\u0430me", "na\u200bme", "a b", " x", "plain"}
	fields := make([]arrow.Field, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range fields {
		b.Field(i).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, ext := range []string{"arrow", "orc", "parquet", "avro", "csv", "jsonl"} {
		path := filepath.Join(t.TempDir(), "x."+ext)
		w, err := writers.Create(t.Context(), path, rec.Schema(), writers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(ok(t, "inspect", "--blocks", path), "\n")
		for _, want := range []string{"name ", `"n\u0430me" `, `na\u{200b}me `, `"a b" `, `" x" `, "plain "} {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
				t.Errorf("%s: no line begins with %s:\n%s", ext, want, strings.Join(lines, "\n"))
			}
		}
		schema, expanded := ok(t, "schema", path), ok(t, "cat", "--expanded", path)
		for _, want := range []string{`"n\u0430me"`, `na\u{200b}me`, `"a b"`, `" x"`} {
			if !strings.Contains(schema, "─ "+want+": ") || !strings.Contains(expanded, want+" ") {
				t.Errorf("%s: %s is not in\n%s\n%s", ext, want, schema, expanded)
			}
		}
		for _, l := range lines {
			if strings.HasPrefix(l, "a b") || strings.HasPrefix(l, "n\u0430me") {
				t.Errorf("%s: %s", ext, l)
			}
		}
	}
}
