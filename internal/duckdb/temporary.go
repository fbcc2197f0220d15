//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Temporary is a temporary table or view of a session.
type Temporary struct {
	Name   string
	View   bool
	Schema *arrow.Schema // nil = it cannot be selected from
}

// Temporary lists those of a session, sorted by name. Other than the other methods it may be called at any time.
func (s *Session) Temporary() []Temporary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listed)
}

// describeTime bounds how long it may take to find out what temporary tables are, behind a statement that has changed them.
const describeTime = 10 * time.Second

// list finds out which temporary tables there are and what their columns are, of those that were not known, or may have changed. It is
// of no statement: what cannot be found out now is found out after the next one.
func (s *Session) list(ctx context.Context, changed func(name string) bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), describeTime)
	defer cancel()
	all, err := s.temporary(ctx)
	if err != nil {
		s.unlisted = true // of an aborted transaction, whose ROLLBACK follows
		return
	}
	s.unlisted = false
	known := map[string]Temporary{}
	for _, t := range s.listed {
		known[t.Name] = t
	}
	for i, t := range all {
		was, ok := known[t.Name]
		if ok && was.View == t.View && was.Schema != nil && !changed(t.Name) {
			all[i] = was
			continue
		}
		if d, err := s.db.Describe(ctx, "SELECT * FROM temp.main."+quoteName(t.Name)); err == nil {
			all[i].Schema = d.Result
		}
	}
	s.mu.Lock()
	s.listed = all
	s.mu.Unlock()
}

// temporary lists the temporary tables and views, without their columns.
func (s *Session) temporary(ctx context.Context) (out []Temporary, err error) {
	r, err := s.db.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return s.db.temporary()
}

func (d *DB) temporary() (out []Temporary, err error) {
	text, err := d.text(`SELECT to_json(list({Name: n, View: v} ORDER BY n)) FROM (SELECT table_name AS n, false AS v FROM duckdb_tables() WHERE temporary UNION ALL
		SELECT view_name, true FROM duckdb_views() WHERE temporary AND NOT internal)`)
	if err != nil || text == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "sql: names of temporary tables: %w", err)
	}
	return out, nil
}

// relist notes what a statement of a kind may have done to the list of temporary tables, and lists them anew where it has.
func (s *Session) relist(ctx context.Context, st *sessionStatement, err error) {
	switch st.kind {
	case sessionCreateTable, sessionCreateView, sessionDrop, sessionAlter:
		if err != nil {
			return
		}
		s.remade = s.remade || s.db.begun
		s.list(ctx, func(name string) bool { return strings.EqualFold(name, st.target[len(st.target)-1]) })
		return
	case sessionCommit, sessionRollback:
		back := s.remade && (st.kind == sessionRollback || err != nil)
		s.remade = false
		if back {
			s.list(ctx, func(string) bool { return true })
			return
		}
	}
	if s.unlisted {
		s.list(ctx, func(string) bool { return true })
	}
}

// Ingest puts the rows of arrowio('rows') into a temporary table, all or none: into the one that there is (appends, by the names of columns), in
// its place (replaces), or into a new one. It returns how many there were.
func (s *Session) Ingest(ctx context.Context, table, rows string, appends, replaces bool) (int64, error) {
	st := &sessionStatement{kind: sessionCreateTable, target: []string{table}}
	from := "FROM " + functionName + "(" + quote(rows) + ")"
	sql := "CREATE TEMP TABLE " + quoteName(table) + " AS " + from
	switch {
	case appends:
		st.kind = sessionInsert
		sql = "INSERT INTO temp.main." + quoteName(table) + " BY NAME " + from
	case replaces:
		sql = "CREATE OR REPLACE TEMP TABLE " + quoteName(table) + " AS " + from
	}
	n, err := s.db.change(ctx, sql, "", st.prepares())
	s.relist(ctx, st, err)
	return n, err
}
