package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

const (
	icebergList = `{"type": "record", "name": "manifest_file", "fields": [
		{"name": "manifest_path", "type": "string"}, {"name": "partition_spec_id", "type": "int"}, {"name": "content", "type": "int"},
		{"name": "sequence_number", "type": "long"}, {"name": "added_files_count", "type": "int"}]}`
	icebergManifest = `{"type": "record", "name": "manifest_entry", "fields": [
		{"name": "status", "type": "int"}, {"name": "data_file", "type": {"type": "record", "name": "r2", "fields": [
		{"name": "content", "type": "int"}, {"name": "file_path", "type": "string"}, {"name": "file_format", "type": "string"},
		{"name": "record_count", "type": "long"}, {"name": "file_size_in_bytes", "type": "long"}]}}]}`
)

// icebergTable makes a table with the rows 0 to 4 of a column id: snapshot 1 has all, snapshot 2 has deleted row 3.
func icebergTable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "table")
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries := func(name, schema string, entries ...map[string]any) {
		t.Helper()
		s, err := avro.Parse(schema)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := ocf.NewWriter(&b, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := w.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		write("metadata/"+name, b.Bytes())
	}
	var lists []map[string]any
	for i, csv := range []string{"id\n0\n1\n2\n3\n4\n", "file_path,pos\n" + at("data/0.orc") + ",3\n"} {
		n := strconv.Itoa(i)
		write("data/"+n+".csv", []byte(csv))
		ok(t, "convert", at("data/"+n+".csv"), at("data/"+n+".orc"))
		if err := os.Remove(at("data/" + n + ".csv")); err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(at("data/" + n + ".orc"))
		if err != nil {
			t.Fatal(err)
		}
		entries("m"+n+".avro", icebergManifest, map[string]any{"status": 1, "data_file": map[string]any{
			"content": i, "file_path": at("data/" + n + ".orc"), "file_format": "ORC", "record_count": strings.Count(csv, "\n") - 1, "file_size_in_bytes": fi.Size(),
		}})
		lists = append(lists, map[string]any{"manifest_path": at("metadata/m" + n + ".avro"), "partition_spec_id": 0, "content": i, "sequence_number": i + 1, "added_files_count": 1})
		entries("list"+n+".avro", icebergList, lists...)
	}
	snapshot := func(n int) map[string]any {
		return map[string]any{"snapshot-id": n, "parent-snapshot-id": n - 1, "sequence-number": n, "timestamp-ms": n * 1000, "manifest-list": at("metadata/list" + strconv.Itoa(n-1) + ".avro"), "schema-id": 0}
	}
	text, err := json.Marshal(map[string]any{
		"format-version": 2, "table-uuid": "u", "location": dir, "last-updated-ms": 2000, "last-column-id": 1, "last-sequence-number": 2,
		"current-schema-id": 0, "schemas": []any{map[string]any{"type": "struct", "schema-id": 0, "fields": []any{map[string]any{"id": 1, "name": "id", "required": false, "type": "long"}}}},
		"default-spec-id": 0, "partition-specs": []any{map[string]any{"spec-id": 0, "fields": []any{}}},
		"current-snapshot-id": 2, "snapshots": []any{snapshot(1), snapshot(2)},
		"refs":       map[string]any{"main": map[string]any{"snapshot-id": 2, "type": "branch"}, "all": map[string]any{"snapshot-id": 1, "type": "tag"}},
		"properties": map[string]any{"schema.name-mapping.default": `[{"field-id": 1, "names": ["id"]}]`},
	})
	if err != nil {
		t.Fatal(err)
	}
	write("metadata/v1.metadata.json", text)
	return dir
}

