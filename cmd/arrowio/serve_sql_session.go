//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// OfSession implements flight.SQLSessionEngine.
func (e *sqlEngine) OfSession(text string) bool { return duckdb.OfSession(text) }

// Settable implements flight.SQLSessionEngine.
func (e *sqlEngine) Settable(name string) bool {
	return slices.Contains(duckdb.Settable, strings.ToLower(name))
}

// NewSession implements flight.SQLSessionEngine.
func (e *sqlEngine) NewSession(tables flight.SQLTables) (flight.SQLSession, error) {
	x := &sqlSession{tables: tables}
	o := e.options(tables, nil)
	o.Memory, o.TempMax = e.sessionMemory, tempFactor*e.sessionMemory
	open := o.Open
	o.Open = func(ctx context.Context, name string, options map[string][]string) (duckdb.Table, error) {
		if name == duckdb.ValuesTable && x.ingested != nil {
			return x.ingested, nil
		}
		return open(ctx, name, options)
	}
	var err error
	if x.Session, err = duckdb.NewSession(o); err != nil {
		return nil, err
	}
	return x, nil
}

// sqlSession is a database of one client.
type sqlSession struct {
	*duckdb.Session
	tables   flight.SQLTables
	ingested *ingestedTable // nil = no rows are ingested now
}

// statement returns the statement with its values, and the one behind EXECUTE, and shows the session what the client may read now.
func (s *sqlSession) statement(ctx context.Context, text string, params arrow.Record) (string, error) {
	text, err := boundText(text, params)
	if err != nil {
		return "", err
	}
	if text, err = s.Resolved(text); err != nil {
		return "", err
	}
	seen := shownFor(ctx, text, s.tables)
	s.Show(seen.names, seen.defined, seen.list)
	return text, nil
}

// Describe implements flight.SQLSession.
func (s *sqlSession) Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error) {
	if text, err = s.statement(ctx, text, params); err != nil {
		return nil, nil, err
	}
	d, err := s.Session.Describe(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	return d.Result, d.Parameters, nil
}

// Run implements flight.SQLSession.
func (s *sqlSession) Run(ctx context.Context, text string, params arrow.Record) (flight.SQLRows, error) {
	text, err := s.statement(ctx, text, params)
	if err != nil {
		return nil, err
	}
	return s.Query(ctx, text)
}

// Changes implements flight.SQLSession.
func (s *sqlSession) Changes(ctx context.Context, text string) (bool, error) {
	text, err := s.Resolved(text)
	if err != nil {
		return false, err
	}
	return s.Session.Changes(ctx, text)
}

// Change implements flight.SQLSession.
func (s *sqlSession) Change(ctx context.Context, text string, params arrow.Record) (rows int64, err error) {
	if params == nil {
		return s.change(ctx, text, nil)
	}
	if params.NumRows() > 1 && !s.Begun() { // all rows, or none
		if _, err := s.Session.Change(ctx, "BEGIN"); err != nil {
			return 0, err
		}
		defer func() {
			end := "COMMIT"
			if err != nil {
				rows, end = 0, "ROLLBACK"
			}
			_, endErr := s.Session.Change(context.WithoutCancel(ctx), end)
			err = errors.Join(err, endErr)
		}()
	}
	for i := range params.NumRows() {
		one := params.NewSlice(i, i+1)
		n, err := s.change(ctx, text, one)
		one.Release()
		if err != nil {
			return rows, err
		}
		rows += n
	}
	return rows, nil
}

func (s *sqlSession) change(ctx context.Context, text string, params arrow.Record) (int64, error) {
	text, err := s.statement(ctx, text, params)
	if err != nil {
		return 0, err
	}
	return s.Session.Change(ctx, text)
}

// Temporary implements flight.SQLSession.
func (s *sqlSession) Temporary() (out []flight.SQLTemporary) {
	for _, t := range s.Session.Temporary() {
		out = append(out, flight.SQLTemporary(t))
	}
	return out
}

// Ingest implements flight.SQLSession.
func (s *sqlSession) Ingest(ctx context.Context, in flight.SQLIngestion) (int64, error) {
	s.ingested = &ingestedTable{in}
	defer func() { s.ingested = nil }()
	return s.Session.Ingest(ctx, in.Table, duckdb.ValuesTable, in.Append, in.Replace)
}

// ingestedTable is what a client sends, as DuckDB scans it, once.
type ingestedTable struct{ in flight.SQLIngestion }

func (t *ingestedTable) Schema() *arrow.Schema { return t.in.Schema }

func (t *ingestedTable) Rows() int64 { return -1 }

func (t *ingestedTable) Scan(ctx context.Context, columns []string, _ expr.Expr) (array.RecordReader, error) {
	if len(columns) != t.in.Schema.NumFields() {
		return nil, errs.Errorf(errs.ErrInternal, "%d of %d columns are ingested", len(columns), t.in.Schema.NumFields())
	}
	return t.in.Rows(ctx, duckdb.Memory())
}

func (t *ingestedTable) Close() error { return nil }
