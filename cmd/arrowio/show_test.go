package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCatTable(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 5)
	want := `id │ name     │ tags        │ at
───┼──────────┼─────────────┼───────────────────
 0 │ person 0 │ ["t0",null] │ {"x":0.5,"y":null}
 1 │ person 1 │ ["t1",null] │ {"x":1.5,"y":null}
 2 │ person 2 │ ["t2",null] │ {"x":2.5,"y":null}
 3 │ NULL     │ NULL        │ {"x":3.5,"y":null}
 4 │ person 4 │ ["t1",null] │ {"x":4.5,"y":null}
`
	if got := ok(t, "cat", in); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCatLimit(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 3000)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--limit", "2"}, "{\"id\":0}\n{\"id\":1}\n"},
		{[]string{"--limit", "2", "--rows", "10:"}, "{\"id\":10}\n{\"id\":11}\n"},
		{[]string{"--limit", "2", "--rows", "10:11"}, "{\"id\":10}\n"},
		{[]string{"--limit", "2", "--where", "id > 2500"}, "{\"id\":2501}\n{\"id\":2502}\n"},
		{[]string{"--limit", "2", "--where", "id > 2998"}, "{\"id\":2999}\n"},
		{[]string{"--limit", "2", "--rows", "2999:5000"}, "{\"id\":2999}\n"},
		{[]string{"--limit", "0"}, ""},
		{[]string{"--rows", "2999:"}, "{\"id\":2999}\n"},
	} {
		if got := ok(t, append([]string{"cat", "--format", "jsonl", "--columns", "id", in}, c.args...)...); got != c.want {
			t.Errorf("%q: got\n%swant\n%s", c.args, got, c.want)
		}
	}
	if got := ok(t, "cat", "--columns", "id", "--limit", "0", in); got != "id\n──\n" {
		t.Errorf("a table of no rows: %q", got)
	}
	fails(t, do(t, "cat", "--limit", "-1", in), 2, "--limit")
	fails(t, do(t, "cat", "--format", "xml", in), 2, "--format", "table")
}

func TestCatFormats(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 4)
	if got := ok(t, "cat", "--format", "csv", "--columns", "id,name", in); !strings.Contains(got, "0,person 0\n") {
		t.Errorf("csv: %q", got)
	}
	if got := ok(t, "cat", "--format", "jsonl", "--rows", "3:4", in); got != "{\"id\":3,\"name\":null,\"tags\":null,\"at\":{\"x\":3.5,\"y\":null}}\n" {
		t.Errorf("jsonl: %q", got)
	}
}

func TestCatStandardInput(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 2)
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	o := doWith(t, context.Background(), bytes.NewReader(b), "cat", "--columns", "id", "-")
	if o.code != 0 || o.out != "id\n──\n 0\n 1\n" {
		t.Errorf("%+v", o)
	}
	fails(t, doWith(t, context.Background(), strings.NewReader("rubbish that is no format at all"), "cat", "-"), 1, "standard input: ")
	fails(t, doWith(t, context.Background(), strings.NewReader(""), "cat", "-"), 1, "standard input: ")
}

