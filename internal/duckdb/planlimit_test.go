//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// doubled is a statement of which each query has twice the columns of the one before.
func doubled(n int) string {
	var b strings.Builder
	b.WriteString("WITH q0 AS (SELECT 1 AS a, 2 AS b)")
	for i := range n {
		fmt.Fprintf(&b, ", q%d AS (SELECT l.*, r.* FROM q%d AS l, q%d AS r)", i+1, i, i)
	}
	fmt.Fprintf(&b, " SELECT * FROM q%d", n)
	return b.String()
}

// TestPlanningEnds has statements planned that take much longer than they may.
func TestPlanningEnds(t *testing.T) {
	for name, sql := range map[string]string{
		"columns": doubled(40),
		"union":   strings.Repeat("SELECT 1 UNION ALL ", 20_000) + "SELECT 1",
		"list":    "SELECT " + strings.Repeat("1 + 1, ", 300_000) + "1",
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := sessionOver(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			_, err := do(ctx, s, sql)
			took := time.Since(began)
			if err == nil || ctx.Err() == nil && !errors.Is(err, errs.ErrLimit) {
				t.Errorf("after %v: %v", took, err)
			}
			if took > 20*time.Second { // it waits for nothing, but the machine may be busy
				t.Errorf("it ended after %v", took)
			}
			if got, err := do(t.Context(), s, "SELECT count(*) FROM x"); strings.TrimSpace(got) != "3" || err != nil {
				t.Errorf("afterwards: %s, %v", got, err)
			}
		})
	}
}

// TestPlanningHasAMemoryLimit has a statement planned that takes more memory than it may, without a limit of time.
func TestPlanningHasAMemoryLimit(t *testing.T) {
	s, _ := sessionOver(t)
	if _, err := do(t.Context(), s, doubled(40)); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), "the plan of the statement takes more than 268435456 bytes") {
		t.Errorf("%v", err)
	}
	if got, err := do(t.Context(), s, "SELECT count(*) FROM x"); strings.TrimSpace(got) != "3" || err != nil {
		t.Errorf("afterwards: %s, %v", got, err)
	}
}

// Values that functions make of constants take memory while a statement is planned: the error says so, as soon as the statement is
// described, and whatever DuckDB makes of the failed function.
func TestPlanningNamesLargeValues(t *testing.T) {
	s, _ := sessionOver(t)
	for _, sql := range []string{
		"SELECT length(repeat('x', 300000000))",
		"SELECT repeat('x', 300000000) FROM x",
		"SELECT 1 WHERE repeat('x', 300000000) LIKE '%y'",
	} {
		_, described := s.Describe(t.Context(), sql)
		_, run := do(t.Context(), s, sql)
		for what, err := range map[string]error{"describe": described, "run": run} {
			size := 0
			if _, text, _ := strings.Cut(fmt.Sprint(err), "a value that takes about "); errors.Is(err, errs.ErrLimit) {
				_, _ = fmt.Sscanf(text, "%d bytes", &size)
			}
			if size < 300_000_000 || size > 1<<30 {
				t.Errorf("%s: %s: %v", what, sql, err)
			}
		}
	}
	if got, err := do(t.Context(), s, "SELECT length(repeat('x', 3000000)), count(*) FROM x"); strings.TrimSpace(got) != "3000000|3" || err != nil {
		t.Errorf("afterwards: %s, %v", got, err)
	}
}
