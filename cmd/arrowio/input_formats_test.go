package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A directory of several formats is described as that, and not as its first file.
func TestFilesOfSeveralFormats(t *testing.T) {
	dir, made := t.TempDir(), t.TempDir()
	texts := map[string]string{"3.csv": "a\n4\n", "4.csv": "\n", "5.jsonl": "{\"a\":5}\n"}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := tableFile(t, filepath.Join(made, "in.arrow"), `[{"a":1},{"a":2}]`, "a int64")
	ok(t, "convert", "--metadata", "k=v", in, filepath.Join(dir, "1.parquet"))
	ok(t, "convert", "--metadata", "k=v", "--metadata", "trevni.avro.schema={}", in, filepath.Join(dir, "2.parquet"))

	schema := ok(t, "schema", dir)
	if want := dir + ": 5 files: 2 parquet, 2 csv, 1 jsonl, 1 column\n└─ a: int64\nmetadata:\n  k = v  (2 of 5 files)\n"; schema != want {
		t.Errorf("schema: got\n%swant\n%s", schema, want)
	}
	if got := ok(t, "scan", dir); !strings.Contains(got, ": 5 files: 2 parquet, 2 csv, 1 jsonl, 6 rows in ") {
		t.Errorf("scan: %s", got)
	}
	for _, c := range []struct {
		command, path, format string // format: "" = several
		formats, partial      []string
	}{
		{"schema", dir, "", []string{"parquet", "csv", "jsonl"}, []string{"k"}},
		{"scan", dir, "", []string{"parquet", "csv", "jsonl"}, nil},
		{"count", dir, "", []string{"parquet", "csv", "jsonl"}, nil},
		{"schema", filepath.Join(dir, "*.csv"), "csv", []string{"csv"}, nil},
		{"scan", filepath.Join(dir, "*.csv"), "csv", []string{"csv"}, nil},
		{"count", filepath.Join(dir, "*.csv"), "csv", []string{"csv"}, nil},
		{"schema", filepath.Join(dir, "1.parquet"), "parquet", []string{"parquet"}, nil},
	} {
		text := ok(t, c.command, "--json", c.path)
		conforms(t, c.command, text)
		var got struct {
			Format  *string
			Formats []string
			Partial []string `json:"metadata_of_some_files"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if one := got.Format; (one == nil) != (c.format == "") || one != nil && *one != c.format || !slices.Equal(got.Formats, c.formats) || !slices.Equal(got.Partial, c.partial) {
			t.Errorf("%s of %s: %s", c.command, c.path, text)
		}
	}
}

// Options of every format that a directory has are taken, and others are refused.
func TestOptionsOfSeveralFormats(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte("a;b\n4;x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tableFile(t, filepath.Join(dir, "a.arrow"), `[{"a":1,"b":"y"}]`, "a int64", "b text")
	if got, want := ok(t, "cat", "--format", "jsonl", "--csv-delimiter", ";", dir), "{\"a\":1,\"b\":\"y\"}\n{\"a\":4,\"b\":\"x\"}\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	fails(t, do(t, "count", "--jsonl-types", "text", dir), 2, "--jsonl-types is an option of jsonl, but INPUT is ipc and csv")
	// OUTPUT is of the option's format, which is about reading.
	one, two := filepath.Join(dir, "b.csv"), filepath.Join(t.TempDir(), "o.jsonl")
	fails(t, do(t, "convert", "--jsonl-types", "text", one, two), 2, "--jsonl-types is an option of jsonl, but INPUT is csv")
}
