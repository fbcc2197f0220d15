//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// sessionOver opens a session over a table x of a and s, whose scans' filters are kept.
func sessionOver(t *testing.T) (*Session, *[]expr.Expr) {
	t.Helper()
	rec := build(t, []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, "[1, 2, 3]", `["p", "q", "r"]`)
	scanned := &[]expr.Expr{}
	s, err := NewSession(Options{
		Threads: 1, Memory: 64 << 20, TempDir: t.TempDir(), Catalog: "arrowio", Known: func(string) bool { return true },
		Open: func(_ context.Context, name string, _ map[string][]string) (Table, error) {
			if name != "x" {
				return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			return &fake{rec: rec, times: 1, scanned: scanned}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, scanned
}

// do does a statement, and returns its rows, or how many it has changed behind a #.
func do(ctx context.Context, s *Session, sql string) (string, error) {
	sql, err := s.Resolved(sql)
	if err != nil {
		return "", err
	}
	changes, err := s.Changes(ctx, sql)
	if err != nil {
		return "", err
	}
	if changes {
		n, err := s.Change(ctx, sql)
		return fmt.Sprintf("#%d", n), err
	}
	return result(ctx, s.db, sql)
}

// Each line is a statement and what comes of it; ! begins a part of an error's text.
func TestSession(t *testing.T) {
	for name, script := range map[string]string{
		"tables": `
			create temp table t as select * from x where a > 1; #2
			select sum(a) from t; 5
			insert into t select a + 10, s from x; #3
			insert into temp.t (a) values (7), (8); #2
			update t set s = 'z' where s is null; #2
			delete from t where a = 8; #1
			select a, s from t order by a; 2|q|3|r|7|z|11|p|12|q|13|r
			select t.a from t join x using (a) order by 1; 2|3
			alter table t add column b int; #0
			with w as (select 1 as a) insert into t (a) select a from w; #1
			select count(*), count(b) from t; 7|0
			create or replace temporary table t (a int primary key); #0
			insert into t values (1); #1
			insert or ignore into t values (1), (2); #1
			truncate t; #2
			drop table t; #0
			drop table if exists temp.t; #0
			drop table temp.t; !t
			insert into temp.t values (1); !t
			select * from t; !t`,
		"names": `
			insert into x values (4, 's'); !none of those that are answered
			update x set a = 1; !none of those that are answered
			drop table x; !none of those that are answered
			create temp table x as from x where a = 1; #1
			select count(*) from x; 1
			select count(*) from main.x; 1
			select count(*) from arrowio.main.x; 3
			insert into arrowio.main.x values (1, 'a'); !none of those that are answered
			drop table x; #0
			select count(*) from x; 3`,
		"views": `
			create temp view v as select a from x where s = 'q'; #0
			select * from v; 2
			create temp view w as select a + 1 as b from v; #0
			from w; 3
			drop view w; #0
			from w; !w`,
		"prepared": `
			prepare p as select s from x where a = ? or a = $2; #0
			execute p(1, 1 + 1); p|q
			execute p(3, /* ) */ 3 -- the end
			); r
			execute p(1); !parameter 2 has no value
			execute p(1, 2, 3); !3 values for 2 parameters
			execute p(1, (select max(a) from x)); p|r
			prepare named as select $what || '!'; #0
			execute named(what := 'a'); a!
			create temp table t (a int); #0
			prepare i as insert into t values ($1); #0
			execute i(-5); #1
			from t; -5
			deallocate p; #0
			execute p(1, 2); !no prepared statement
			prepare q as select nope from x; !nope`,
		"transactions": `
			create temp table t (a int); #0
			begin; #0
			insert into t values (1); #1
			select a from t; 1
			rollback; #0
			select count(*) from t; 0
			begin transaction; #0
			insert into t select a from x; #3
			begin; !has begun
			commit; #0
			commit; !no transaction
			select count(*) from t; 3
			begin; #0
			select cast('x' as int) from t; !x
			rollback work; #0
			select count(*) from t; 3
			begin; #0
			create temp table gone as select 1 as a; #1
			select error('no'); !no
			commit; !aborted
			select count(*) from t; 3
			select * from gone; !gone
			begin; #0
			select nope from t; !nope
			commit; #0`,
		"settings": `
			select timestamptz '2020-07-01 00:00:00Z'::varchar; 2020-07-01 00:00:00+00
			set timezone = 'Europe/Berlin'; #0
			select timestamptz '2020-07-01 00:00:00Z'::varchar; 2020-07-01 02:00:00+02
			set time zone 'UTC'; #0
			select timestamptz '2020-07-01 00:00:00Z'::varchar; 2020-07-01 00:00:00+00
			set session integer_division to true; #0
			select 7 / 2; 3
			reset integer_division; #0
			select 7 / 2; 3.5
			set timezone = 'Nowhere/City'; !Nowhere`,
		"refused": `
			set threads = 8; !cannot be changed
			set enable_external_access = true; !cannot be changed
			set global timezone = 'UTC'; !cannot be changed
			set memory_limit = '1TB'; !cannot be changed
			set lock_configuration = false; !cannot be changed
			set disabled_optimizers = 'filter_pushdown'; !cannot be changed
			reset lock_configuration; !cannot be changed
			set variable v = 1; !cannot be changed
			create temp macro m() as 1; !is refused
			create temp sequence q; !is refused
			create table t as select 1 as a; !none of those that are answered
			create temp table t as from read_text('/etc/passwd'); !may not be used
			create temp table t as from '/etc/passwd'; !/etc/passwd
			create temp view v as from read_text('/etc/passwd'); !may not be used
			create temp table t (a int); #0
			insert into t select 1 returning a; !RETURNING
			insert into t values (1); copy t to '/tmp/x'; !2 statements
			copy t to '/tmp/x'; !none of those that are answered
			explain analyze insert into t values (1); !EXPLAIN is for statements that read rows
			prepare p as copy t to '/tmp/x'; !none of those that are answered
			prepare p as set threads = 1; !cannot be changed
			prepare p as prepare q as select 1; !PREPARE takes
			prepare p as select ?; #0
			execute p((select content from read_text('/etc/passwd'))); !may not be used
			execute p(1); select 2; !2 statements
			execute p(1)) from x; select (2; !
			attach ':memory:' as o; !none of those that are answered
			use temp; !
			checkpoint; !
			call pragma_version(); !
			pragma threads = 8; !
			begin; begin; !2 statements
			drop schema main; !
			select count(*) from t; 0`,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := sessionOver(t)
			statement := ""
			for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
				i := strings.LastIndex(line, "; ")
				if i < 0 && !strings.HasSuffix(line, ";") {
					statement += line + "\n"
					continue
				}
				if i < 0 {
					i = len(line) - 1
				}
				sql, want := statement+strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+1:])
				statement = ""
				got, err := do(t.Context(), s, sql)
				got = strings.ReplaceAll(strings.TrimSpace(got), "\n", "|")
				text, fails := strings.CutPrefix(want, "!")
				switch {
				case fails && (err == nil || !strings.Contains(err.Error(), text)):
					t.Errorf("%s: %q, %v; want an error with %q", sql, got, err, text)
				case !fails && (err != nil || got != want):
					t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
				}
			}
		})
	}
}

