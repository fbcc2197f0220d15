//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// tempFactor is how many times the memory of a statement or a session its files in --sql-temp may have, unless a flag says it.
const tempFactor = 4

// apply makes DuckDB the engine of a server.
func (f *sqlFlags) apply(o *flight.Options) (stop func(), err error) {
	if f.off {
		o.SQL.Views = f.views // which is refused
		return func() {}, nil
	}
	if err := duckdb.CheckViews(f.views); err != nil {
		return nil, usagef("%s: %w", viewsKey, err)
	}
	temp, err := os.MkdirTemp(f.temp, "arrowio-sql-")
	if err != nil {
		return nil, err
	}
	o.SQL = flight.SQLOptions{
		Queries: f.queries.n, ClientQueries: f.clientQueries.n, Timeout: f.timeout, Views: f.views,
		Sessions: f.sessions.n, ClientSessions: f.clientSessions.n, SessionIdle: f.sessionIdle,
	}
	if f.sessions.n == 0 {
		o.SQL.Sessions = -1
	}
	e := &sqlEngine{threads: f.threads.n, memory: int64(f.memory), sessionMemory: int64(f.sessionMemory), temp: temp, tempMax: int64(f.tempMax)}
	if e.tempMax == 0 {
		e.tempMax = tempFactor * e.memory
	}
	o.SQL.Engine = e
	return func() { e.kept.close(); _ = os.RemoveAll(temp) }, nil
}

// sqlEngine answers each statement in a database of its own, but for sessions: nothing that one leaves is there for the next, whoever asks.
type sqlEngine struct {
	threads int
	memory  int64
	// sessionMemory is that of one session: its tables, and what its statements need.
	sessionMemory int64
	temp          string
	tempMax       int64 // of one statement
	kept          keptDatabases
}

// listing tells statements that may ask which tables there are.
var listing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(information_schema|pg_\w+|duckdb_\w+|sqlite_\w+|pragma\w*|show)\b`)
})

// open makes a database over the tables that a client may read, and values, which may be nil.
func (e *sqlEngine) open(tables flight.SQLTables, values arrow.Record, s shown) (*duckdb.DB, error) {
	o := e.options(tables, values)
	o.Views, o.Defined, o.ListDefined = s.names, s.defined, s.list
	return duckdb.Open(o)
}

// opened is open, or returns the database that has described the statement to the client.
func (e *sqlEngine) opened(tables flight.SQLTables, key string, s shown) (*duckdb.DB, error) {
	if db := e.kept.take(key, s); db != nil {
		return db, nil
	}
	return e.open(tables, nil, s)
}

func (e *sqlEngine) options(tables flight.SQLTables, values arrow.Record) duckdb.Options {
	return duckdb.Options{
		Known:   func(string) bool { return true }, // Open says what is not there
		Threads: e.threads, Memory: e.memory, TempDir: e.temp, TempMax: e.tempMax, Guarded: true, Catalog: flight.SQLCatalog,
		Open: func(ctx context.Context, name string, _ map[string][]string) (duckdb.Table, error) {
			if values != nil && name == duckdb.ValuesTable {
				return valuesTable{values}, nil
			}
			t, err := tables.Open(ctx, name)
			if err != nil {
				return nil, err
			}
			return servedTable{t}, nil
		},
	}
}

// shownFor returns what a client may name, listed where a statement may ask for the list.
func shownFor(ctx context.Context, text string, tables flight.SQLTables) (s shown) {
	views := tables.Views(ctx)
	for _, name := range slices.Sorted(maps.Keys(views)) {
		s.defined = append(s.defined, duckdb.View{Name: name, SQL: views[name]})
	}
	if s.list = listing().MatchString(text); s.list {
		s.names = tables.Names(ctx)
	}
	return s
}

func (e *sqlEngine) Describe(ctx context.Context, text string, params arrow.Record, tables flight.SQLTables) (result, parameters *arrow.Schema, err error) {
	if text, err = boundText(text, params); err != nil {
		return nil, nil, err
	}
	s, key := shownFor(ctx, text, tables), keptKey(ctx, text)
	db, err := e.opened(tables, key, s)
	if err != nil {
		return nil, nil, err
	}
	d, err := db.Describe(ctx, text)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	e.kept.put(key, s, db)
	return d.Result, d.Parameters, nil
}

func (e *sqlEngine) Run(ctx context.Context, text string, params arrow.Record, tables flight.SQLTables) (flight.SQLRows, error) {
	text, err := boundText(text, params)
	if err != nil {
		return nil, err
	}
	db, err := e.opened(tables, keptKey(ctx, text), shownFor(ctx, text, tables))
	if err != nil {
		return nil, err
	}
	return resultOf(ctx, db, text)
}

// resultOf runs a statement in a database that ends with it.
func resultOf(ctx context.Context, db *duckdb.DB, text string) (flight.SQLRows, error) {
	rows, err := db.Query(ctx, text)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &engineRows{rows, db}, nil
}

func boundText(text string, params arrow.Record) (string, error) {
	if params == nil {
		return text, nil
	}
	return duckdb.Bind(text, params, 0)
}

// Scans implements flight.SQLScanned.
func (r *engineRows) Scans() (out []flight.SQLScan) {
	for _, s := range r.Rows.Scans() {
		o := flight.SQLScan{Dataset: s.Name, Columns: s.Columns}
		if s.Filter != nil {
			o.Filter = s.Filter.String()
		}
		out = append(out, o)
	}
	return out
}

// engineRows are the rows of a statement, with its database.
type engineRows struct {
	*duckdb.Rows
	db *duckdb.DB
}

func (r *engineRows) Close() error {
	if r.db == nil {
		return nil
	}
	err := r.Rows.Close()
	r.db.Close()
	r.db = nil
	return errors.Join(err)
}

// servedTable is a dataset of a server as DuckDB scans it.
type servedTable struct{ flight.SQLTable }

func (t servedTable) Scan(ctx context.Context, columns []string, filter expr.Expr) (array.RecordReader, error) {
	return t.SQLTable.Scan(ctx, columns, filter, duckdb.Memory())
}

func (t servedTable) Close() error { return nil }
