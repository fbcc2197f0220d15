package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Columns that --schema leaves out are told wherever rows are written, and are an error where rows go into a table.
func TestColumnsLeftOut(t *testing.T) {
	dir := t.TempDir()
	csv := fileOf(t, dir, "in.csv", "id,name,amount\n2,b,99\n")
	lines := fileOf(t, dir, "in.jsonl", `{"id":2,"name":"b","s":{"x":1,"y":2},"l":[{"p":1,"q":2}]}`+"\n")
	parquet := filepath.Join(dir, "in.parquet")
	ok(t, "convert", csv, parquet)
	out, table := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "table")
	ok(t, "convert", "--to", "iceberg", fileOf(t, dir, "first.csv", "id,name\n1,a\n"), table)
	const two = "struct<id:bigint,name:string>"
	const kind = "columns that are not in the schema asked for are left out: "
	for _, c := range []struct {
		in, schema string
		flags      []string
		told       string // "" = nothing
	}{
		{csv, two, nil, "amount"},
		{csv, table, nil, "amount"},
		{parquet, two, nil, "amount"},
		{lines, two, nil, "l, s"},
		{lines, "struct<id:bigint,name:string,s:struct<x:bigint>,l:array<struct<p:bigint>>>", nil, "l.item.q, s.y"},
		{lines, "struct<id:bigint,name:string,s:struct<x:bigint>,l:array<struct<p:bigint>>>", []string{"--columns", "id,s"}, "s.y"},
		{csv, two, []string{"--columns", "id"}, ""},
		{csv, two, []string{"--exclude", "name"}, "amount"},
		{csv, two, []string{"--exclude", "amount"}, ""},
		{csv, two, []string{"--exclude", "amount,name"}, ""},
		{csv, "struct<id:bigint,name:string,amount:bigint>", nil, ""},
	} {
		for _, more := range [][]string{{"--dry-run", "--force"}, {"--force"}} {
			args := append(append(append([]string{"convert", "--schema", c.schema}, more...), c.flags...), c.in, out)
			want := ""
			if c.told != "" {
				want = "arrowio: " + c.in + ": warning: " + kind + c.told + "\n"
			}
			o := do(t, args...)
			if o.code != 0 || sortedNames(o.err) != want {
				t.Errorf("%q: exit %d, %q, not %q", args, o.code, o.err, want)
			}
			if more[0] == "--dry-run" && strings.Contains(o.out, "nothing lost") != (c.told == "") {
				t.Errorf("%q: %s", args, o.out)
			}
		}
	}
	o := do(t, "convert", "--force", "--schema", two, "--json", csv, out)
	conforms(t, "convert", o.out)
	if !strings.Contains(o.out, `"kind": "left-out-column"`) || !strings.Contains(o.out, `"loss": "is not in the schema asked for and is left out"`) {
		t.Error(o.out)
	}
	if o := do(t, "schema", "--schema", two, csv); o.err != "arrowio: "+csv+": warning: "+kind+"amount\n" {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "convert", "--force", "--schema", two, "--exclude", "other", csv, out), 2, "other")

	for _, in := range []string{csv, parquet} {
		for _, more := range [][]string{nil, {"--dry-run"}, {"--json"}} {
			args := append(append([]string{"convert", "--iceberg-mode", "append", "--schema", table}, more...), in, table)
			fails(t, do(t, args...), 1, "amount", "--exclude=amount")
		}
	}
	if got := ok(t, "count", table); got != "1\n" {
		t.Error(got)
	}
	ok(t, "convert", "--iceberg-mode", "append", "--schema", table, "--exclude", "amount", csv, table)
	ok(t, "convert", "--iceberg-mode", "append", "--schema", table, "--columns", "id,name", csv, table)
	if got := ok(t, "count", table); got != "3\n" {
		t.Error(got)
	}
	// A name that was typed wrong is a column that would be lost, too.
	o = do(t, "convert", "--iceberg-mode", "append", "--schema", table, fileOf(t, dir, "typo.csv", "id,nam\n1,a\n"), table)
	if o.code != 1 || !strings.Contains(o.err, "in no file, and null in every row: name\n") || !strings.HasSuffix(o.err, "--exclude=nam\n") {
		t.Errorf("%+v", o)
	}
}

// sortedNames puts "a, b" at the end of a line in order: objects of JSON have none.
func sortedNames(line string) string {
	i := strings.LastIndex(line, ": ")
	if i < 0 || strings.Count(line, "\n") != 1 {
		return line
	}
	names := strings.Split(strings.TrimSuffix(line[i+2:], "\n"), ", ")
	if len(names) == 2 && names[0] > names[1] {
		names[0], names[1] = names[1], names[0]
	}
	return line[:i+2] + strings.Join(names, ", ") + "\n"
}