// Conditions reach the scan of what goes into a temporary table, and views of the catalog may be named at any time, but only those
// that are shown now.
func TestSessionReads(t *testing.T) {
	s, scanned := sessionOver(t)
	ctx := t.Context()
	if got, err := do(ctx, s, "create temp table t as select a from x where a >= 2"); err != nil || got != "#2" {
		t.Fatal(got, err)
	}
	if len(*scanned) != 1 || (*scanned)[0] == nil {
		t.Error("filters:", *scanned)
	}
	s.Show([]string{"x"}, []View{{"shown", "select max(a) as m from x"}}, true)
	for _, line := range []struct{ sql, want string }{
		{"from shown", "3\n"}, {"select table_name from information_schema.tables order by 1", "shown\nt\nx\n"}, {"create temp view over as from shown", "#0"},
	} {
		if got, err := do(ctx, s, line.sql); err != nil || got != line.want {
			t.Errorf("%s: %q, %v", line.sql, got, err)
		}
	}
	if got, err := do(ctx, s, "from over"); err != nil || got != "3\n" {
		t.Error(got, err)
	}
	s.Show(nil, nil, false)
	if got, err := do(ctx, s, "from shown"); err == nil {
		t.Error("a view that is not shown any more:", got)
	}
	if got, err := do(ctx, s, "from over"); err == nil {
		t.Error("a view over it:", got)
	}
}

// A view that a client may name for one statement is gone with it, also where its transaction has failed, in which nothing can be dropped.
func TestViewsOfFailedTransactions(t *testing.T) {
	s, _ := sessionOver(t)
	must := func(sql, want string) {
		t.Helper()
		if got, err := do(t.Context(), s, sql); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", sql, got, err, want)
		}
	}
	view := []View{{Name: "v", SQL: "select a + 1 as b from x"}}
	s.Show(nil, view, true)
	must("begin", "#0")
	must("select sum(b) from v", "9\n")
	if _, err := do(t.Context(), s, "select error('no') from v"); err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("an error of the statement: %v", err)
	}
	must("rollback", "#0")
	s.Show(nil, nil, true)
	if got, err := do(t.Context(), s, "select sum(b) from v"); err == nil {
		t.Errorf("the view is still there: %s", got)
	}
	must("select count(*) from duckdb_views() where view_name = 'v'", "0\n")
}
