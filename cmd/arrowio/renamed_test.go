package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/view"
)

// renamedTable writes a Hive ACID table whose second and third column were renamed between its two transactions. at is in the third
// column of the older file.
func renamedTable(t *testing.T, at string) string {
	t.Helper()
	table := filepath.Join(t.TempDir(), "table")
	for i, second := range []string{"s", "renamed"} {
		write := i + 1
		delta := filepath.Join(table, fmt.Sprintf("delta_%07d_%07d_0000", write, write))
		if err := os.MkdirAll(delta, 0o777); err != nil {
			t.Fatal(err)
		}
		var rows []string
		for row := range 2 {
			rows = append(rows, fmt.Sprintf(`{"operation":0,"originalTransaction":%d,"bucket":536870912,"rowId":%d,"currentTransaction":%d,"row":{"id":%d,%q:"%s %d","when_%s":%q}}`,
				write, row, write, 10*write+row, second, second, row, second, at))
		}
		events := tableFile(t, filepath.Join(t.TempDir(), "events.arrow"), "["+strings.Join(rows, ",")+"]",
			"operation int32", "originalTransaction int64", "bucket int32", "rowId int64", "currentTransaction int64", "row event "+second)
		ok(t, "convert", "--to", "orc", events, filepath.Join(delta, "bucket_00000"))
		at = "2001-01-01 00:00:00"
	}
	return table
}

// Columns of a Hive ACID table that were renamed are found in every file by the name that the schema has, or by position.
func TestRenamedColumnsOfTables(t *testing.T) {
	table := renamedTable(t, "2000-01-01 00:00:00")
	const notShown = "warning: delta_0000001_0000001_0000/bucket_00000: columns that the newest file does not have are not shown: s, when_s"
	for _, c := range []struct {
		args []string
		out  string
		warn string
	}{
		{[]string{"--columns", "id,renamed"}, "10, 11, 20,renamed 0 21,renamed 1", notShown},
		{[]string{"--columns", "id,renamed", "--orc-by", "position"}, "10,s 0 11,s 1 20,renamed 0 21,renamed 1", ""},
		{[]string{"--schema", "struct<id:bigint,s:string>"}, "10,s 0 11,s 1 20, 21,", ""},
		{[]string{"--schema", "struct<ID:bigint,S:string>", "--orc-by", "name-any-case"}, "10,s 0 11,s 1 20, 21,", ""},
		{[]string{"--schema", "struct<id:bigint,renamed:string>"}, "10, 11, 20,renamed 0 21,renamed 1", ""},
		{[]string{"--schema", "struct<id:bigint,s:string>", "--orc-by", "position"}, "10,s 0 11,s 1 20,renamed 0 21,renamed 1", ""},
		{[]string{"--schema", "struct<id:bigint,s:string>", "--orc-by", "position", "--where", "s = 's 1'"}, "11,s 1", ""},
		{[]string{"--schema", "struct<id:bigint,s:string>", "--where", "s IS NULL AND id > 20"}, "21,", ""},
		{[]string{"--orc-by", "position", "--columns", "renamed", "--where", "renamed = 's 0'"}, "s 0", ""},
		{[]string{"--schema", "struct<id:bigint,other:string>"}, "10, 11, 20, 21,", "warning: columns of the schema are in no file, and null in every row: other"},
		{[]string{"--schema", "struct<s:string>"}, `s 0 s 1 "" ""`, "warning: delta_0000002_0000002_0000/bucket_00000: no column of the schema is there, and all are null in its rows"},
	} {
		o := do(t, append([]string{"cat", "--format", "csv", table}, c.args...)...)
		_, rows, _ := strings.Cut(strings.TrimSuffix(o.out, "\n"), "\n")
		if got := strings.ReplaceAll(rows, "\n", " "); o.code != 0 || got != c.out && !(strings.Contains(c.out, `""`) && strings.HasPrefix(got, "s 0 s 1")) {
			t.Errorf("%q: %+v", c.args, o)
		}
		want := ""
		if c.warn != "" {
			want = "arrowio: " + table + ": " + c.warn + "\n"
		}
		if o.err != want {
			t.Errorf("%q: %s", c.args, o.err)
		}
		args := append([]string{"count", table}, c.args...)
		for i := range args {
			if args[i] == "--columns" {
				args = append(args[:i], args[i+2:]...)
				break
			}
		}
		if o := do(t, args...); o.out != fmt.Sprintln(strings.Count(rows, "\n")+1) || o.code != 0 {
			t.Errorf("%q: %+v", args, o)
		}
	}
	fails(t, do(t, "cat", table, "--columns", "s", "--orc-by", "position"), 2, "s")

	var doc struct {
		Columns  []struct{ Path string }
		Shown    *shownInfo
		Warnings []any
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--orc-by", "position", "--schema", "struct<x:bigint,y:string>", table)), &doc); err != nil {
		t.Fatal(err)
	}
	want := []view.Field{
		{Path: "x", Type: "int64", From: "id", Stored: "int64", How: view.ShownAsItIs, Why: `named "id" in the file`},
		{Path: "y", Type: "utf8", From: "s", Stored: "utf8", How: view.ShownAsItIs, Why: `named "s" in the file`, Files: 1, FilesTotal: 2},
		{Path: "y", Type: "utf8", From: "renamed", Stored: "utf8", How: view.ShownAsItIs, Why: `named "renamed" in the file`, Files: 1, FilesTotal: 2},
	}
	if len(doc.Shown.Fields) < len(want) || !doc.Shown.Fits || len(doc.Warnings) != 0 || doc.Columns[1].Path != "y" {
		t.Fatalf("%+v", doc)
	}
	for i, f := range want {
		if doc.Shown.Fields[i] != f {
			t.Errorf("%+v", doc.Shown.Fields[i])
		}
	}
	if got := ok(t, "inspect", "--orc-by", "position", "--schema", "struct<x:bigint,y:string>", table); !strings.Contains(got, `in 1 of 2 files: named "s" in the file`) {
		t.Error(got)
	}
	if got := ok(t, "verify", "--orc-by", "position", "--schema", "struct<x:bigint,y:string>", table); !strings.Contains(got, ": ok") {
		t.Error(got)
	}
	fails(t, do(t, "cat", "--orc-by", "position", "--schema", "struct<x:date>", table), 1, "delta_0000001_0000001_0000/bucket_00000", "column x")
	out := filepath.Join(t.TempDir(), "out.csv")
	ok(t, "convert", "--orc-by", "position", "--columns", "renamed", table, out)
	if b, err := os.ReadFile(out); err != nil || string(b) != "renamed\ns 0\ns 1\nrenamed 0\nrenamed 1\n" {
		t.Errorf("%s, %v", b, err)
	}
}

// Times that nanoseconds cannot hold are read in microseconds under whatever name a file has them.
func TestRenamedTimesBeyondNanoseconds(t *testing.T) {
	table := renamedTable(t, "1500-01-01 00:00:00")
	for _, args := range [][]string{{"--columns", "when_renamed"}, {"--columns", "when_renamed", "--where", "when_renamed < '1600-01-01'"}, {}} {
		o := do(t, append([]string{"cat", "--orc-by", "position", table}, args...)...)
		if o.code != 0 || !strings.Contains(o.out, "1500-01-01T00:00:00.000000") || !strings.Contains(o.err, "in microseconds (") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}
