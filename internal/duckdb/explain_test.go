//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

func TestExplained(t *testing.T) {
	for sql, want := range map[string]string{
		"select 1": "-", "explain": "", "explain select 'a  b' <= '' -- c": "select 'a  b' <= '' -- c",
		" EXPLAIN /* x */ Analyze\n(select 1)": "(select 1)", "explain (format json, analyze) from t": "from t", "explain (select 1)": "(select 1)",
		"explain analyze verbose (analyze) from t": "(analyze) from t", "explain copy t to 'x'": "copy t to 'x'", "explain (": "",
	} {
		got, explains := explained(sql)
		if !explains {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// EXPLAIN ANALYZE reads what the statement would read.
func TestExplainAnalyzeFilters(t *testing.T) {
	for _, sql := range []string{"explain analyze select s from x where a > 1", "EXPLAIN (ANALYZE) SELECT s FROM x WHERE a > 1"} {
		s, scanned := sessionOver(t)
		if _, err := do(t.Context(), s, sql); err != nil || len(*scanned) != 1 || (*scanned)[0] == nil || (*scanned)[0].String() != "a > 1" {
			t.Errorf("%s: %v, %v", sql, *scanned, err)
		}
	}
}

// uncounted does not know how many rows it has.
type uncounted struct{ *fake }

func (uncounted) Rows() int64 { return -1 }

// Rows that nobody has counted are planned to be many.
func TestUncountedRows(t *testing.T) {
	rec := build(t, []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, "[1, 2, 3]")
	db, err := Open(Options{Known: func(string) bool { return true }, Open: func(context.Context, string, map[string][]string) (Table, error) {
		return uncounted{&fake{rec: rec, times: 1}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, err := result(t.Context(), db, "explain select a from x"); err != nil || !strings.Contains(got, "~100,000 rows") {
		t.Errorf("%v\n%s", err, got)
	}
}
