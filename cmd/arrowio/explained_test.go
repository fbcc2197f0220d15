package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// Errors say what is most likely wrong, and what to do.
func TestErrorsExplain(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const orc = "../../testdata/orc/java-2.3.1/"
	whole, err := os.ReadFile(orc + "pruning.orc")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{10, 100, 2000, len(whole) - 1} {
		cut := write("cut.orc", whole[:size])
		fails(t, do(t, "cat", cut), 1, cut, "was cut off")
	}
	damaged := append([]byte{}, whole...)
	damaged[len(damaged)-1] = 255 // the end is there
	if o := do(t, "cat", write("damaged.orc", damaged)); o.code != 1 {
		t.Errorf("%+v", o)
	}

	b, err := os.ReadFile("../../testdata/orc/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]map[string]any
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		k["key"] = k["key"].(string)[2:] + "aa"
	}
	if b, err = json.Marshal(keys); err != nil {
		t.Fatal(err)
	}
	wrong := write("wrong.json", b)
	for _, name := range []string{"encrypted-0-none", "encrypted-0-zlib", "encrypted-1-none", "encrypted-2-zlib", "encrypted-strides"} {
		o := do(t, "cat", "--orc-keys", wrong, orc+name+".orc")
		o.out = "" // columns in clear
		fails(t, o, 1, name, "column ", "the key of this encrypted column is wrong")
	}

	days := write("days.csv", []byte("d,at\n2020-01-01,2020-01-01 00:00:00\n"))
	for where, says := range map[string]string{
		"d IN ('2020-01-02', '2020-13-01')": `"2020-13-01": a date is written as 2020-01-31`,
		"d = 'x'":                           `"x": a date is written as 2020-01-31`,
		"at IN ('2020-13-01')":              `"2020-13-01": a timestamp is written as`,
	} {
		fails(t, do(t, "cat", "--where", where, days), 2, says)
	}

	nothing := write("nothing.orc", nil)
	for _, out := range []string{"x.csv", "x.parquet"} {
		o := do(t, "convert", nothing, filepath.Join(dir, out))
		var warned bool
		if _, o.err, warned = strings.Cut(o.err, "cut off leaves them, too\n"); !warned {
			t.Error("no warning of a file without bytes")
		}
		fails(t, o, 1, "the rows have no columns")
	}
	missing := filepath.Join(dir, "missing")
	fails(t, do(t, "convert", nothing, filepath.Join(missing, "x.trv")), 3, "the directory "+missing+" does not exist")
}

// Of columns of one name a number chooses one, in every format that has such columns, and the plan says that the name does not.
func TestColumnsByNumber(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte("a,b,a\n1,2,3\n4,5,6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	files := []string{in}
	for _, ending := range []string{"orc", "parquet", "arrow", "arrows", "trv"} {
		out := filepath.Join(dir, "out."+ending)
		o := do(t, "convert", "--dry-run", "--json", in, out)
		conforms(t, "convert", o.out)
		var r struct{ Plan arrowio.WritePlan }
		if err := json.Unmarshal([]byte(o.out), &r); err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Plan.Columns {
			if strings.Contains(c.Loss, "2 columns have this name: it cannot be chosen by name") != (c.Path == "a") {
				t.Errorf("%s: %+v", ending, c)
			}
		}
		if o := do(t, "convert", in, out); o.code != 0 {
			t.Fatalf("%+v", o)
		}
		files = append(files, out)
	}
	for _, file := range files {
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"--columns=#3"}, "a\n3\n6\n"},
			{[]string{"--columns=b,#1"}, "b,a\n2,1\n5,4\n"},
			{[]string{"--columns=#3,#1"}, "a,a\n3,1\n6,4\n"},
			{[]string{"--exclude=#1"}, "b,a\n2,3\n5,6\n"},
			{[]string{"--exclude=b"}, "a,a\n1,3\n4,6\n"},
		} {
			if o := do(t, append(append([]string{"cat", "--format", "csv"}, c.args...), file)...); o.code != 0 || o.out != c.want {
				t.Errorf("%s %q: %+v", file, c.args, o)
			}
		}
		o := do(t, "cat", "--columns=a", file)
		if o.code != 2 || !strings.Contains(o.err, "there are 2; a list of columns chooses one by its number: #1 or #3") {
			t.Errorf("%s: %+v", file, o)
		}
		sorted := filepath.Join(dir, "sorted.csv")
		if o := do(t, "convert", "--force", "--sort=-#3", file, sorted); o.code != 0 {
			t.Errorf("%s: %+v", file, o)
		}
		if b, err := os.ReadFile(sorted); err != nil || string(b) != "a,b,a\n4,5,6\n1,2,3\n" {
			t.Errorf("%s: %s, %v", file, b, err)
		}
	}
	// What the files of a directory have no common type for is not left out where numbers count the columns.
	other := filepath.Join(dir, "d")
	for name, text := range map[string]string{"1.csv": "a,b,c\n1,2,3\n", "2.csv": "a,b,c\n1,x,3\n"} {
		if err := errors.Join(os.MkdirAll(other, 0o777), os.WriteFile(filepath.Join(other, name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, flag := range []string{"--columns=#3", "--exclude=#2"} {
		fails(t, do(t, "cat", flag, other), 1, "column b", "not read as one type")
	}
	if o := do(t, "cat", "--format", "csv", "--exclude=b", other); o.code != 0 || o.out != "a,c\n1,3\n1,3\n" {
		t.Errorf("%+v", o)
	}
}

// A name that several columns of a CSV file have: reading warns, writing notes it, and what asks for one of them is told the flag.
func TestColumnsOfOneName(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(in, []byte("a,b,a\n1,2,3\n4,5,6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--where", "a = 1"}, {"--columns", "b,a"}, {"--exclude", "a"}} {
		o := do(t, append(append([]string{"cat"}, args...), in)...)
		if o.code != 2 || o.out != "" || !strings.HasPrefix(o.err, "arrowio: "+in+": warning: 2 columns") || !strings.HasSuffix(o.err, "--csv-names=position names the columns f0, f1 and so on\n") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := do(t, "cat", "--columns", "b", "--format", "csv", in); o.code != 0 || o.err != "" || o.out != "b\n2\n5\n" {
		t.Errorf("%+v", o)
	}
	if o := do(t, "cat", "--csv-names=position", "--where", "f2 > 3", "--format", "csv", in); o.code != 0 || o.err != "" || o.out != "f0,f1,f2\n4,5,6\n" {
		t.Errorf("%+v", o)
	}
	if o := do(t, "convert", in, out); o.code != 0 || !strings.Contains(o.err, "a: 2 columns have this name: it cannot be chosen by name") {
		t.Errorf("%+v", o)
	}
	if o := do(t, "convert", "--sort=a", in, filepath.Join(dir, "sorted.csv")); o.code == 0 || !strings.HasSuffix(o.err, "there are 2; a list of columns chooses one by its number: #1 or #3; --csv-names=position names the columns f0, f1 and so on\n") {
		t.Errorf("%+v", o)
	}
	if o := do(t, "convert", in, filepath.Join(dir, "out.cfile")); o.code != 1 || !strings.HasSuffix(o.err, "cfile has no place for a (int64: 2 columns have this name)\n") {
		t.Errorf("%+v", o)
	}
	o := do(t, "scan", "--json", in)
	conforms(t, "scan", o.out)
	if !strings.Contains(o.out, `"kind": "same-name"`) {
		t.Errorf("%+v", o)
	}
}