func TestSchema(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 1)
	text := ok(t, "schema", in)
	for _, want := range []string{"ipc, 4 columns\n", "├─ id: int64\n", "├─ name: utf8  (note=first and last)\n", "│  └─ item: utf8\n", "└─ at: struct\n", "   └─ y: float64\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var doc schemaDoc
	if err := json.Unmarshal([]byte(ok(t, "schema", "--json", in)), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.File != in || doc.Format == nil || *doc.Format != "ipc" || len(doc.Fields) != 4 || doc.Fields[1].Metadata["note"] != "first and last" ||
		doc.Fields[2].Type != "list" || doc.Fields[2].Fields[0].Type != "utf8" || !doc.Fields[0].Nullable {
		t.Errorf("%+v", doc)
	}
}

func TestInspect(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	text := ok(t, "inspect", in)
	for _, want := range []string{"in.arrow: ipc", "rows", "2,500", "bytes", "column", "name"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var doc struct {
		File, Format string
		Rows, Bytes  int64
		Columns      []struct{ Path, Type string }
		Pruning      *struct {
			Filter     string
			Rows       int64
			RowsTotal  int64 `json:"rows_total"`
			SplitTotal int   `json:"splits_total"`
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--where", "id < 10", in)), &doc); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(in)
	if err != nil {
		t.Fatal(err)
	}
	if doc.File != in || doc.Format != "ipc" || doc.Rows != 2500 || doc.Bytes != fi.Size() || len(doc.Columns) < 4 {
		t.Errorf("%+v", doc)
	}
	if doc.Pruning == nil || doc.Pruning.RowsTotal != 2500 || doc.Pruning.Rows < 10 || doc.Pruning.SplitTotal < 1 {
		t.Errorf("pruning: %+v", doc.Pruning)
	}
	fails(t, do(t, "inspect", "--where", "nmae = 1", in), 2, "nmae", "name")

	var both struct{ Files []struct{ File string } }
	second := peopleFile(t, dir, "second.arrow", 0, 1)
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", in, second)), &both); err != nil || len(both.Files) != 2 {
		t.Errorf("%v: %+v", err, both)
	}
}

// The bytes of a column are not known of text and of streams: there is no number for them.
func TestInspectUnknownBytes(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte("a\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"in.csv", "in.jsonl", "in.arrows"} {
		path := filepath.Join(dir, name)
		if path != in {
			ok(t, "convert", in, path)
		}
		var doc struct {
			Columns []struct{ Bytes *int64 }
		}
		out := ok(t, "inspect", "--json", path)
		if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Columns) != 1 || doc.Columns[0].Bytes != nil {
			t.Errorf("%s: %v %s", name, err, out)
		}
		if _, table, _ := strings.Cut(ok(t, "inspect", path), "column"); strings.Contains(table, "bytes") {
			t.Errorf("%s: %s", name, table)
		}
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	good := peopleFile(t, dir, "good.arrow", 0, 100)
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.arrow")
	if err := os.WriteFile(bad, b[:len(b)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, "verify", good); !strings.HasPrefix(got, good+": ok") {
		t.Errorf("%q", got)
	}
	o := do(t, "verify", good, bad)
	if o.code != 1 || !strings.Contains(o.out, good+": ok") || !strings.Contains(o.out, bad+": ") || !strings.Contains(o.err, "1 fault found in 1 of 2 files") {
		t.Errorf("%+v", o)
	}
	o = do(t, "verify", "--json", good, bad)
	var r verifyReport
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != 1 {
		t.Fatalf("%v: %+v", err, o)
	}
	if r.OK || len(r.Files) != 2 || !r.Files[0].OK || r.Files[1].OK || len(r.Files[1].Faults) != 1 || r.Files[1].Faults[0].Kind != "corrupt" || r.Files[1].Faults[0].File != bad {
		t.Errorf("%+v", r)
	}
	fails(t, do(t, "verify", filepath.Join(dir, "none.arrow")), 3, "none.arrow", "no such file")
}

func TestDump(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 1)
	fails(t, do(t, "dump", in, in), 2, "one INPUT")
	fails(t, do(t, "dump", in), 1, "in.arrow", "dump does not read ipc", "inspect")
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	fi, err := os.Stat(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, extra := range [][]string{nil, {"--jobs", "1"}, {"--mmap"}} {
		var r map[string]any
		doc := ok(t, append([]string{"scan", "--json", "--repeat", "3", in}, extra...)...)
		if err := json.Unmarshal([]byte(doc), &r); err != nil {
			t.Fatal(err)
		}
		repeats, _ := r["repeats"].([]any)
		if r["rows"] != 2500.0 || r["file_size"] != float64(fi.Size()) || r["format"] != "ipc" || len(repeats) != 3 {
			t.Errorf("%q: %s", extra, doc)
		}
		for _, x := range repeats {
			x := x.(map[string]any)
			for _, k := range []string{"rows", "batches", "arrow_bytes", "file_bytes", "wall_seconds", "allocs", "alloc_bytes"} {
				if v, _ := x[k].(float64); v <= 0 {
					t.Errorf("%q: %s is %v", extra, k, x[k])
				}
			}
			for _, k := range []string{"cpu_seconds", "user_seconds", "system_seconds"} {
				if v, is := x[k].(float64); !is || v < 0 {
					t.Errorf("%q: %s is %v", extra, k, x[k])
				}
			}
		}
	}
	text := ok(t, "scan", "--columns", "id", "--where", "id >= 2000", in)
	if !strings.Contains(text, "500 rows") || !strings.Contains(text, "cpu s") {
		t.Errorf("%s", text)
	}
	fails(t, do(t, "scan", "--repeat", "2", "-"), 2, "--repeat")
}

func TestProgress(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	for mode, want := range map[string]bool{"always": true, "never": false, "auto": false} {
		o := do(t, "convert", "--progress", mode, in, filepath.Join(dir, mode+".arrow"))
		if o.code != 0 || o.out != "" || (o.err != "") != want {
			t.Errorf("%s: %+v", mode, o)
		}
	}
	fails(t, do(t, "convert", "--progress", "often", in, filepath.Join(dir, "x.arrow")), 2, "--progress", "always")
}

func TestVersion(t *testing.T) {
	if got := ok(t, "version"); !strings.HasPrefix(got, "arrowio ") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
	var v version
	if err := json.Unmarshal([]byte(ok(t, "version", "--json")), &v); err != nil || v.Version == "" || v.Go == "" {
		t.Errorf("%v: %+v", err, v)
	}
	fails(t, do(t, "version", "x"), 2)
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := ok(t, "completion", shell); !strings.Contains(got, "arrowio") || len(got) < 1000 {
			t.Errorf("%s: %d bytes", shell, len(got))
		}
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"convert", "--to", ""}, []string{"ipc", "trevni", "parquet"}},
		{[]string{"cat", "--format", ""}, []string{"table", "jsonl", "csv"}},
		{[]string{"scan", "--progress", ""}, []string{"auto", "always", "never"}},
		{[]string{"convert", "--trevni-view", ""}, []string{"records", "columns"}},
		{[]string{"v"}, []string{"verify", "version"}},
		{[]string{""}, []string{"head", "tail", "sample", "count"}},
		{[]string{"kudu", ""}, []string{"list", "split", "import"}},
		{[]string{"convert", "--"}, []string{"--partition-by", "--limit", "--exclude", "--sort"}},
		{[]string{"cat", "--"}, []string{"--expanded", "--no-pager", "--exclude"}},
		{[]string{"sample", "--"}, []string{"--seed", "--limit"}},
		{[]string{"tail", "--format", ""}, []string{"table", "jsonl", "csv"}},
		{[]string{"--"}, []string{"--version"}},
	} {
		o := do(t, append([]string{"__complete"}, c.args...)...)
		for _, w := range c.want {
			if o.code != 0 || !strings.Contains("\n"+o.out, "\n"+w) {
				t.Errorf("%q does not offer %s: %+v", c.args, w, o)
			}
		}
	}
}

// Columns are completed with those of the inputs that are typed before, after commas and below structs too.
func TestCompleteColumns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeText(t, "a.jsonl", `{"id":1,"idle":2,"two words":3,"user":{"name":"x","number":4}}`+"\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"cat", "a.jsonl", "--columns", ""}, "id\tint64\nidle\tint64\n\"two words\"\tint64\nuser\t"},
		{[]string{"cat", "a.jsonl", "--columns", "idl"}, "idle\tint64\n:"},
		{[]string{"cat", "a.jsonl", "--columns", "id,us"}, "id,user\t"},
		{[]string{"cat", "a.jsonl", "--columns", "id,user.n"}, "id,user.name\tutf8\nid,user.number\tint64\n:"},
		{[]string{"convert", "a.jsonl", "out.orc", "--exclude", "idl"}, "idle\tint64\n:"},
		{[]string{"cat", "nosuch.orc", "--columns", ""}, ":"},
		{[]string{"cat", "-", "--columns", ""}, ":"},
		{[]string{"cat", "--columns", ""}, ":"},
	} {
		if o := do(t, append([]string{"__complete"}, c.args...)...); o.code != 0 || !strings.HasPrefix(o.out, c.want) {
			t.Errorf("%q: %q, want %q", c.args, o.out, c.want)
		}
	}
}