// TestIceberg reads a table by each command, and refuses what the table does not have.
func TestIceberg(t *testing.T) {
	dir := icebergTable(t)
	for _, c := range []struct{ want, args string }{
		{"4\n", "count"},
		{"5\n", "count --iceberg-snapshot 1"},
		{"5\n", "count --iceberg-ref all"},
		{"5\n", "count --iceberg-as-of 1500"},
		{"2\n", "count --where id>=2"},
		{"id\n2\n4\n", "cat --format csv --where id>=2"},
		{"id\n3\n4\n", "cat --format csv --where id>=3 --iceberg-as-of 1970-01-01T00:00:01Z"},
	} {
		if got := ok(t, append(strings.Fields(c.args), dir)...); got != c.want {
			t.Errorf("%s: %q, not %q", c.args, got, c.want)
		}
	}
	if got := ok(t, "schema", dir); !strings.Contains(got, "id") || !strings.Contains(got, "int64") {
		t.Errorf("%q", got)
	}
	for _, c := range []struct{ say, args string }{
		{"has no snapshot 3", "count --iceberg-snapshot 3"},
		{"no branch or tag", "cat --iceberg-ref other"},
		{"is no time", "schema --iceberg-as-of yesterday"},
		{"choose one", "count --iceberg-ref all --iceberg-snapshot 1"},
	} {
		fails(t, do(t, append(strings.Fields(c.args), dir)...), 2, c.say)
	}
}

// TestIcebergVerify verifies and describes a table: itself, its delete file, its data file.
func TestIcebergVerify(t *testing.T) {
	dir := icebergTable(t)
	got := ok(t, "verify", dir)
	if n := strings.Count(got, ": ok"); n != 3 || !strings.HasPrefix(got, dir+": ok\n") {
		t.Errorf("%q", got)
	}
	var d struct{ Files []map[string]any }
	for _, command := range []string{"verify", "inspect"} {
		text := ok(t, command, "--json", dir)
		conforms(t, command, text)
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Files[0]["file"] != dir || d.Files[0]["format"] != "iceberg" {
			t.Errorf("%s: %v %s", command, err, text)
		}
	}
	if members, _ := d.Files[0]["members"].([]any); len(members) != 4 || d.Files[0]["rows"] != nil { // 2 snapshots, a branch, a tag
		t.Errorf("%v", d.Files[0])
	}
	if err := os.Truncate(filepath.Join(dir, "data", "1.orc"), 40); err != nil {
		t.Fatal(err)
	}
	o := do(t, "verify", dir)
	if o.code != 1 || !strings.Contains(o.out, "1.orc") || !strings.HasPrefix(o.out, dir+": ok\n") {
		t.Errorf("%+v", o)
	}
}

