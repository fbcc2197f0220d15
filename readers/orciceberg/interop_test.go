//go:build interop

package orciceberg_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers/orc"
	"github.com/arrowio/arrowio/readers/orciceberg"
)

// TestRandomTables reads tables of random schemas, with the rows that position deletes and equality deletes leave, as
// Iceberg's own writer made them and its own sets of values tell.
func TestRandomTables(t *testing.T) {
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := judge.Java(ctx, "1g", jar, "random", dir, "7", "20")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "t*"))
	if err != nil || len(tables) != 20 {
		t.Fatal(len(tables), err)
	}
	deleted := 0
	for _, d := range tables {
		o := map[string]string{"orc-iceberg-schema": filepath.Join(d, "schema.json")}
		var deletes []string
		for _, name := range []string{"positions.orc", "values.orc"} {
			if _, err := os.Stat(filepath.Join(d, name)); err == nil {
				deletes = append(deletes, filepath.Join(d, name))
			}
		}
		if len(deletes) > 0 {
			o["orc-deletes"], deleted = strings.Join(deletes, "\n"), deleted+1
		}
		want, err := os.ReadFile(filepath.Join(d, "rows.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		got, fields := readTable(t, filepath.Join(d, "data.orc"), o)
		lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
		if len(want) == 0 {
			lines = nil
		}
		if len(got) != len(lines) {
			t.Errorf("%s: %d rows, not %d", d, len(got), len(lines))
			continue
		}
		for i := range got {
			if a, b := orctext.Ordered(got[i], fields), orctext.Ordered(lines[i], fields); a != b {
				t.Errorf("%s: row %d is\n%s, not\n%s", d, i, a, b)
				break
			}
		}
	}
	if deleted == 0 {
		t.Error("nothing was deleted")
	}
}

// readTable returns the rows of a data file as text.
func readTable(t *testing.T, path string, o map[string]string) ([]string, []arrow.Field) {
	t.Helper()
	src, err := local.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f, err := orciceberg.Format(orc.Format()).Open(context.Background(), src, arrowio.OpenOptions{Options: o, Name: path})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer f.Close()
	rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
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
	return out, f.Schema().Fields()
}
