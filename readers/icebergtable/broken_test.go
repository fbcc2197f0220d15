package icebergtable_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/readers"
)

// TestBrokenManifests reads tables whose manifests or manifest list are missing, cut off, or one another: the error names the file, at once.
func TestBrokenManifests(t *testing.T) {
	for what, broken := range map[string]func(metadata string) (file string, err error){
		"no manifest": func(m string) (string, error) { return "m0.avro", os.Remove(filepath.Join(m, "m0.avro")) },
		"no list":     func(m string) (string, error) { return "list.avro", os.Remove(filepath.Join(m, "list.avro")) },
		"half of a manifest": func(m string) (string, error) {
			fi, err := os.Stat(filepath.Join(m, "m0.avro"))
			if err != nil {
				return "", err
			}
			return "m0.avro", os.Truncate(filepath.Join(m, "m0.avro"), fi.Size()-20)
		},
		"an empty manifest": func(m string) (string, error) { return "m0.avro", os.Truncate(filepath.Join(m, "m0.avro"), 0) },
		"half of the list": func(m string) (string, error) {
			fi, err := os.Stat(filepath.Join(m, "list.avro"))
			if err != nil {
				return "", err
			}
			return "list.avro", os.Truncate(filepath.Join(m, "list.avro"), fi.Size()-20)
		},
		"a list in place of a manifest": func(m string) (string, error) {
			b, err := os.ReadFile(filepath.Join(m, "list.avro"))
			if err != nil {
				return "", err
			}
			return "m0.avro", os.WriteFile(filepath.Join(m, "m0.avro"), b, 0o600)
		},
	} {
		dir := deletesTable(t).build()
		file, err := broken(filepath.Join(dir, "metadata"))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, _, err = rowsOf(t, dir, readers.Options{}, "")
		if err == nil || !strings.Contains(err.Error(), file) || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %s", what, err, time.Since(start))
		}
	}
}

// TestCircles reads a table whose list lists itself, whose snapshots are their own ancestors, and whose references lead to none.
func TestCircles(t *testing.T) {
	b := deletesTable(t)
	b.listed = func(m map[string]any) { m["manifest_path"] = b.said + "/metadata/list.avro" }
	if _, _, err := rowsOf(t, b.build(), readers.Options{}, ""); err == nil || !strings.Contains(err.Error(), "list.avro") {
		t.Error(err)
	}
	b = deletesTable(t)
	want, _, err := rowsOf(t, b.build(), readers.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	b.edit = func(m map[string]any) {
		s, ok := m["snapshots"].([]any)
		if !ok {
			t.Fatal("no snapshots")
		}
		first, ok := s[0].(map[string]any)
		if !ok {
			t.Fatal("no snapshot")
		}
		first["parent-snapshot-id"] = 8
		other := map[string]any{"snapshot-id": 8, "parent-snapshot-id": 7, "sequence-number": 8, "timestamp-ms": 900, "manifest-list": first["manifest-list"], "schema-id": 0}
		m["snapshots"] = []any{other, first}
		m["refs"] = map[string]any{"main": map[string]any{"snapshot-id": 7, "type": "branch"}, "lost": map[string]any{"snapshot-id": 99, "type": "tag"}}
	}
	dir := b.build()
	got, _, err := rowsOf(t, dir, readers.Options{}, "")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, err)
	}
	_, _, err = rowsOf(t, dir, readers.Options{Options: map[string]string{"iceberg-ref": "lost"}}, "")
	if err == nil || !strings.Contains(err.Error(), "99") {
		t.Error(err)
	}
}

// TestNamelessDeletes reads a table with a delete that has no path: it deletes nothing, and a warning says so, as Apache Impala does it. One without a
// position is an error.
func TestNamelessDeletes(t *testing.T) {
	for _, positions := range []string{`[1,2,0]`, `[1,2,null]`} {
		b := newBuilder(t)
		b.schema = `[{"id": 1, "name": "a", "required": false, "type": "long"}]`
		b.file(fileEntry{name: "a.parquet", sequence: 1}, column{"a", 1, i64, `[10,11,12]`})
		path := b.said + "/data/a.parquet"
		b.file(fileEntry{name: "d.orc", sequence: 2, content: 1}, column{"file_path", 2147483546, utf8, `[null,null,"` + path + `"]`}, column{"pos", 2147483545, i64, positions})
		dir := b.build()
		got, _, err := rowsOf(t, dir, readers.Options{}, "")
		if positions != `[1,2,0]` {
			if err == nil || !strings.Contains(err.Error(), "no position") {
				t.Errorf("%q, %v", got, err)
			}
			continue
		}
		if err != nil || len(got) != 2 || !strings.Contains(got[0], "11") {
			t.Errorf("%q, %v", got, err)
		}
		o := readers.Defaults(readers.Options{})
		inputs, err := dataset.List(t.Context(), dir, o)
		if err != nil || len(inputs) != 1 {
			t.Fatal(len(inputs), err)
		}
		f, err := dataset.OpenInput(t.Context(), inputs[0], o)
		if err != nil {
			t.Fatal(err)
		}
		warned := 0
		for _, w := range arrowio.WarningsOf(f) {
			if strings.Contains(w.String(), "2 deletes in") && strings.Contains(w.String(), "no path") {
				warned++
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if warned != 1 {
			t.Errorf("%d warnings", warned)
		}
	}
}
