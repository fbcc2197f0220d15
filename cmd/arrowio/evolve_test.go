package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// tableFile writes rows given as JSON; fields are "name type".
func tableFile(t *testing.T, path, rows string, fields ...string) string {
	t.Helper()
	types := map[string]arrow.DataType{
		"int8": arrow.PrimitiveTypes.Int8, "int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64, "float": arrow.PrimitiveTypes.Float32, "double": arrow.PrimitiveTypes.Float64,
		"text": arrow.BinaryTypes.String, "plain seconds": &arrow.TimestampType{Unit: arrow.Second}, "seconds": arrow.FixedWidthTypes.Timestamp_s, "nanos": arrow.FixedWidthTypes.Timestamp_ns,
		"xy":    arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}),
		"yx":    arrow.StructOf(arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}),
		"event": arrow.StructOf(arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_s, Nullable: true}),
	}
	for _, second := range []string{"s", "renamed"} {
		types["event "+second] = arrow.StructOf(arrow.Field{Name: "id", Type: types["int64"], Nullable: true}, arrow.Field{Name: second, Type: types["text"], Nullable: true}, arrow.Field{Name: "when_" + second, Type: types["seconds"], Nullable: true})
	}
	var list []arrow.Field
	for _, f := range fields {
		name, typ, _ := strings.Cut(f, " ")
		list = append(list, arrow.Field{Name: name, Type: types[typ], Nullable: true})
	}
	s := arrow.NewSchema(list, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return writeIPC(t, path, s, rec)
}

func TestFilesOfDifferentSchemas(t *testing.T) {
	dir := t.TempDir()
	a := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"id":1,"name":"one","p":{"x":1,"y":"a"}}]`, "id int32", "name text", "p xy")
	tableFile(t, filepath.Join(dir, "tmp.arrow"), `[{"extra":2.5,"p":{"y":"b","x":1000},"id":30000000000}]`, "extra double", "p yx", "id int64")
	b := filepath.Join(dir, "b.parquet")
	ok(t, "convert", filepath.Join(dir, "tmp.arrow"), b)
	lines := `{"id":1,"name":"one","p":{"x":1,"y":"a"},"extra":null}
{"id":30000000000,"name":null,"p":{"x":1000,"y":"b"},"extra":2.5}
`
	if got := ok(t, "cat", "--format", "jsonl", a, b); got != lines {
		t.Errorf("got\n%swant\n%s", got, lines)
	}
	sub := t.TempDir()
	ok(t, "convert", a, filepath.Join(sub, "a.parquet"))
	ok(t, "convert", b, filepath.Join(sub, "b.arrow"))
	if got := ok(t, "cat", "--format", "jsonl", "--jobs", "1", sub); got != lines {
		t.Errorf("a directory: got\n%swant\n%s", got, lines)
	}
	for _, ending := range []string{".arrow", ".parquet", ".jsonl"} {
		out := filepath.Join(t.TempDir(), "out"+ending)
		ok(t, "convert", a, b, out)
		if got := ok(t, "cat", "--format", "jsonl", "--columns", "extra,id", out); got != "{\"extra\":null,\"id\":1}\n{\"extra\":2.5,\"id\":30000000000}\n" {
			t.Errorf("%s: got %s", ending, got)
		}
	}
	if got := ok(t, "cat", "--format", "csv", "--columns", "p.x", "--where", "extra IS NOT NULL OR p.x = 1", a, b); strings.Count(got, "\n") != 3 {
		t.Errorf("got %s", got)
	}
	if got := ok(t, "schema", a, b); !strings.Contains(got, "id: int64") || !strings.Contains(got, "x: int32") || !strings.Contains(got, "extra: float64") {
		t.Errorf("got %s", got)
	}
	if got := ok(t, "scan", "--json", "--repeat", "2", a, b); !strings.Contains(got, `"rows": 2`) {
		t.Errorf("got %s", got)
	}
}

// What would lose values is refused, with the column and both files; other columns can be read.
func TestFilesThatClash(t *testing.T) {
	dir := t.TempDir()
	a := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"id":1,"v":1}]`, "id int32", "v int64")
	b := tableFile(t, filepath.Join(dir, "b.arrow"), `[{"v":0.5,"id":2}]`, "v double", "id int64")
	out := filepath.Join(dir, "out.arrow")
	for _, args := range [][]string{{"cat", a, b}, {"schema", a, b}, {"scan", a, b}, {"convert", a, b, out}, {"cat", "--columns", "id", "--where", "v > 0", a, b}} {
		fails(t, do(t, args...), 1, "arrowio: "+b+": column v: ", "float64", "int64 in "+a, "--exclude")
	}
	if got, want := ok(t, "cat", "--format", "jsonl", "--columns", "id", a, b), "{\"id\":1}\n{\"id\":2}\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	fails(t, do(t, "cat", "--columns", "id,nope", a, b), 2, "nope")
	only(t, dir, "a.arrow", "b.arrow")
}

// A value that the common type cannot hold is told when it comes.
func TestFilesWithValuesTooLarge(t *testing.T) {
	dir := t.TempDir()
	a := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"t":"2020-01-01 00:00:00"}]`, "t nanos")
	b := tableFile(t, filepath.Join(dir, "b.arrow"), `[{"t":"2020-01-01 00:00:00"},{"t":"9999-01-01 00:00:00"}]`, "t seconds")
	out := filepath.Join(dir, "out.arrow")
	fails(t, do(t, "convert", a, b, out), 1, "arrowio: "+b+": column t: ", "does not fit")
	only(t, dir, "a.arrow", "b.arrow")
	if got := ok(t, "cat", "--format", "jsonl", "--rows", ":2", a, b); strings.Count(got, "2020-01-01") != 2 {
		t.Errorf("got %s", got)
	}
}

// Standard input is read once, wherever it stands.
func TestStandardInputAmongFiles(t *testing.T) {
	dir := t.TempDir()
	a := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"id":1}]`, "id int64")
	stdin, err := os.ReadFile(tableFile(t, filepath.Join(dir, "in.arrow"), `[{"id":2,"name":"two"}]`, "id int64", "name text"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{a, "-"}, "{\"id\":1,\"name\":null}\n{\"id\":2,\"name\":\"two\"}\n"},
		{[]string{"-", a}, "{\"id\":2,\"name\":\"two\"}\n{\"id\":1,\"name\":null}\n"},
	} {
		o := doWith(t, context.Background(), bytes.NewReader(stdin), append([]string{"cat", "--format", "jsonl"}, c.args...)...)
		if o.code != 0 || o.out != c.want {
			t.Errorf("%v: exit %d, %s%s", c.args, o.code, o.out, o.err)
		}
	}
}

func TestNumberedColumns(t *testing.T) {
	dir := t.TempDir()
	a := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"_col0":1,"_col1":"old"}]`, "_col0 int32", "_col1 text")
	b := tableFile(t, filepath.Join(dir, "b.arrow"), `[{"id":2,"name":"new"}]`, "id int64", "name text")
	if got, want := ok(t, "cat", "--format", "jsonl", a, b), "{\"id\":1,\"name\":\"old\"}\n{\"id\":2,\"name\":\"new\"}\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}
