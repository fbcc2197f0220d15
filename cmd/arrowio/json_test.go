package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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
	for _, c := range []struct {
		schema string
		code   int
		args   []string
	}{
		{"convert", 0, []string{"convert", "--json", pruning, out("a.parquet")}},
		{"convert", 0, []string{"convert", "--json", "--dry-run", encrypted, out("b.trv")}},
		{"convert", 0, []string{"convert", "--json", "--sort=b", csv, out("c.orc")}},
		{"convert", 0, []string{"convert", "--json", "--metadata", "owner=me", csv, out("d.csv")}},
		{"schema", 0, []string{"schema", "--json", trevni}},
		{"schema", 0, []string{"schema", "--json", encrypted}},
		{"inspect", 0, []string{"inspect", "--json", "--blocks", encrypted}},
		{"inspect", 0, []string{"inspect", "--json", "--where", "id__mono = 7500", pruning}},
		{"inspect", 0, []string{"inspect", "--json", "--blocks", trevni, csv}},
		{"inspect", 0, []string{"inspect", "--json", "--where", "a = 1", csv}},
		{"inspect", 0, []string{"inspect", "--json", "--schema", "struct<a:bigint,d:string>", csv}},
		{"verify", 0, []string{"verify", "--json", encrypted, csv}},
		{"verify", 3, []string{"verify", "--json", csv, out("none.orc")}},
		{"verify", 1, []string{"verify", "--json", "--from", "orc", csv}},
		{"scan", 0, []string{"scan", "--json", "--repeat", "2", encrypted}},
		{"count", 0, []string{"count", "--json", csv, csv}},
		{"version", 0, []string{"version", "--json"}},
	} {
		o := do(t, c.args...)
		if o.code != c.code {
			t.Errorf("%q: exit %d: %s", c.args, o.code, o.err)
		}
		conforms(t, c.schema, o.out)
		if strings.Contains(o.out, ": -1") {
			t.Errorf("%q: what is not known is null: %s", c.args, o.out)
		}
	}
	for _, args := range [][]string{
		{"cat", "--json-errors", "--limit", "1", encrypted},
		{"cat", "--json-errors", out("none.orc")},
		{"cat", "--json-errors", "--columns", "none", csv},
		{"cat", "--json-errors", "--from", "orc", csv},
	} {
		for line := range strings.Lines(do(t, args...).err) {
			conforms(t, "error", line)
		}
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
