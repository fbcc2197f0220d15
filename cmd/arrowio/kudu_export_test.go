package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// exportOf exports a server, and returns the report.
func exportOf(t *testing.T, code int, args ...string) (out kuduExport) {
	t.Helper()
	o := do(t, append([]string{"kudu", "export", "--json"}, args...)...)
	if o.code != code {
		t.Fatalf("%+v", o)
	}
	conforms(t, "kudu-export", o.out)
	if err := json.Unmarshal([]byte(o.out), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every table is written with the rows that Kudu's client saw, and with what makes it anew.
func TestKuduExport(t *testing.T) {
	const testdata = "../../testdata/kudu/kudu-1.17.1/"
	dir, rows := fixtures.Unpack(t, testdata+"file.tar.gz"), fixtures.Unpack(t, testdata+"rows.tar.gz")
	to := filepath.Join(t.TempDir(), "out")
	r := exportOf(t, exitOK, "--all", dir, to)
	if len(r.Tables) != 9 || r.Failed > 0 {
		t.Errorf("%+v", r)
	}
	for _, x := range r.Tables {
		want := strings.Count(string(fixtures.Read(t, filepath.Join(rows, x.Name+".jsonl"))), "\n")
		if got := strings.Count(ok(t, "cat", "--format", "jsonl", x.Output), "\n"); int64(got) != x.Rows || got != want || x.Error != nil || len(x.Create) != 2 {
			t.Errorf("%s: %d rows, want %d: %+v", x.Name, got, want, x)
		}
	}
	for name, texts := range map[string][]string{
		"partitioned.create.json": {`"num_buckets": 2`, `"column_type": "DECIMAL"`, `"precision": 20`, `"length": 12`, `"key_column_names"`},
		"partitioned.create.sql":  {"PARTITION BY HASH (`last`) PARTITIONS 2\nSTORED AS KUDU", "`m` DECIMAL(20, 3)", "PRIMARY KEY (`s`, `i`,", "'kudu.num_tablet_replicas' = '1'"},
		"unflushed.create.sql":    {"-- column once was immutable", "CREATE TABLE `unflushed`", "DEFAULT "},
	} {
		text := string(fixtures.Read(t, filepath.Join(to, name)))
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%s has not %q: %s", name, want, text)
			}
		}
	}
	// Nothing is replaced without --force, and a table that cannot be written does not stop the others.
	if err := os.Remove(filepath.Join(to, "types.create.json")); err != nil {
		t.Fatal(err)
	}
	again := exportOf(t, 2, "--table", "types", "--table", "changed", dir, to)
	if again.Failed != 2 || len(again.Tables) != 2 || !strings.Contains(again.Tables[0].Error.Message, "exists already") {
		t.Errorf("%+v", again)
	}
	exportOf(t, exitOK, "--force", "--to", "trevni", "--compression", "deflate:9", "--table", "types", dir, to)
	if got := ok(t, "count", filepath.Join(to, "types.trv")); strings.TrimSpace(got) != "40" {
		t.Error(got)
	}
	fails(t, do(t, "kudu", "export", "--all", dir), 2, "name DIR and OUTDIR")
	fails(t, do(t, "kudu", "export", dir, to), 2, "--all")
	fails(t, do(t, "kudu", "export", "--table", "nothing", dir, to), 2, `no table "nothing"`)
	fails(t, do(t, "kudu", "export", "--all", dir, filepath.Join(dir, "data", "x")), 2)
}

// A damaged table fails, the others are written; with --salvage what is intact of it comes back, and its losses are reported.
func TestKuduExportDamaged(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	var block string // the last column of the table types
	blocks := filepath.Join(dir, "data", "data")
	err := filepath.WalkDir(blocks, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, "0222121984130349") {
			block = path
		}
		return err
	})
	if err != nil || block == "" {
		t.Fatal(err, block)
	}
	b := fixtures.Read(t, block)
	b[30] ^= 1
	if err := os.WriteFile(block, b, 0o600); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	r := exportOf(t, 1, "--all", dir, filepath.Join(to, "a"))
	i := slices.IndexFunc(r.Tables, func(x exportedTable) bool { return x.Error != nil })
	if r.Failed != 1 || len(r.Tables) != 9 || r.Tables[i].Name != "types" || r.Tables[i].Output != "" || r.Tables[i].Error.Column != "date" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(to, "a", "types.parquet")); err == nil {
		t.Error("a table that failed was written")
	}
	r = exportOf(t, exitLost, "--all", "--salvage", dir, filepath.Join(to, "b"))
	if r.Failed > 0 || r.Tables[i].Rows != 40 || len(r.Tables[i].Warnings) == 0 {
		t.Errorf("%+v", r.Tables[i])
	}
	o := do(t, "kudu", "export", "--all", dir, filepath.Join(to, "c"))
	if o.code != 1 || !strings.Contains(o.out, "│ failed") || !strings.Contains(o.out, "; 1 failed") || strings.Count(o.err, "table types: ") != 1 {
		t.Errorf("%+v", o)
	}
}
