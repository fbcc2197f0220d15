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
func (d *DB) Describe(ctx context.Context, sql string) (out *Description, err error) {
	r, err := d.begin(ctx)
	if err != nil {
		return nil, err
	}
	r.describing = true
	defer func() { err = errors.Join(err, r.Close()) }()
	s := C.CString(sql)
	defer C.free(unsafe.Pointer(s))
	var list C.duckdb_extracted_statements
	n := C.duckdb_extract_statements(d.main, s, &list)
	defer C.duckdb_destroy_extracted(&list)
	if text := C.duckdb_extract_statements_error(list); n == 0 && text != nil && C.GoString(text) != "" {
		return nil, failure(C.GoString(text), errorParser)
	}
	if n != 1 {
		return nil, errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", n)
	}
	if d.o.Guarded {
		if err := refusedFunction(sql); err != nil {
			return nil, err
		}
	}
	r.listViews()
	if err := r.define(sql); err != nil {
		return nil, err
	}
	if err := r.prepare(list, 0); err != nil {
		return nil, r.explained(err)
	}
	out = &Description{}
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
	s := C.CString(text)
	defer C.free(unsafe.Pointer(s))
	var list C.duckdb_extracted_statements
	n := C.duckdb_extract_statements(r.q.db.main, s, &list)
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
	for _, name := range q.db.o.Views {
		if q.ctx.Err() != nil {
			return
		}
		_ = q.db.run("CREATE VIEW " + quoteName(name) + " AS SELECT * FROM " + functionName + "(" + quote(name) + ")")
	}
	q.mu.Lock()
	q.err = nil
	q.mu.Unlock()
}

// Types of statements, of duckdb_statement_type.
const (
	statementSelect  = 1
	statementExplain = 4
)

// permitted refuses statements of strangers that do other than read.
func (r *Rows) permitted() error {
	if !r.q.db.o.Guarded {
		return nil
	}
	if t := C.duckdb_prepared_statement_type(r.stmt); t != statementSelect && t != statementExplain {
		return errs.Errorf(errs.ErrOption, "sql: the statement does not read rows: what can be asked are SELECT, VALUES, EXPLAIN, DESCRIBE and SHOW")
	}
	return nil
}
