package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// A server without superblocks and logs: its tables are listed with how sure they are, read and converted, and what is not sure
// enough is reported.
func TestKuduRebuild(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	supers := filepath.Join(t.TempDir(), "tablet-meta")
	if err := os.Rename(filepath.Join(dir, "wal", "tablet-meta"), supers); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "wal", "wals")); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "count", "--from", "kudu", "--kudu-table", "types", dir), 1, "--kudu-rebuild puts them together")
	fails(t, do(t, "kudu", "list", dir), 1, " --rebuild=likely puts blocks without superblocks together")
	o := do(t, "kudu", "list", "--rebuild", "likely", dir)
	if o.code != exitLost || !strings.Contains(o.out, "rebuilt, likely") || !strings.Contains(o.err, "lost: ") || !strings.Contains(o.out, "rows not known") {
		t.Errorf("%+v", o)
	}
	o = do(t, "kudu", "list", "--rebuild", "doubtful", "--schema", supers, "--json", dir)
	conforms(t, "kudu-list", o.out)
	var l kuduListing
	if err := json.Unmarshal([]byte(o.out), &l); err != nil || o.code != exitOK {
		t.Fatal(err, o)
	}
	parts := map[string]int{}
	for _, table := range l.Tables {
		if len(table.Tablets) != 1 { // rowsets with a key in common are of several tables
			t.Errorf("table %s has %d rebuilt tablets", table.Name, len(table.Tablets))
		}
		for _, x := range table.Tablets {
			for _, p := range x.Rebuilt {
				parts[p.Kind+" "+p.Certainty]++
			}
		}
	}
	if parts["rowset sure"] != 14 || parts["deltas doubtful"] == 0 || parts["deltas sure"] == 0 {
		t.Errorf("%v", parts)
	}
	o = do(t, "cat", "--from", "kudu", "--kudu-rebuild", "sure", "--kudu-schema", supers, "--kudu-table", "types", "--format", "jsonl", dir)
	if o.code != exitOK || strings.Count(o.out, "\n") != 40 || !strings.Contains(o.err, "likely") {
		t.Errorf("%+v", o)
	}
}

// Logs of tablets that are rebuilt are not replayed: that is a loss, whether all superblocks are gone or some.
func TestKuduRebuildLogs(t *testing.T) {
	dir := t.TempDir()
	fixtures.UnpackInto(t, dir, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	var l kuduListing
	if err := json.Unmarshal([]byte(ok(t, "kudu", "list", "--json", dir)), &l); err != nil {
		t.Fatal(err)
	}
	supers := filepath.Join(dir, "wal", "tablet-meta")
	for _, table := range l.Tables {
		if table.Name != "partitioned" {
			continue
		}
		if err := os.Remove(filepath.Join(supers, table.Tablets[0].ID)); err != nil {
			t.Fatal(err)
		}
	}
	o := do(t, "count", "--from", "kudu", "--kudu-rebuild", "doubtful", "--kudu-table", "partitioned", dir)
	if o.code != exitLost || !strings.Contains(o.err, "its log is not replayed") || strings.Contains(o.err, "rows are missing, because") || !strings.Contains(o.err, "where the rebuilt tablets do not have them") {
		t.Errorf("%+v", o)
	}
	if err := os.RemoveAll(supers); err != nil {
		t.Fatal(err)
	}
	if o = do(t, "kudu", "list", "--rebuild", "likely", dir); o.code != exitLost || strings.Count(o.err, "its log is not replayed") < 7 {
		t.Errorf("%+v", o)
	}
}
