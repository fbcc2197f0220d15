package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table with times that nanoseconds cannot hold is read under the schema that `schema` prints of it.
func TestOwnSchemaOfFarTimes(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "table")
	acidTable(t, table)
	for name, in := range map[string]string{"orc": farFile + ".orc", "int96": int96File(t, 0), "acid": table} {
		schema := filepath.Join(dir, name+".json")
		text := do(t, "schema", "--json", in).out
		if name == "int96" { // only its rows tell, and schema reads none
			text = strings.ReplaceAll(text, "timestamp[ns]", "timestamp[us]")
		}
		if !strings.Contains(text, "timestamp[us") {
			t.Fatalf("%s: %s", name, text)
		}
		if err := os.WriteFile(schema, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		own, under := do(t, "cat", "--format", "jsonl", in), do(t, "cat", "--format", "jsonl", "--schema", schema, in)
		if own.code != 0 || under.code != 0 || under.out != own.out || under.err != "" {
			t.Errorf("%s: %d: %s\n%s", name, under.code, under.err, under.out)
		}
	}
	// What the schema cannot hold is an error, unless values are converted.
	in := int96File(t, 1)
	schema := `{"fields": [{"name": "at", "type": "timestamp[us]"}]}`
	if o := do(t, "cat", "--schema", schema, in); o.code != 1 || !strings.Contains(o.err, "column at: ") || !strings.Contains(o.err, "finer than a microsecond") {
		t.Errorf("%+v", o)
	}
	if o := do(t, "cat", "--schema", schema, "--rows", "1:2", "--cast=java", in); o.code != 0 {
		t.Errorf("%+v", o)
	}
}
