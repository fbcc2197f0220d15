package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// notKnown matches what no output has for what is not known.
var notKnown = regexp.MustCompile(`: -1\s*[,}\n]`)

// conforms checks an output against its schema in docs/json.
func conforms(t *testing.T, name, text string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/json/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v in %s", name, err, text)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
}

// What every command prints with --json is what docs/json says.
func TestJSONSchemas(t *testing.T) {
	const orc = "../../testdata/orc/java-2.3.1/"
	encrypted, pruning, trevni := orc+"encrypted-0-none.orc", orc+"pruning.orc", "../../testdata/trevni/java-1.12.1/avro-nested.trv"
	dir := t.TempDir()
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := func(name string) string { return filepath.Join(dir, name) }
	lines, stream := out("in.jsonl"), out("in.arrows")
	ok(t, "convert", csv, lines)
	ok(t, "convert", csv, stream)
	const servers = "../../testdata/kudu/kudu-1.17.1/"
	server, damaged := fixtures.Unpack(t, servers+"log.tar.gz"), fixtures.Unpack(t, servers+"file.tar.gz")
	noData := fixtures.Unpack(t, servers+"file.tar.gz")
	if err := os.RemoveAll(filepath.Join(noData, "data")); err != nil {
		t.Fatal(err)
	}
	set, _, empty := stolenSet(t, server)
	ok(t, "convert", "--sort", "--from", "kudu", "--kudu-table", "partitioned", server, out("all.kudu"))
	wal, data := filepath.Join(server, "wal"), filepath.Join(server, "data")
	kuduImport := []string{"kudu", "import", "--json", "--wal-dir", wal, "--data-dir", data, "--tablet", empty, set}
	if err := os.RemoveAll(filepath.Join(damaged, "data")); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"wals", "tablet-meta"} { // of some tablets nothing is left but the consensus metadata
		all, err := filepath.Glob(filepath.Join(damaged, "wal", folder, "*"))
		if err != nil || len(all) < 5 {
			t.Fatal(all, err)
		}
		for _, path := range all[:4] {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		if folder == "tablet-meta" {
			if err := os.Truncate(all[4], 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	logs, err := filepath.Glob(filepath.Join(wal, "wals", "*", "wal-*"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, c := range []struct {
		schema string
		code   int
		args   []string
	}{
		{"convert", 0, []string{"convert", "--json", pruning, out("a.parquet")}},
		{"convert", 0, []string{"convert", "--json", "--dry-run", encrypted, out("b.trv")}},
		{"convert", 0, []string{"convert", "--json", "--sort=b", csv, out("c.orc")}},
		{"convert", 0, []string{"convert", "--json", "--metadata", "owner=me", csv, out("d.trv")}},
		{"convert", 0, []string{"convert", "--json", orc + "times-far-v11.orc", out("e.arrow")}},
		{"count", 0, []string{"count", "--json", "--where", "a__far IS NULL", orc + "times-far-v11.orc"}},
		{"schema", 0, []string{"schema", "--json", trevni}},
		{"schema", 0, []string{"schema", "--json", encrypted}},
		{"inspect", 0, []string{"inspect", "--json", "--blocks", encrypted}},
		{"inspect", 0, []string{"inspect", "--json", "--where", "id__mono = 7500", pruning}},
		{"inspect", 0, []string{"inspect", "--json", "--blocks", trevni, csv}},
		{"inspect", 0, []string{"inspect", "--json", "--where", "a = 1", csv}},
		{"inspect", 0, []string{"inspect", "--json", lines, stream}},
		{"inspect", 0, []string{"inspect", "--json", "--schema", "struct<a:bigint,d:string>", csv}},
		{"verify", 0, []string{"verify", "--json", encrypted, csv}},
		{"verify", 3, []string{"verify", "--json", csv, out("none.orc")}},
		{"verify", 1, []string{"verify", "--json", "--from", "orc", csv}},
		{"scan", 0, []string{"scan", "--json", "--repeat", "2", encrypted}},
		{"count", 0, []string{"count", "--json", csv, csv}},
		{"profile", 0, []string{"profile", "--json", pruning}},
		{"profile", 0, []string{"profile", "--json", csv, csv}},
		{"diff", 0, []string{"diff", "--json", csv, csv}},
		{"diff", exitDifferent, []string{"diff", "--json", "--key", "id__mono", pruning, orc + "pruning.orc", "--b", "orc-strings=binary", "--strict"}},
		{"diff", exitDifferent, []string{"diff", "--json", "--schema-only", pruning, csv}},
		{"merge", 0, []string{"merge", "--json", pruning, pruning, out("merged.orc")}},
		{"merge", 0, []string{"merge", "--json", "--dry-run", pruning, out("merged-not.orc")}},
		{"merge", 0, []string{"split", "--json", "--max-file-parts", "1", pruning, out("pieces/")}},
		{"version", 0, []string{"version", "--json"}},
		{"kudu-list", 0, []string{"kudu", "list", "--json", wal}},
		{"kudu-list", 0, []string{"kudu", "list", "--json", filepath.Join(damaged, "wal")}},
		{"kudu-list", 0, []string{"kudu", "list", "--json", noData}},
		{"inspect", 0, []string{"inspect", "--json", "--from", "kudu", noData}},
		{"verify", 1, []string{"verify", "--json", "--from", "kudu", noData}},
		{"inspect", 0, []string{"inspect", "--json", "--from", "kudu", filepath.Join(damaged, "wal")}},
		{"count", exitLost, []string{"count", "--json", "--from", "kudu", "--kudu-table", "unflushed", "--kudu-salvage", filepath.Join(damaged, "wal")}},
		{"count", 0, []string{"count", "--json", "--from", "kudu", "--kudu-table", "changed", "--kudu-snapshot", "1", wal}},
		{"verify", 0, []string{"verify", "--json", "--from", "kudu", "--kudu-table", "changed", wal}},
		{"verify", 0, []string{"verify", "--json", "--from", "kudu", wal}},
		{"dump", 0, []string{"dump", "--json", filepath.Join(wal, "instance")}},
		{"dump", 0, []string{"dump", "--json", logs[0]}},
		{"kudu-split", 0, []string{"kudu", "split", "--json", "--dry-run", out("all.kudu"), out("tablets"), "--wal-dir", wal}},
		{"kudu-split", 0, []string{"kudu", "split", "--json", out("all.kudu"), out("tablets"), "--wal-dir", wal}},
		{"kudu-import", 0, append(kuduImport[:len(kuduImport):len(kuduImport)], "--dry-run")},
		{"kudu-import", 0, kuduImport},
	} {
		o := do(t, c.args...)
		if o.code != c.code {
			t.Errorf("%q: exit %d: %s", c.args, o.code, o.err)
		}
		conforms(t, c.schema, o.out)
		if notKnown.MatchString(o.out) {
			t.Errorf("%q: what is not known is null: %s", c.args, o.out)
		}
	}
	for _, args := range [][]string{
		{"cat", "--json-errors", "--limit", "1", encrypted},
		{"cat", "--json-errors", out("none.orc")},
		{"cat", "--json-errors", "--columns", "none", csv},
		{"cat", "--json-errors", "--from", "orc", csv},
		{"convert", "--json-errors", pruning, out("noted.csv")},
	} {
		for line := range strings.Lines(do(t, args...).err) {
			conforms(t, "error", line)
		}
	}
	served, _, stop := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--http", "127.0.0.1:0", "one="+csv, "two="+pruning)
	conforms(t, "serve", served.String())
	if stop() != 0 || notKnown.MatchString(served.String()) {
		t.Errorf("serve: %s", served)
	}
	var fields struct {
		Files []struct{ Name string }
	}
	o := do(t, "convert", "--json", "--row-group-bytes", "20KB", pruning, out("parts.trv")+"/")
	if err := json.Unmarshal([]byte(o.out), &fields); err != nil || len(fields.Files) == 0 {
		t.Fatalf("%v: %+v", err, o)
	}
	for _, f := range fields.Files {
		if _, err := os.Stat(filepath.Join(out("parts.trv"), f.Name)); err != nil {
			t.Errorf("names are relative to OUTPUT: %v", err)
		}
	}
}

// A file of OUTPUT has OUTPUT's name, one in a directory the name that it has there.
func TestJSONNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 40)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{filepath.Join(dir, "one.parquet")}, "one.parquet"},
		{[]string{filepath.Join(dir, "one.trv")}, "one.trv"},
		{[]string{"--to", "orc", filepath.Join(dir, "noending")}, "noending"},
		{[]string{"--to", "orc", filepath.Join(dir, "directory") + "/"}, "part-00000.orc"},
		{[]string{"--max-file-bytes", "1GB", filepath.Join(dir, "parts.orc")}, "part-00000.orc"},
		{[]string{"--partition-by", "id", "--limit", "1", "--to", "orc", filepath.Join(dir, "by")}, "id=0/part-00000.orc"},
	} {
		o := do(t, append([]string{"convert", "--json", "--exclude", "tags", in}, c.args...)...)
		var r struct{ Files []struct{ Name string } }
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Files) != 1 || r.Files[0].Name != c.want {
			t.Errorf("%q: %+v %v", c.args, r, o)
		}
	}
}

// Metadata is text in every command, and base64 where it is none.
func TestJSONMetadataIsTheSameEverywhere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.arrow")
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 4)
	ok(t, "convert", "--metadata", "text=Zürich", "--metadata", "bytes=\xff\xfe", in, out)
	want := map[string]any{"text": "Zürich", "bytes": map[string]any{"base64": "//4="}}
	for _, command := range []string{"schema", "inspect"} {
		var r struct{ Metadata map[string]any }
		if err := json.Unmarshal([]byte(ok(t, command, "--json", out)), &r); err != nil || !maps.EqualFunc(r.Metadata, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%s: %v, %v", command, r, err)
		}
	}
}