// TestIcebergServe serves a table to Flight clients.
func TestIcebergServe(t *testing.T) {
	c, _, _ := serveClient(t, "events="+icebergTable(t))
	want := "{\"id\":0}\n{\"id\":1}\n{\"id\":2}\n{\"id\":4}\n"
	if got := answer(t, c, `{"dataset": "events"}`); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestIcebergCount counts by the manifests where no deletes count: files but the first are not opened.
func TestIcebergCount(t *testing.T) {
	dir := icebergTable(t)
	s, err := avro.Parse(icebergManifest)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := ocf.NewWriter(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name string
		rows int
	}{{"0.orc", 5}, {"gone.orc", 1000}, {"none.orc", 0}} {
		if err := w.Encode(map[string]any{"status": 1, "data_file": map[string]any{
			"content": 0, "file_path": filepath.Join(dir, "data", f.name), "file_format": "ORC", "record_count": f.rows, "file_size_in_bytes": 300,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "metadata", "m0.avro"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "count", "--iceberg-snapshot", "1", dir), 3, "none.orc") // of which the manifest says nothing
	empty, err := os.ReadFile(filepath.Join(dir, "data", "0.orc"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "none.orc"), empty, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, "count", "--iceberg-snapshot", "1", dir); got != "1010\n" {
		t.Errorf("%q", got)
	}
	for _, args := range [][]string{{"count", dir}, {"count", "--where", "id >= 0", "--iceberg-snapshot", "1", dir}, {"count", "--rows", "0:9", "--iceberg-snapshot", "1", dir}} {
		if got := do(t, args...); got.code == 0 || !strings.Contains(got.err, "gone.orc") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestIcebergChanges deletes rows of a table, replaces some, and compacts it.
func TestIcebergChanges(t *testing.T) {
	dir := t.TempDir()
	table, csv := filepath.Join(dir, "table"), filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, []byte("id,x\n1,a\n2,b\n3,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", "--to", "iceberg", "--orc-bloom", "id", csv, table)
	for _, c := range []struct{ want, args string }{
		{"would be done: 1 row deleted, 1 file with new deletes\n", "iceberg delete --dry-run --where x='a' "},
		{"1 row deleted, 1 file with new deletes; snapshot ", "iceberg delete --where x='a' "},
		{"0 rows deleted; the table stays as it is\n", "iceberg delete --where x='a' "},
		{"would be done: 1 file written again, 1 delete file dropped\n", "iceberg compact --dry-run "},
		{"1 file with 2 rows written again as 1, 1 delete file dropped; snapshot ", "iceberg compact --target-size 1MiB "},
	} {
		if got := ok(t, append(strings.Fields(c.args), table)...); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, not %q", c.args, got, c.want)
		}
	}
	ok(t, "convert", "--to", "iceberg", "--iceberg-overwrite-where", "id > 2", "--where", "id > 2", csv, table)
	if got := ok(t, "count", table); got != "2\n" {
		t.Errorf("%q", got)
	}
	fails(t, do(t, "convert", "--to", "iceberg", "--iceberg-overwrite-where", "id > 2", csv, table), 2, "row 0 of the input")
	fails(t, do(t, "convert", "--to", "iceberg", "--iceberg-mode", "append", "--parquet-bloom", "id", csv, table), 2, "the format of data files is orc")
	fails(t, do(t, "iceberg", "delete", table), 2, "--where is missing")
	fails(t, do(t, "iceberg", "compact"), 2, "name one TABLE")
	fails(t, do(t, "iceberg", "delete", table, "--where", "none = 1"), 2, "none")
	var report struct{ Snapshot string }
	of := func(schema, text string) string {
		t.Helper()
		conforms(t, schema, text)
		if report.Snapshot = ""; json.Unmarshal([]byte(text), &report) != nil || len(report.Snapshot) < 10 && report.Snapshot != "" {
			t.Errorf("%s", text)
		}
		return report.Snapshot
	}
	current := func(id string) {
		t.Helper()
		if got := ok(t, "inspect", "--json", table); id == "" || !strings.Contains(got, "\"snapshot\"") || !strings.Contains(got, `"`+id) {
			t.Errorf("%q in %s", id, got)
		}
	}
	current(of("convert", ok(t, "convert", "--json", "--iceberg-mode", "append", csv, table)))
	if id := of("convert", ok(t, "convert", "--json", "--dry-run", "--iceberg-mode", "append", csv, table)); id != "" {
		t.Error(id)
	}
	if id := of("convert", ok(t, "convert", "--json", csv, filepath.Join(dir, "out.orc"))); id != "" {
		t.Error(id)
	}
	current(of("iceberg", ok(t, "iceberg", "compact", "--json", table)))
	current(of("iceberg", ok(t, "iceberg", "delete", "--json", table, "--where", "id > 0")))
	if id := of("iceberg", ok(t, "iceberg", "delete", "--json", table, "--where", "id > 0")); id != "" {
		t.Error(id)
	}
}

// TestIcebergOutput names a table as OUTPUT without --to, and what is none.
func TestIcebergOutput(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("in.jsonl", `{"a":1,"b":"x"}`)
	write("empty/metadata/readme", "")
	ok(t, "convert", "--to", "iceberg", at("in.jsonl"), at("table"))
	ok(t, "convert", "--iceberg-mode", "append", at("in.jsonl"), at("table"))
	if got := ok(t, "count", at("table")); got != "2\n" {
		t.Error(got)
	}
	for _, c := range []struct {
		code int
		say  string
		args []string
	}{
		{2, "--iceberg-mode=append", []string{"convert", at("in.jsonl"), at("table")}}, // it is a table
		{2, at("table") + `: no field "z"; there are "a", "b"`, []string{"count", "--where", "z = 1", at("table")}},
		{2, at("table") + `: no field "z"; there are "a", "b"`, []string{"cat", "--columns", "z", at("table")}},
		{2, at("out.orc") + " is none", []string{"convert", "--iceberg-mode", "append", at("in.jsonl"), at("out.orc")}},
		{2, at("new") + " is none", []string{"convert", "--iceberg-partition", "a", at("in.jsonl"), at("new")}},
		{2, "name the format with --to", []string{"convert", at("in.jsonl"), at("new")}},
		{2, "write.target-file-size-bytes", []string{"convert", "--to", "iceberg", "--iceberg-property", "write.target-file-size-bytes=x", at("in.jsonl"), at("new")}},
		{2, "write.metadata.metrics.default", []string{"convert", "--to", "iceberg", "--iceberg-property", "write.metadata.metrics.default=x", at("in.jsonl"), at("new")}},
		{2, "write.format.default", []string{"convert", "--to", "iceberg", "--iceberg-property", "write.format.default=x", at("in.jsonl"), at("new")}},
		{3, "no Iceberg table to be changed", []string{"iceberg", "compact", at("none")}},
		{3, "metadata/*.metadata.json", []string{"iceberg", "delete", at("empty"), "--where", "a=1"}},
		{3, "metadata/*.metadata.json", []string{"count", "--from", "iceberg", at("empty")}},
		{3, "metadata/*.metadata.json", []string{"count", "--from", "iceberg", dir}},
	} {
		o := do(t, c.args...)
		if fails(t, o, c.code, c.say); strings.Contains(o.err, "--iceberg-mode=create") {
			t.Errorf("%q: %s", c.args, o.err)
		}
	}
	if _, err := os.Stat(at("new")); !os.IsNotExist(err) {
		t.Error(err)
	}
	// What the table itself says is not the command line's.
	metadata, err := filepath.Glob(filepath.Join(at("table"), "metadata", "*.metadata.json"))
	if err != nil || len(metadata) == 0 {
		t.Fatal(metadata, err)
	}
	said, err := os.ReadFile(metadata[len(metadata)-1])
	if err != nil {
		t.Fatal(err)
	}
	for _, property := range []string{"write.format.default", "write.target-file-size-bytes"} {
		wrong := strings.Replace(string(said), `"properties":{`, `"properties":{"`+property+`":"x",`, 1)
		wrong = strings.Replace(wrong, `,"write.format.default":"orc"`, "", 1)
		if err := os.WriteFile(metadata[len(metadata)-1], []byte(wrong), 0o600); err != nil || wrong == string(said) {
			t.Fatal(wrong, err)
		}
		fails(t, do(t, "convert", "--iceberg-mode", "append", at("in.jsonl"), at("table")), 1, at("table")+": ", property+` is "x"`)
	}
}

// TestSchemaOfTable appends CSV with the types of a table.
func TestSchemaOfTable(t *testing.T) {
	dir := t.TempDir()
	csv, table := filepath.Join(dir, "in.csv"), filepath.Join(dir, "table")
	if err := os.WriteFile(csv, []byte("n,d\n1,2024-01-02\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", "--to", "iceberg", "--schema", "struct<n:int,d:date>", csv, table)
	fails(t, do(t, "convert", "--iceberg-mode", "append", csv, table), 1, table, "--schema="+table)
	ok(t, "convert", "--iceberg-mode", "append", "--schema", table, csv, table)
	if got := ok(t, "cat", "--format", "csv", table); got != "n,d\n1,2024-01-02\n1,2024-01-02\n" {
		t.Errorf("%q", got)
	}
	fails(t, do(t, "cat", "--schema", dir+"/none/", csv), 3, "none")
	fails(t, do(t, "cat", "--schema", "hive://localhost:1/a.b", csv), 3, "hive://localhost:1/a.b")
	fails(t, do(t, "iceberg", "compact", "hive://localhost:1/a.b"), 1, "table_type=ICEBERG", "Hive alone")
}
