//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// A view of the server means the same in every session, whatever temporary tables that has.
func TestViewsOutsideOfSessions(t *testing.T) {
	rec := build(t, []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, "[1, 2, 3]")
	s, err := NewSession(Options{
		Threads: 1, Memory: 64 << 20, TempDir: t.TempDir(), Catalog: "arrowio", Known: func(string) bool { return true },
		Open: func(_ context.Context, name string, _ map[string][]string) (Table, error) {
			if name = name[strings.LastIndex(name, ".")+1:]; !strings.EqualFold(name, "x") && name != "y" {
				return nil, fs.ErrNotExist
			}
			return &fake{rec: rec, times: 1}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	views := map[string]string{
		"plain":     `select sum(a) from x`,
		"cased":     `select sum(X.a) from X`,
		"quoted":    `select sum(a) from "x" where 'from x' <> '' /* from x */`,
		"schema":    `select sum(x.a) from main . x`,
		"whole":     `select sum(x.a) from arrowio.main.x`,
		"joined":    `select sum(l.a) from x l, main.x as r where l.a = r.a and exists (select 1 from x where a = l.a)`,
		"scalar":    `select (select sum(a) from x) as a`,
		"united":    `select sum(a) from (select a from x where a < 2 union all select a from x where a > 1)`,
		"behind":    `with x as (select * from x) select sum(a) from x`,
		"second":    `with y as (select * from x), x as (select a - 1 as a from y) select sum(a) + (select count(*) from x) from x`,
		"recursive": `with recursive x as (select 1::bigint as a union all select a + 1 from x where a < 3) select sum(a) from x`,
		"inner":     `select (with x as (select 5 as a) select sum(a) from x) + sum(a) - 5 from x`,
		"other":     `select sum(a) from y`,
		"nested":    `select * from plain`,
		"function":  `select sum(a) from arrowio('x')`,
		"described": `select column_type || 6 from (describe x) where column_type = 'BIGINT'`,
		"wide":      "select 'é€😀' as e, sum(a) from x",
	}
	var defined []View
	for name, sql := range views {
		defined = append(defined, View{name, sql})
	}
	s.Show(nil, defined, false)
	check := func() {
		t.Helper()
		for name := range views {
			if got, err := do(t.Context(), s, "select * from arrowio.main."+name); err != nil || !strings.HasSuffix(strings.TrimSpace(got), "6") {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	check()
	for _, sql := range []string{"create temp table x as select 100 as a", "create temp view y as select 100 as a", "create temp table plain as select 100 as a"} {
		if _, err := do(t.Context(), s, sql); err != nil {
			t.Fatal(err)
		}
	}
	check()
	if got, err := do(t.Context(), s, "select a from x union all select a from y union all from plain"); err != nil || got != "100\n100\n100\n" {
		t.Errorf("the tables themselves: %q, %v", got, err)
	}
	s.Show(nil, []View{{"by_name", "from query_table('x')"}, {"temp", "from temp.x"}, {"temp_main", "from temp.main.x"}}, false)
	for _, name := range []string{"by_name", "temp", "temp_main"} {
		if got, err := do(t.Context(), s, "select * from arrowio.main."+name); err == nil || !strings.Contains(err.Error(), "temporary tables of this session") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
