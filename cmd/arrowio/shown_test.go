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

// Inspect tells what becomes of each column, verify whether the rows fit, and dump that it has nothing to do with it.
func TestSchemaOfFiles(t *testing.T) {
	dir := t.TempDir()
	file := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"id":1,"name":"5","p":{"x":1,"y":"a"}},{"id":2,"name":"x"}]`, "id int32", "name text", "p xy")
	schema := []string{"--schema", "struct<name:bigint,id:bigint,p:struct<x:int>,more:string>"}

	got := ok(t, append([]string{"inspect", "--cast", "java", file}, schema...)...)
	for _, want := range []string{"read as the schema asked for, which it fits:", "what does not fit is null", "widened", "the file does not have it", "left out"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	var doc struct {
		Pruning *struct{ Filter string }
		Shown   *struct {
			Fits   bool
			Fields []view.Field
		}
	}
	inspect := func(args ...string) {
		t.Helper()
		doc.Shown = nil
		if err := json.Unmarshal([]byte(ok(t, append([]string{"inspect", "--json", file}, args...)...)), &doc); err != nil {
			t.Fatal(err)
		}
	}
	inspect(append(schema, "--cast", "java", "--where", "more IS NULL")...)
	var lines []string
	for _, f := range doc.Shown.Fields {
		lines = append(lines, f.Path+" "+f.Type+" <- "+f.From+" "+f.Stored+": "+f.How)
	}
	if got, want := strings.Join(lines, "\n"), `name int64 <- name utf8: cast
id int64 <- id int32: widened
p struct<x: int32> <- p struct<x: int8, y: utf8>: inside
p.x int32 <- p.x int8: widened
  <- p.y utf8: left out
more utf8 <-  : null`; got != want || !doc.Shown.Fits || doc.Pruning == nil {
		t.Errorf("%v\n%s", doc.Shown.Fits, got)
	}
	inspect(schema...)
	if f := doc.Shown.Fields[0]; doc.Shown.Fits || f.How != view.ShownImpossible || !strings.Contains(f.Why, "utf8") {
		t.Errorf("%+v", doc.Shown)
	}
	if inspect(); doc.Shown != nil {
		t.Errorf("%+v", doc.Shown)
	}
	fails(t, do(t, append([]string{"inspect", "--where", "id = 1", file}, schema...)...), 1, "column name", "int64 cannot hold every utf8; --cast=java converts")
	text := filepath.Join(t.TempDir(), "text.jsonl")
	if err := os.WriteFile(text, []byte(`{"id":45}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, "count", "--where", "id = 45", "--schema", "struct<id:int>", text); got != "1\n" { // text is read as the type
		t.Errorf("got %q", got)
	}
	if o := do(t, "cat", "--schema", "struct<id:array<int>>", text); o.code != 1 || strings.Contains(o.err, "--cast=java") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "inspect", "--cast", "java", file), 2, "--schema, which is missing")

	if got := ok(t, append([]string{"verify", "--cast", "java", file}, schema...)...); !strings.Contains(got, ": ok") {
		t.Error(got)
	}
	o := do(t, append([]string{"verify", file}, schema...)...)
	if o.code != 1 || !strings.Contains(o.out, "column name: ") || !strings.Contains(o.err, "1 fault found") {
		t.Errorf("%+v", o)
	}
	// Of a value that does not fit only its row tells.
	times := tableFile(t, filepath.Join(dir, "t.arrow"), `[{"t":"2020-01-01 00:00:00"},{"t":"9999-01-01 00:00:00"}]`, "t seconds")
	out := filepath.Join(dir, "t.orc")
	ok(t, "convert", times, out)
	for _, name := range []string{times, out} {
		o = do(t, "verify", "--timestamp-unit", "s", "--schema", `{"fields":[{"name":"t","type":"timestamp[ns, tz=UTC]"}]}`, name)
		if name == times { // which takes no such option
			o = do(t, "verify", "--schema", `{"fields":[{"name":"t","type":"timestamp[ns, tz=UTC]"}]}`, name)
		}
		if o.code != 1 || !strings.Contains(o.out, "does not fit") {
			t.Errorf("%s: %+v", name, o)
		}
	}

	fails(t, do(t, "dump", "--schema", "struct<id:int>", out), 2, "dump shows bytes", "arrowio cat")
	fails(t, do(t, "dump", "--cast", "java", out), 2, "dump shows bytes")
	if got := ok(t, "dump", "--help"); strings.Contains(got, "--schema FILE|TEXT") {
		t.Error("dump offers --schema")
	}
}

