//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// Writes implements flight.SQLWriter.
func (e *sqlEngine) Writes(text string) (*flight.SQLWrite, error) {
	w, err := duckdb.ParseWrite(text)
	if w == nil || err != nil {
		return nil, err
	}
	mode := flight.PutAppend
	switch {
	case w.Replace:
		mode = flight.PutReplace
	case w.Creates:
		mode = flight.PutCreate
	}
	return &flight.SQLWrite{
		Dataset: w.Table, Mode: mode, IfNotExists: w.IfNotExists, Options: w.Options, Query: w.Query,
		Fitted: func(query string, result *arrow.Schema, columns []arrow.Field) (string, error) {
			if w.Creates {
				return w.Creating(query, result)
			}
			return w.Inserting(query, result, columns)
		},
		OfAll: func(params arrow.Record) string { return w.OfAll(int(params.NumCols())) },
	}, nil
}

// RunAll implements flight.SQLWriter.
func (e *sqlEngine) RunAll(ctx context.Context, text string, params arrow.Record, tables flight.SQLTables) (flight.SQLRows, error) {
	db, err := e.open(tables, params, shownFor(ctx, text, tables))
	if err != nil {
		return nil, err
	}
	return resultOf(ctx, db, text)
}

// valuesTable is rows of values of parameters as DuckDB scans them.
type valuesTable struct{ rec arrow.Record }

func (t valuesTable) Schema() *arrow.Schema { return valuesSchema(t.rec.Schema()) }

// valuesSchema names columns by their numbers, as statements do.
func valuesSchema(s *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Name = duckdb.ValuesColumn(i)
		fields[i] = f
	}
	return arrow.NewSchema(fields, nil)
}

func (t valuesTable) Rows() int64 { return t.rec.NumRows() }

func (t valuesTable) Scan(_ context.Context, columns []string, _ expr.Expr) (array.RecordReader, error) {
	all := t.Schema()
	p, err := arrowio.Project(all, columns)
	if err != nil {
		return nil, err
	}
	cols := make([]arrow.Array, p.Schema.NumFields())
	for i, f := range p.Schema.Fields() {
		cols[i] = t.rec.Column(all.FieldIndices(f.Name)[0])
	}
	wanted := array.NewRecord(p.Schema, cols, t.rec.NumRows())
	defer wanted.Release()
	return array.NewRecordReader(p.Schema, []arrow.Record{wanted})
}

func (t valuesTable) Close() error { return nil }
