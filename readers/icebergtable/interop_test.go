//go:build interop

package icebergtable_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
)

// withoutID is the lineage of a row without an id. Iceberg's library says of it that it was never changed, and the specification that it
// was when its file was added.
var withoutID = regexp.MustCompile(`null,\d+\]$`)

var rowsFile = regexp.MustCompile(`/(t\d+)(?:\.(\d+|lineage))?\.rows$`)

// TestRandomTables reads tables of random schemas and histories, which Iceberg's own library made: ORC, Parquet and Avro files, deletes
// by position, by vectors and by values, schemas and partitions that changed, defaults, row lineage; the current state and snapshots.
// A verification finds no fault.
func TestRandomTables(t *testing.T) {
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	dir := os.Getenv("ARROWIO_ICEBERG_TABLES") // made before
	if dir == "" {
		dir = t.TempDir()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		cmd := judge.Java(ctx, "1g", jar, "tables", dir, "3", "25")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	expected, err := filepath.Glob(filepath.Join(dir, "t*.rows"))
	if err != nil || len(expected) == 0 {
		t.Fatal(len(expected), err)
	}
	rows := 0
	for _, name := range expected {
		m := rowsFile.FindStringSubmatch(filepath.ToSlash(name))
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o := readers.Options{}
		if m[2] == "lineage" {
			o.Options = map[string]string{"iceberg-row-lineage": "true"}
		} else if m[2] != "" {
			o.Options = map[string]string{"iceberg-snapshot": m[2]}
		}
		got, fields := readTable(t, filepath.Join(dir, m[1]), o)
		if m[2] == "" {
			found, texts := faultsOf(t, filepath.Join(dir, m[1]))
			for i, f := range found {
				if !strings.HasSuffix(f, " warning") && !knownFault(f, texts[i], fields) {
					t.Errorf("%s: %s", name, texts[i])
				}
			}
		}
		var lines []string
		if len(want) > 0 {
			lines = strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
		}
		for _, all := range [][]string{got, lines} {
			for i := range all {
				if all[i] = orctext.Ordered(all[i], fields); m[2] == "lineage" {
					all[i] = withoutID.ReplaceAllString(all[i], "null,null]")
				}
			}
			slices.Sort(all)
		}
		rows += len(lines)
		if len(got) != len(lines) {
			t.Errorf("%s: %d rows, not %d", name, len(got), len(lines))
			continue
		}
		for i := range got {
			if got[i] != lines[i] {
				t.Errorf("%s: row %d is\n%s, not\n%s", name, i, got[i], lines[i])
				break
			}
		}
	}
	if rows == 0 {
		t.Error("no table has rows")
	}
}

// knownFault reports whether a fault is one of Iceberg's library, which has microseconds as bounds of nanoseconds in ORC.
func knownFault(fault, text string, fields []arrow.Field) bool {
	_, column, ok := strings.Cut(fault, ".orc ")
	return ok && strings.Contains(text, "_bounds in the manifest") && slices.ContainsFunc(fields, func(f arrow.Field) bool {
		t, ok := f.Type.(*arrow.TimestampType)
		return ok && f.Name == column && t.Unit == arrow.Nanosecond
	})
}

// readTable returns the rows of a table as text.
func readTable(t *testing.T, path string, o readers.Options) ([]string, []arrow.Field) {
	t.Helper()
	ctx := context.Background()
	d, err := readers.OpenDataset(ctx, []string{path}, o)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return nil, nil
	}
	defer d.Close()
	rr, err := d.Scan(ctx, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var out []string
	for rr.Next() {
		out = append(out, orctext.Rows(rr.Record())...)
	}
	if err := rr.Err(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return out, d.Schema.Fields()
}