// Columns of --schema that no file has are told; where no file has any, that is an error which says what they have.
func TestSchemaNamesNothing(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.csv"), filepath.Join(dir, "two.csv")
	for path, text := range map[string]string{one: "a,b\n1,2\n", two: "a,c\n3,4\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const absent = "columns of the schema are in no file, and null in every row: "
	for _, c := range []struct {
		args []string
		out  string
		err  string
	}{
		{[]string{"--schema", "struct<a:bigint,c:bigint>", one, two}, "a,c\n1,\n3,4\n", ""},
		{[]string{"--schema", "struct<a:bigint,d:bigint,e:string>", one, two}, "a,d,e\n1,,\n3,,\n", absent + "d, e"},
		{[]string{"--schema", "struct<a:bigint,d:bigint,e:string>", "--columns", "a,e", one}, "a,e\n1,\n", absent + "e"},
		{[]string{"--schema", "struct<a:bigint,d:bigint>", "--columns", "a", one}, "a\n1\n", ""},
		{[]string{"--schema", `{"fields":[{"name":"a","type":"int64"},{"name":"","type":"utf8"}]}`, one}, "a,\"\"\n1,\n", absent + `""`},
		{[]string{"--schema", `{"fields":[{"name":"a","type":"int64"},{"name":"","type":"utf8"}]}`, "--columns", "a", one}, "a\n1\n", ""},
		{[]string{"--schema", `{"fields":[{"name":"a","type":"int64"},{"name":"","type":"utf8"}]}`, "--columns", `""`, one}, "\"\"\n\n", absent + `""`},
	} {
		o := do(t, append([]string{"cat", "--format", "csv"}, c.args...)...)
		want := ""
		if c.err != "" {
			want = "arrowio: " + one + ": warning: " + c.err + "\n"
		}
		if o.code != 0 || o.out != c.out || o.err != want {
			t.Errorf("%q: %+v", c.args, o)
		}
	}
	fails(t, do(t, "cat", "--schema", "struct<x:bigint,y:string>", one, two), 1, "no file has any column of the schema (x, y); the first file has a, b")

	// The same where the schema is that of an Iceberg table.
	const file = "../../testdata/orc/java-2.3.1/pruning.orc"
	table := func(names ...string) string {
		var fields []string
		for i, n := range names {
			fields = append(fields, fmt.Sprintf(`{"id":%d,"name":%q,"required":false,"type":"long"}`, i+1, n))
		}
		return `{"type":"struct","schema-id":0,"fields":[` + strings.Join(fields, ",") + `]}`
	}
	o := do(t, "cat", "--limit", "1", "--orc-iceberg-schema", table("id__mono", "other"), file)
	if o.code != 0 || o.err != "arrowio: "+file+": warning: "+absent+"other\n" {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "cat", "--orc-iceberg-schema", table("other", "another"), file), 1, "no file has any column of the schema (other, another); the first file has id__mono")
}

// All columns of a Hive table may have been renamed in its catalog: what files were written with the old names is null then, and
// found by position where that is asked for. Files that lie in no table of Hive keep the error.
func TestEveryColumnRenamed(t *testing.T) {
	dir := t.TempDir()
	copyTo := func(from, to string) string {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o777)
		}
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	const plain = "../../testdata/orc/java-2.3.1/pruning.orc"
	acid, hive := filepath.Join(dir, "acid"), filepath.Join(dir, "hive")
	acidTable(t, acid)
	copyTo(plain, filepath.Join(hive, "day=1", "000000_0"))
	for _, table := range []string{acid, hive} {
		o := do(t, "cat", "--format", "csv", "--limit", "2", "--columns", "x,y", "--schema", "struct<x:bigint,y:string>", table)
		if o.code != 0 || o.out != "x,y\n,\n,\n" || !strings.Contains(o.err, "warning: no file has any column of the schema, and all are null in every row (the first file has ") {
			t.Errorf("%+v", o)
		}
		o = do(t, "cat", "--format", "csv", "--limit", "2", "--columns", "x", "--schema", "struct<x:bigint>", "--orc-by", "position", table)
		if o.code != 0 || o.err != "" || strings.Contains(o.out, "\n\n") {
			t.Errorf("by position: %+v", o)
		}
	}
	flat := copyTo(plain, filepath.Join(dir, "flat", "000000_0"))
	fails(t, do(t, "cat", "--schema", "struct<x:bigint,y:string>", filepath.Dir(flat)), 1, "no file has any column of the schema (x, y)")
	fails(t, do(t, "cat", "--schema", "struct<x:bigint,y:string>", acid, plain), 1, "no file has any column of the schema (x, y)")
}

// Without a schema there is no name to compare with, which is said before a file is read.
func TestNamesInAnyCaseNeedSchema(t *testing.T) {
	const file = "../../testdata/orc/java-2.3.1/pruning.orc"
	for _, command := range []string{"cat", "count", "inspect", "verify", "schema", "scan"} {
		fails(t, do(t, command, "--orc-by", "name-any-case", file), 2, "--orc-by=name-any-case needs --schema, which says how the names are written")
	}
	if o := do(t, "cat", "--format", "csv", "--limit", "1", "--orc-by", "name-any-case", "--schema", "struct<ID__mono:bigint>", file); o.code != 0 || o.out != "ID__mono\n0\n" {
		t.Errorf("%+v", o)
	}
	help := strings.Join(strings.Fields(ok(t, "cat", "--help")), " ")
	if !strings.Contains(help, "how columns of several files are matched with each other, or with --schema; name-any-case needs --schema") {
		t.Error("the help does not say that name-any-case needs --schema")
	}
}
