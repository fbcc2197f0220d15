package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// toldWarning is a warning of a report.
type toldWarning struct{ Kind, Place, Message string }

// toldReport is what a report of an export tells.
type toldReport struct {
	Warnings []toldWarning
	Tables   []struct {
		Name, ID string
		Warnings []toldWarning
	}
}

// exportReport exports all tables and returns the report, whose warnings are each told once.
func exportReport(t *testing.T, dir string, options ...string) (r toldReport) {
	t.Helper()
	o := do(t, append(append([]string{"kudu", "export", "--all", "--salvage", "--json", "--to", "jsonl"}, options...), filepath.Join(dir, "wal"), filepath.Join(t.TempDir(), "out"))...)
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != exitLost {
		t.Fatal(o.code, err, o.err)
	}
	conforms(t, "kudu-export", o.out)
	seen := map[string]bool{}
	all := r.Warnings
	for _, x := range r.Tables {
		all = append(all, x.Warnings...)
	}
	for _, w := range all {
		if seen[w.Message] {
			t.Errorf("told twice: %s", w.Message)
		}
		seen[w.Message] = true
	}
	return r
}

// A loss is told once: at its table, or, where its table is not known, at the top.
func TestKuduExportPlaces(t *testing.T) {
	lost := func(all []toldWarning) (n int) {
		for _, w := range all {
			if w.Kind == "lost" {
				n++
			}
		}
		return n
	}
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	supers, err := filepath.Glob(filepath.Join(dir, "wal", "tablet-meta", "*"))
	if err != nil || len(supers) != 11 {
		t.Fatal(supers, err)
	}
	if err := os.Truncate(supers[0], 100); err != nil {
		t.Fatal(err)
	}
	id := filepath.Base(supers[0])
	if o := do(t, "kudu", "export", "--table", "that one", filepath.Join(dir, "wal"), filepath.Join(t.TempDir(), "out")); o.code != exitData || !strings.Contains(o.err, id) {
		t.Errorf("%d: %s", o.code, o.err)
	}
	r := exportReport(t, dir)
	if lost(r.Warnings) != 1 || r.Warnings[0].Place != "tablet "+id {
		t.Errorf("top: %+v", r.Warnings)
	}
	for _, x := range r.Tables {
		if x.Name == "partitioned" { // whose tablet it is
			if lost(x.Warnings) != 1 || x.Warnings[0].Place != "table partitioned" {
				t.Errorf("%+v", x.Warnings)
			}
			continue
		}
		if lost(x.Warnings) > 0 {
			t.Errorf("table %s: %+v", x.Name, x.Warnings)
		}
	}
	for _, path := range supers {
		if err := os.WriteFile(path, make([]byte, 8192), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r = exportReport(t, dir, "--rebuild", "likely")
	if lost(r.Warnings) != len(supers) {
		t.Errorf("top: %+v", r.Warnings)
	}
	sum := 0
	for _, x := range r.Tables {
		sum += lost(x.Warnings)
		for _, w := range x.Warnings {
			if id := tabletOf(w.Place); id != "" && id != x.ID {
				t.Errorf("table %s has the warning of another: %+v", x.Name, w)
			}
		}
	}
	if sum == 0 {
		t.Error("no table has a loss")
	}
}
