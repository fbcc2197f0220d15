//go:build interop

package icebergtable_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// hasORC reports whether a table has files in ORC.
func hasORC(t *testing.T, dir string) (has bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		has = has || strings.HasSuffix(path, ".orc")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// duckLimit is what DuckDB's extension 1.5.5 does not read.
var duckLimit = regexp.MustCompile(`Unrecognized primitive type: timestamp(tz)?_ns`)

// dashed is a uuid, which DuckDB shows as text.
var dashed = regexp.MustCompile(`"([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})"`)

// TestDuckDB has DuckDB's extension read tables of Parquet files that were written and changed here.
func TestDuckDB(t *testing.T) {
	python, packages := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_DUCKDB_ICEBERG")
	if python == "" || packages == "" {
		t.Fatal("ARROWIO_PYTHON or ARROWIO_DUCKDB_ICEBERG is not set: make interop does")
	}
	cmd := exec.CommandContext(t.Context(), python, "../../testdata/interop/iceberg_duckdb_judge.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
	duck := start(t, "DuckDB", cmd, ipcRows)
	dir := t.TempDir()
	tables, limits := 0, 0
	for seed := range 60 {
		at := filepath.Join(dir, fmt.Sprintf("t%d", seed))
		made := randomTable
		if seed%2 == 1 {
			made = randomChanged
		}
		j := made(t, int64(300+seed), at)
		if j == nil || hasORC(t, at) {
			continue
		}
		tables++
		state, err := icebergmeta.Current(t.Context(), local.DirTree(at))
		if err != nil {
			t.Fatal(err)
		}
		err = duck.ask(t, map[string]any{"read": filepath.Join(at, state), "out": at + ".arrow"}, nil)
		switch {
		case err == nil:
			_, schema := rows(t, at)
			got := duck.rows(t, at+".arrow")
			for i := range got {
				got[i] = dashed.ReplaceAllString(got[i], `"$1$2$3$4$5"`)
			}
			sameRows(t, at+" by DuckDB", got, slices.Clone(j.want), schema)
		case duckLimit.MatchString(err.Error()):
			limits++
		default:
			t.Errorf("%s: %s: %v", at, j.schema, err)
		}
	}
	if t.Logf("%d tables, %d that DuckDB cannot read", tables, limits); tables < 15 || limits > tables/4 {
		t.Errorf("DuckDB cannot read %d of %d tables", limits, tables)
	}
}
