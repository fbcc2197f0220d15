//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// Description is what is known of a statement before it runs.
type Description struct {
	Result     *arrow.Schema
	Parameters *arrow.Schema // in the order of their numbers, named as in the statement; a type that is not known is text
}

// Describe prepares a statement, and does not run it. Values of its parameters need not be known.
func (d *DB) Describe(ctx context.Context, sql string) (*Description, error) {
	return d.describeAs(ctx, sql, statementSelect)
}

// describeAs is Describe of a statement that is of a type, where it is guarded.
func (d *DB) describeAs(ctx context.Context, sql string, as statementType) (out *Description, err error) {
	r, err := d.begin(ctx)
	if err != nil {
		return nil, err
	}
	r.describing, r.as = true, as
	defer func() { err = errors.Join(err, r.Close()) }()
	list, n, err := d.extract(sql)
	if err != nil {
		return nil, err
	}
	defer C.duckdb_destroy_extracted(&list)
	if n != 1 {
		return nil, errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", n)
	}
	if err := r.begins(sql); err != nil {
		return nil, err
	}
	r.listViews()
	if err := r.define(sql); err != nil {
		return nil, err
	}
	if err := r.prepare(list, 0); err != nil {
		return nil, r.explained(err)
	}
	out = &Description{}
	if err := r.leaves(); err != nil {
		return nil, err
	}
	if out.Result, err = r.described(0); err == nil {
		out.Parameters, err = r.described(1)
	}
	if err != nil || out.Parameters.NumFields() == 0 || !slices.ContainsFunc(out.Result.Fields(), func(f arrow.Field) bool { return f.Name == "unknown" }) {
		return out, err
	}
	// Where the type of a parameter is not known, nor are the columns. With nulls they are.
	none := array.NewRecordBuilder(memory.DefaultAllocator, out.Parameters)
	defer none.Release()
	for _, f := range none.Fields() {
		f.AppendNull()
	}
	rec := none.NewRecord()
	defer rec.Release()
	text, err := Bind(sql, rec, 0)
	if err != nil {
		return out, nil // DuckDB will say what is wrong, once there are values
	}
	r.end()
	if err := r.describeNulls(text); err == nil {
		out.Result, err = r.described(0)
		return out, err
	}
	return out, nil
}

// describeNulls prepares a statement whose parameters have values.
func (r *Rows) describeNulls(text string) error {
	list, n, err := r.q.db.extract(text)
	if err != nil {
		return err
	}
	defer C.duckdb_destroy_extracted(&list)
	if n != 1 {
		return errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", n)
	}
	return r.prepare(list, 0)
}

func (r *Rows) described(parameters C.int) (*arrow.Schema, error) {
	to := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(to))
	if text := C.bridge_described(r.q.db.main, r.stmt, parameters, to); text != nil {
		defer C.free(unsafe.Pointer(text))
		return nil, r.q.reason(C.GoString(text), errorNotSupported)
	}
	return arrowc.ImportSchema(unsafe.Pointer(to))
}

// listViews makes the views of the catalog, as far as that is possible.
func (r *Rows) listViews() {
	q := r.q
	if q.db.defined {
		return
	}
	for _, name := range q.db.o.Views {
		if q.ctx.Err() != nil {
			return
		}
		if q.db.run("CREATE VIEW "+quoteName(name)+" AS SELECT * FROM "+functionName+"("+quote(name)+")") == nil {
			r.made = append(r.made, name)
		}
	}
	q.mu.Lock()
	q.err = nil
	q.mu.Unlock()
}

// statementType is a duckdb_statement_type.
type statementType int

const (
	statementSelect  statementType = 1
	statementInsert  statementType = 2
	statementUpdate  statementType = 3
	statementExplain statementType = 4
	statementDelete  statementType = 5
	statementCreate  statementType = 7
	statementAlter   statementType = 9
	statementDrop    statementType = 15
)

// noColumns is the result of statements that return no rows.
var noColumns = arrow.NewSchema(nil, nil)

var errNotReading = errs.Errorf(errs.ErrOption, "sql: the statement is none of those that are answered: SELECT, VALUES, EXPLAIN, DESCRIBE, SUMMARIZE and SHOW read rows, "+
	"CREATE TABLE … AS and INSERT INTO write datasets whose names are writable, and in a session CREATE TEMP TABLE and the like, SET, PREPARE and BEGIN change what is the session's")

// begins refuses statements of strangers whose first word is none of one that reads, before they are prepared: to prepare EXPORT DATABASE makes
// a directory.
func (r *Rows) begins(sql string) error {
	if r.q.db.o.Guarded && r.as <= statementSelect && !slices.Contains(reading, firstWord(sql)) {
		return errNotReading
	}
	return nil
}

// permitted refuses statements of strangers that do other than read, or than what the session has found that they do.
func (r *Rows) permitted() error {
	if !r.q.db.o.Guarded {
		return nil
	}
	switch t := statementType(C.duckdb_prepared_statement_type(r.stmt)); {
	case r.as > statementSelect && t != r.as:
		return errs.Errorf(errs.ErrOption, "sql: the statement does other than its first words say")
	case r.as <= statementSelect && t != statementSelect && t != statementExplain:
		return errNotReading
	}
	return nil
}
