package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// A fault of a set is told with the name of the file.
func TestKuduSetFault(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	set := filepath.Join(t.TempDir(), "all.kudu")
	ok(t, "convert", "--sort", "--from", "kudu", "--kudu-table", "partitioned", dir, set)
	files, err := filepath.Glob(filepath.Join(set, "rowset-00000", "*.cfile"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 30); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "verify", set); o.code != 1 || !strings.HasPrefix(o.out, files[0]+": kudu: ") || strings.Count(o.out, "\n") != 1 {
		t.Errorf("%+v", o)
	}
}

// A server's directory, as an operator meets it.
func TestKuduServer(t *testing.T) {
	const testdata = "../../testdata/kudu/kudu-1.17.1/"
	dir := fixtures.Unpack(t, testdata+"log.tar.gz")
	rows := fixtures.Unpack(t, testdata+"rows.tar.gz")

	out := ok(t, "inspect", "--from", "kudu", dir)
	for _, want := range []string{"log block manager", "--kudu-table changed", "tombstoned", "hash bucket 1", "name it with --kudu-table"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	tables := ok(t, "kudu", "list", dir)
	for _, want := range []string{"\npartitioned │ ", "│ tombstoned │", "\n10 tables, 11 tablets, 405 rows, 90 KiB\n", "more in the logs"} {
		if !strings.Contains(tables, want) {
			t.Errorf("%q is not in %s", want, tables)
		}
	}
	var listing struct {
		Tables []struct {
			Name    string
			Rows    *int64
			Bytes   int64
			Tablets []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "kudu", "list", "--json", dir)), &listing); err != nil || len(listing.Tables) != 10 {
		t.Errorf("%+v, %v", listing, err)
	}
	for _, table := range listing.Tables {
		if table.Name == "partitioned" && len(table.Tablets) != 2 || table.Name == "compacted" && *table.Rows != 50 {
			t.Errorf("%+v", table)
		}
	}
	fails(t, do(t, "kudu", "list"), 2, "DIR")
	fails(t, do(t, "kudu", "inspect", dir), 2, "arrowio inspect --from kudu DIR")
	fails(t, do(t, "kudu", "inspect", "--help"), 2, "arrowio inspect --from kudu DIR")
	fails(t, do(t, "kudu", "lst", "--help"), 2, "did you mean list?")
	for _, of := range []string{dir, filepath.Join(dir, "wal")} {
		o := do(t, "cat", of)
		fails(t, o, 2, "name the format with --from=kudu")
		if strings.Count(o.err, of) != 1 {
			t.Errorf("the name twice: %s", o.err)
		}
	}
	fails(t, do(t, "kudu", "import", "../../go.mod", "--wal-dir", filepath.Join(dir, "wal"), "--tablet", listing.Tables[0].Tablets[0].ID), 2, "go.mod is a file", "OUT.kudu/")
	fails(t, do(t, "kudu", "list", t.TempDir()), 2, "not the directory of a server")
	fails(t, do(t, "cat", "--from", "kudu", dir), 2, "several tables", "--kudu-table", "changed")
	fails(t, do(t, "inspect", "--from", "kudu", "--where", "id = 1", dir), 2, "several tables")
	want := strings.Count(string(fixtures.Read(t, filepath.Join(rows, "changed.jsonl"))), "\n")
	if got := ok(t, "cat", "--from", "kudu", "--kudu-table", "changed", "--format", "jsonl", dir); strings.Count(got, "\n") != want {
		t.Errorf("%d rows, want %d", strings.Count(got, "\n"), want)
	}
	out = ok(t, "inspect", "--from", "kudu", "--kudu-table", "changed", "--where", "id < 3", "--blocks", dir)
	for _, want := range []string{"decimal128(20, 4), nullable, id 4", "(bloom filters)", "the filter reads 2 of 3 units", "key bounds", "rowset 1", "keys 0 to ", "redo file", ".data"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	// The fixture has no index of the log, which was not closed.
	if o := do(t, "verify", "--from", "kudu", "--kudu-table", "changed", dir); o.code != 0 || !strings.HasSuffix(o.out, ": ok (1 warning of what may be missing or wrong)\n") || !strings.Contains(o.err, "not closed") {
		t.Error(o)
	}
	// This one has.
	if got := ok(t, "verify", "--from", "kudu", fixtures.Unpack(t, "../../testdata/kudu/killed-1.17.1/killed.tar.gz")); !strings.HasSuffix(got, ": ok\n") {
		t.Error(got)
	}

	if o := do(t, "verify", "--from", "kudu", dir); o.code != 0 || o.out != dir+": ok (9 warnings of what may be missing or wrong)\n" {
		t.Error(o)
	}
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(schema, []byte(ok(t, "schema", "--from", "kudu", "--kudu-table", "changed", "--json", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "verify", "--schema", schema, "--from", "kudu", dir), 2, "several tables", "--kudu-table")

	// Without data directories nobody knows how large the blocks are.
	lone := t.TempDir()
	if err := os.CopyFS(filepath.Join(lone, "wal"), os.DirFS(filepath.Join(dir, "wal"))); err != nil {
		t.Fatal(err)
	}
	bare := do(t, "kudu", "list", "--json", filepath.Join(lone, "wal"))
	conforms(t, "kudu-list", bare.out)
	var sizes struct {
		Tables []struct {
			Bytes   *int64
			Tablets []struct{ Bytes *int64 }
		}
	}
	if err := json.Unmarshal([]byte(bare.out), &sizes); err != nil || len(sizes.Tables) == 0 {
		t.Fatalf("%+v %v", bare, err)
	}
	for i, table := range sizes.Tables {
		if flushed := listing.Tables[i].Bytes > 0; flushed != (table.Bytes == nil) || flushed != (table.Tablets[0].Bytes == nil) {
			t.Errorf("table %d: %+v", i, table)
		}
	}
	if o := do(t, "kudu", "list", filepath.Join(lone, "wal")); o.code != 0 || !strings.Contains(o.out, "│       3 │   55 │      │") || !strings.Contains(o.out, "size not known") {
		t.Errorf("%+v", o)
	}

	// Part of a log is gone: rows are missing, which is told.
	var info struct {
		Facts []struct{ Name, Value string }
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--from", "kudu", "--kudu-table", "unflushed", dir)), &info); err != nil {
		t.Fatal(err)
	}
	tablet := ""
	for _, f := range info.Facts {
		if f.Name == "tablet" {
			tablet, _, _ = strings.Cut(f.Value, ",")
		}
	}
	wal := filepath.Join(dir, "wal", "wals", tablet, "wal-000000001")
	if err := os.WriteFile(wal, fixtures.Read(t, wal)[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "cat", "--from", "kudu", "--kudu-table", "unflushed", dir), 1, dir+": ", tablet, "wal-000000001")
	o := do(t, "cat", "--from", "kudu", "--kudu-table", "unflushed", "--kudu-salvage", "--format", "jsonl", dir)
	if o.code != exitLost || !strings.Contains(o.err, dir+": warning: tablet "+tablet+": ") || strings.Contains(o.out, "warning") || o.out == "" {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
	if o := do(t, "verify", "--from", "kudu", "--kudu-table", "unflushed", dir); o.code != 1 || !strings.Contains(o.out, "wal-000000001") {
		t.Errorf("exit %d, %q, %q", o.code, o.out, o.err)
	}

	if o := do(t, "verify", "--from", "kudu", dir); o.code != 1 || !strings.Contains(o.out, dir+": kudu: table unflushed, tablet "+tablet) || !strings.Contains(o.out, "wal-000000001") {
		t.Errorf("all tables: exit %d, %q, %q", o.code, o.out, o.err)
	}

	// Without superblocks each block is a file of its own.
	if err := os.RemoveAll(filepath.Join(dir, "wal", "tablet-meta")); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Members []struct {
			ID, Name string
			Rows     int
			Open     []struct{ Option, Value string }
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--blocks", "--from", "kudu", dir)), &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Members {
		if !strings.HasPrefix(m.Name, "column of int") || len(m.Open) != 1 {
			continue
		}
		block := []string{"--from", "kudu", "--" + m.Open[0].Option, m.Open[0].Value, dir}
		if got := ok(t, append([]string{"cat", "--format", "jsonl"}, block...)...); strings.Count(got, "\n") != m.Rows {
			t.Errorf("block %s: %d rows, want %d", m.ID, strings.Count(got, "\n"), m.Rows)
		}
		ok(t, append([]string{"verify"}, block...)...)
		ok(t, append([]string{"inspect"}, block...)...)
	}
	if len(list.Members) < 100 {
		t.Errorf("%d blocks", len(list.Members))
	}
}

// The small files of a server are told by their content, wherever they lie, and can be dumped.
func TestKuduDump(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	files, err := filepath.Glob(filepath.Join(dir, "wal", "tablet-meta", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	super := filepath.Join(t.TempDir(), "found")
	if err := os.WriteFile(super, fixtures.Read(t, files[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	id := filepath.Base(files[0])
	for _, args := range [][]string{{"dump", super}, {"dump", "--from", "kudu", super}} {
		if out := ok(t, args...); !strings.Contains(out, "superblock of a tablet") || !strings.Contains(out, "tablet_id: \""+id) {
			t.Errorf("%s: %s", args, out)
		}
	}
	var doc struct {
		Kind     string
		Messages []map[string]any
	}
	if err := json.Unmarshal([]byte(ok(t, "dump", "--json", super)), &doc); err != nil || doc.Kind != "superblock of a tablet" || len(doc.Messages) != 1 || doc.Messages[0]["tablet_id"] != id {
		t.Errorf("%+v, %v", doc, err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "wal", "wals", "*", "wal-*"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	if out := ok(t, "dump", logs[0]); !strings.Contains(out, "REPLICATE 1.1, NO_OP") {
		t.Error(out)
	}
	if out := ok(t, "inspect", super); !strings.Contains(out, "superblock of a tablet") {
		t.Error(out)
	}
	for _, command := range []string{"cat", "count"} {
		fails(t, do(t, command, super), 1, "superblock of a tablet", "arrowio dump")
	}
	ok(t, "verify", super, logs[0])
	if err := os.Truncate(super, 100); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "verify", super); o.code != 1 || !strings.Contains(o.err, "1 fault") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "dump", "--from", "kudu", dir), 1, "tablet-meta/TABLET", "--kudu-block ID")
	fails(t, do(t, "dump", "--json", "../../testdata/orc/java-2.3.1/pruning.orc"), 2, "--json", "small files of a Kudu server")
}