// A name that is no command is told as such, whatever flags come with it.
func TestNoCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "no command given"},
		{[]string{"nonesuch", "--json", "x"}, `no command "nonesuch"; see arrowio --help`},
		{[]string{"info", "--json", "x"}, "did you mean inspect?"},
		{[]string{"cta", "--limt=3", "x"}, "did you mean cat?"},
		{[]string{"token", "ad", "--file", "x"}, "did you mean add?"},
		{[]string{"--jso", "x"}, "unknown flag: --jso"},
		{[]string{"cat", "--limt=3", "x"}, "did you mean --limit?"},
		{[]string{"version", "--limit=3"}, "unknown flag: --limit\n"},
	} {
		fails(t, do(t, c.args...), 2, c.says)
	}
}

func TestHelp(t *testing.T) {
	a := newApp(context.Background(), strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	root := a.rootCommand()
	text := ok(t, "--help")
	for _, f := range append(a.readerNames(), a.writerNames()...) {
		if !strings.Contains(text, f) {
			t.Errorf("arrowio --help does not name %s", f)
		}
	}
	for _, cmd := range root.Commands() {
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.Name())
		}
		help := ok(t, cmd.Name(), "--help")
		for _, want := range []string{"Usage:", "Examples:", "Flags", cmd.UseLine()} {
			if !strings.Contains(help, want) {
				t.Errorf("%s --help has no %q", cmd.Name(), want)
			}
		}
	}
	help := ok(t, "convert", "--help")
	if ok(t, "help", "convert") != help {
		t.Error("help convert and convert --help differ")
	}
	if text := ok(t, "help", "where"); !strings.Contains(text, "contains(tags, 'new')") {
		t.Errorf("help where: %s", text)
	}
	fails(t, do(t, "help", "nonesuch"), 2, "nonesuch")
	fails(t, do(t, "completion"), 2, "bash")
	fails(t, do(t, "completion", "nonesuch"), 2, "bash")
	own, options, _ := strings.Cut(help, "\nOptions of ")
	if strings.Contains(own, "--trevni-") || !strings.Contains(options, "--trevni-view") {
		t.Error("the options of formats are not apart")
	}
}

