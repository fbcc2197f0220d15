//go:build duckdb && cgo && (amd64 || arm64)

package duckdb

import (
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// TestValuesAreBounded has functions make values for which there is no memory: DuckDB does not count them.
func TestValuesAreBounded(t *testing.T) {
	s, _ := sessionOver(t)
	if got, err := s.db.text("SELECT current_setting('memory_limit')"); got != "64.0 MiB" || err != nil {
		t.Errorf("the memory of a session: %s, %v", got, err)
	}
	limitProcess(1 << 30)
	defer limitProcess(0)
	for _, sql := range []string{
		"SELECT sum(length(repeat('x', 3000000000 + a))) FROM x",
		"SELECT max(length(s)) FROM (SELECT repeat('x', 20000000 + i::INTEGER) AS s FROM range(2048) AS r(i))",
		"SELECT max(length(lpad('x', 2000000000 + a::INTEGER, 'y'))) FROM x, range(10)",
		"SELECT max(len(list_resize([a], 300000000))) FROM x",
		"SELECT max(len(range(0, 200000000 * a))) FROM x",
	} {
		got, err := do(t.Context(), s, sql)
		if err == nil || !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%s: %.60s, %v", sql, got, err)
		}
	}
	if got, err := do(t.Context(), s, "SELECT count(*) FROM x"); strings.TrimSpace(got) != "3" || err != nil {
		t.Errorf("afterwards: %s, %v", got, err)
	}
}
