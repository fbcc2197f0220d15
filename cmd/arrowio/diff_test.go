package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines writes a file of JSON lines.
func lines(t *testing.T, path string, text ...string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A changed value, a dropped row and rows that changed places are found where they are.
func TestDiffFindsEdits(t *testing.T) {
	dir := t.TempDir()
	var rows []string
	for i := range 2000 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"name":"n%d","at":%d.5}`, i, i%7, i))
	}
	edited := func(name string, edit func(r []string) []string) string {
		in := lines(t, filepath.Join(dir, name+".jsonl"), edit(append([]string(nil), rows...))...)
		out := filepath.Join(dir, name+".orc")
		ok(t, "convert", in, out)
		return out
	}
	same := filepath.Join(dir, "same.parquet")
	ok(t, "convert", edited("same", func(r []string) []string { return r }), same)
	changed := edited("changed", func(r []string) []string { r[1500] = `{"id":1500,"name":null,"at":1500.5}`; return r })
	dropped := edited("dropped", func(r []string) []string { return append(r[:700], r[701:]...) })
	swapped := edited("swapped", func(r []string) []string { r[10], r[1900] = r[1900], r[10]; return r })
	all := filepath.Join(dir, "same.orc")
	type found struct {
		code           int
		equal, changed int64
		onlyA, onlyB   int64
		first          string
	}
	for _, c := range []struct {
		args []string
		want found
	}{
		{[]string{same}, found{0, 2000, 0, 0, 0, ""}},
		{[]string{"--key", "id", same}, found{0, 2000, 0, 0, 0, ""}},
		{[]string{changed}, found{5, 1999, 1, 0, 0, "changed 1500 1500 name n2 null"}},
		{[]string{"--key", "id", changed}, found{5, 1999, 1, 0, 0, "changed 1500 1500 name n2 null"}},
		{[]string{"--unordered", changed}, found{5, 1999, 0, 1, 1, "only_a 1500 null id 1500 null"}},
		{[]string{"--exclude", "name", changed}, found{0, 2000, 0, 0, 0, ""}},
		{[]string{"--columns", "id,at", changed}, found{0, 2000, 0, 0, 0, ""}},
		{[]string{"--where", "id < 1000", changed}, found{0, 1000, 0, 0, 0, ""}},
		{[]string{"--where", "id >= 1000", changed}, found{5, 999, 1, 0, 0, "changed 500 500 name n2 null"}},
		{[]string{"--rows", "1400:1600", changed}, found{5, 199, 1, 0, 0, "changed 100 100 name n2 null"}},
		{[]string{"--key", "id", dropped}, found{5, 1999, 0, 1, 0, "only_a 700 null name n0 null"}},
		{[]string{"--unordered", dropped}, found{5, 1999, 0, 1, 0, "only_a 700 null id 700 null"}},
		{[]string{dropped}, found{5, 700, 1299, 1, 0, "changed 700 700 id 700 701"}},
		{[]string{swapped}, found{5, 1998, 2, 0, 0, "changed 10 10 id 10 1900"}},
		{[]string{"--key", "id", swapped}, found{0, 2000, 0, 0, 0, ""}},
		{[]string{"--unordered", swapped}, found{0, 2000, 0, 0, 0, ""}},
	} {
		o := do(t, append([]string{"diff", "--json", all}, c.args...)...)
		var d diffDoc
		if err := json.Unmarshal([]byte(o.out), &d); err != nil || d.Rows == nil {
			t.Fatalf("%q: %v: %+v", c.args, err, o)
		}
		conforms(t, "diff", o.out)
		got := found{code: o.code, equal: *d.Rows.Equal, changed: d.Rows.Changed, onlyA: d.Rows.OnlyA, onlyB: d.Rows.OnlyB}
		if len(d.First) > 0 {
			f := d.First[0]
			show := func(s *string) string {
				if s == nil {
					return "null"
				}
				return *s
			}
			row := func(n *int64) string {
				if n == nil {
					return "null"
				}
				return fmt.Sprint(*n)
			}
			cell := f.Columns[0]
			got.first = fmt.Sprintf("%s %s %s %s %s %s", f.Kind, row(f.RowA), row(f.RowB), cell.Path, show(cell.A), show(cell.B))
		}
		if got != c.want || d.Same != (c.want.code == 0) {
			t.Errorf("%q: %+v, want %+v", c.args, got, c.want)
		}
		if hinted := d.Rows.Shifted != nil; hinted != (len(c.args) == 1 && c.args[0] == dropped) || hinted && *d.Rows.Shifted != 700 {
			t.Errorf("%q: shifted at %v", c.args, d.Rows.Shifted)
		}
	}
}

// Options for one input, errors of the command line, and files that cannot be compared have exit codes of their own.
func TestDiffCodes(t *testing.T) {
	dir := t.TempDir()
	semicolons := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(semicolons, []byte("ID;x\n1;2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := lines(t, filepath.Join(dir, "b.jsonl"), `{"id":1,"x":2}`)
	broken := filepath.Join(dir, "c.orc")
	if err := os.WriteFile(broken, []byte("ORC, but nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	both := []string{"--a", "from=csv", "--a", "csv-delimiter=;"}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{0, "They are equal.", append(both, "--ignore-case", semicolons, in)},
		{0, "They are equal.", append(both, "--ignore-case", "--key", "ID", semicolons, in)},
		{0, "They are equal.", append(both, "--ignore-case", "--key", "id", semicolons, in)},
		{5, "only in A: ID", append(both, semicolons, in)},
		{2, "no option", []string{"--a", "jobs=1", in, in}},
		{2, "two INPUTs", []string{in}},
		{2, "--key or --unordered", []string{"--key", "id", "--unordered", in, in}},
		{2, "--tolerance", []string{"--unordered", "--tolerance", "1", in, in}},
		{2, "nothere", []string{"--key", "nothere", in, in}},
		{2, "nothere", []string{"--exclude", "nothere", in, in}},
		{2, "only once", []string{"-", "-"}},
		{3, "none.orc", []string{in, filepath.Join(dir, "none.orc")}},
		{1, "c.orc", []string{in, "--b", "from=orc", broken}},
	} {
		o := do(t, append([]string{"diff"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.out+o.err, c.says) {
			t.Errorf("%q: %+v", c.args, o)
		}
	}
}