// Every flag of the published command line is there.
func TestFlagsOfTheContract(t *testing.T) {
	root := newApp(context.Background(), strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand()
	selecting := []string{"columns", "where", "rows", "batch-rows", "jobs", "memory", "from", "progress"}
	for name, flags := range map[string][]string{
		"convert": append([]string{"to", "compression", "row-group-bytes", "max-file-bytes", "dry-run", "force", "json"}, selecting...),
		"cat":     {"columns", "where", "rows", "batch-rows", "jobs", "memory", "from", "format", "limit", "progress"},
		"schema":  {"json", "from", "jobs"},
		"inspect": {"json", "blocks", "checksums", "where", "from", "jobs"},
		"verify":  {"json", "from", "jobs"},
		"dump":    {"from"},
		"scan":    append([]string{"repeat", "json", "mmap"}, selecting...),
	} {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd == root {
			t.Errorf("no command %s", name)
			continue
		}
		for _, f := range append(flags, "json-errors", "cpuprofile", "memprofile") {
			if cmd.Flag(f) == nil {
				t.Errorf("%s has no --%s", name, f)
			}
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	fails(t, do(t, "convrt"), 2, "convrt", "convert")
	fails(t, do(t), 2, "--help")
	o := do(t, "convert", "--json-errors", "--nonesuch")
	var f struct{ Kind, Message string }
	if err := json.Unmarshal([]byte(o.err), &f); err != nil || f.Kind != "usage" || o.code != 2 || !strings.Contains(f.Message, "nonesuch") {
		t.Errorf("%v: %+v", err, o)
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	cpu, mem := filepath.Join(dir, "cpu.out"), filepath.Join(dir, "mem.out")
	ok(t, "scan", "--cpuprofile", cpu, "--memprofile", mem, in)
	for _, p := range []string{cpu, mem} {
		if fi, err := os.Stat(p); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", p, err)
		}
	}
	fails(t, do(t, "version", "--cpuprofile", filepath.Join(dir, "none", "x")), 3, "no such file")
}
