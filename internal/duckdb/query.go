//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include <stdlib.h>
// #include "bridge.h"
// #include "planlimit.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// query is a statement that is bound or runs.
type query struct {
	db     *DB
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the query is
	idle   chan struct{} // closed when no interrupt can come any more

	tables  map[string]*table
	filters map[string]expr.Expr // by table; set before the statement runs

	mu    sync.Mutex // of what follows: scans fail in threads of DuckDB
	err   error      // the first of a table
	scans []Scan
}

// fail keeps the first error of a table, of which DuckDB only gets the text.
func (q *query) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
}

// reason is why the statement failed: what a table said, the end of the context, or what DuckDB says.
func (q *query) reason(text string, kind int) error {
	q.mu.Lock()
	err := q.err
	q.mu.Unlock()
	switch {
	case q.ctx.Err() != nil:
		return context.Cause(q.ctx)
	case err != nil:
		return err
	}
	if err := q.db.tooLarge(); err != nil {
		return err
	}
	return failure(text, kind)
}

// interrupt ends what DuckDB does when the context ends. DuckDB forgets an interruption when it begins something, so it
// is told until the query is closed.
func (q *query) interrupt() {
	defer close(q.idle)
	select {
	case <-q.done:
		return
	case <-q.ctx.Done():
	}
	t := time.NewTicker(20 * time.Millisecond)
	defer t.Stop()
	C.planlimit_stop(q.db.limit)
	for {
		C.duckdb_interrupt(q.db.main)
		select {
		case <-q.done:
			return
		case <-t.C:
		}
	}
}

// Rows is the result of a query, for one goroutine.
type Rows struct {
	q      *query
	stmt   C.duckdb_prepared_statement
	result *C.struct_bridge_result
	in     *arrowc.Reader

	describing bool          // it is not going to be run
	as         statementType // what it has to be, where that is not statementSelect
	undefined  error         // why a view cannot be made
	made       []string      // views
	outgoing   []outgoing    // of the columns of the result
}

// Query runs the statements of sql and returns the rows of the last, as they come. The end of ctx stops it. Errors of
// tables are returned as they are; a statement that is wrong is ErrOption. The Rows must be closed before the next query.
func (d *DB) Query(ctx context.Context, sql string) (*Rows, error) {
	r, err := d.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.start(sql); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// begin makes a query without a statement, which must be closed.
func (d *DB) begin(ctx context.Context) (*Rows, error) {
	ctx, cancel := context.WithCancel(ctx)
	q := &query{db: d, ctx: ctx, cancel: cancel, tables: map[string]*table{}}
	d.mu.Lock()
	busy := d.current != nil
	if !busy {
		d.current = q
	}
	d.mu.Unlock()
	if busy {
		cancel()
		return nil, errs.Errorf(errs.ErrOption, "sql: the rows of another query are not closed")
	}
	C.planlimit_begin(d.limit)
	q.done, q.idle = make(chan struct{}), make(chan struct{})
	go q.interrupt()
	return &Rows{q: q}, nil
}

// start runs all statements but the last, and begins the last.
func (r *Rows) start(sql string) error {
	q, d := r.q, r.q.db
	list, n, err := d.extract(sql)
	if err != nil {
		return err
	}
	defer C.duckdb_destroy_extracted(&list)
	if err := r.begins(sql); err != nil {
		return err
	}
	r.listViews()
	if err := r.define(sql); err != nil {
		return err
	}
	for i := range n - 1 {
		if err := r.prepare(list, i); err != nil {
			return err
		}
		err := r.execute(false)
		r.end()
		if err != nil {
			return err
		}
	}
	// The plan that filters are taken from and the one that runs see the same time.
	began := d.begun || d.run("BEGIN TRANSACTION") == nil
	if texts := statements(sql); began && len(texts) == int(n) {
		text := texts[len(texts)-1]
		if of, explains := explained(text); explains { // EXPLAIN ANALYZE runs it
			text = of
		}
		if err := q.push(text); err != nil {
			return err
		}
	}
	if err := r.prepare(list, n-1); err != nil {
		return r.explained(err)
	}
	return r.execute(true)
}

// extract cuts SQL into statements, which the caller destroys. SQL of strangers is one, and names no function that is refused.
func (d *DB) extract(sql string) (list C.duckdb_extracted_statements, n C.idx_t, err error) {
	s := C.CString(sql)
	defer C.free(unsafe.Pointer(s))
	n = C.planlimit_extract(d.limit, d.main, s, &list)
	var text *C.char
	if list != nil {
		text = C.duckdb_extract_statements_error(list)
	}
	cut := d.cut()
	switch {
	case n == 0 && cut != nil:
		err = cut
	case n == 0 && (text == nil || C.GoString(text) == ""):
		err = errs.Errorf(errs.ErrOption, "sql: there is no statement in it")
	case n == 0:
		err = failure(C.GoString(text), errorParser)
	case d.o.Guarded && n > 1:
		err = errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", n)
	case d.o.Guarded:
		err = refusedFunction(sql)
	}
	if err != nil {
		C.duckdb_destroy_extracted(&list)
	}
	return list, n, err
}

// push finds out what can be left unread. A statement that has no plan of this kind, or none at all, has no filters;
// what is wrong with it comes out when it is prepared.
func (q *query) push(statement string) error {
	// A long IN would be planned as a join, whose values are not in the text of the plan.
	_ = q.db.run("SET disabled_optimizers = 'in_clause'")
	plan, err := q.db.planned("SELECT json_serialize_plan(" + quote(statement) + ", optimize := true)")
	_ = q.db.run("RESET disabled_optimizers")
	q.mu.Lock()
	q.err = nil
	q.mu.Unlock()
	if q.ctx.Err() != nil {
		return context.Cause(q.ctx)
	}
	if err == nil {
		q.filters = filtersOf([]byte(plan), func(key string) *arrow.Schema {
			if t := q.tables[key]; t != nil && t.named() {
				return t.Schema()
			}
			return nil
		})
	}
	for key, f := range q.filters {
		if _, err := expr.Bind(f, q.tables[key].Schema()); err != nil {
			delete(q.filters, key) // DuckDB compares what the language of filters does not
		}
	}
	return nil
}

func (r *Rows) prepare(list C.duckdb_extracted_statements, i C.idx_t) error {
	if err := context.Cause(r.q.ctx); err != nil {
		return err
	}
	if C.planlimit_prepare(r.q.db.limit, r.q.db.main, list, i, &r.stmt) != 0 {
		text := "no statement"
		if p := C.duckdb_prepare_error(r.stmt); p != nil {
			text = C.GoString(p)
		}
		return r.q.reason(text, errorBinder)
	}
	if err := r.q.db.cut(); err != nil { // DuckDB goes on where a function of constants fails: it would fail again when it runs
		return err
	}
	if err := r.permitted(); err != nil {
		return err
	}
	if n := C.duckdb_nparams(r.stmt); n > 0 && !r.describing {
		p := C.duckdb_parameter_name(r.stmt, 1)
		defer C.duckdb_free(unsafe.Pointer(p))
		return errs.Errorf(errs.ErrOption, "sql: parameter $%s has no value", C.GoString(p))
	}
	return nil
}

// execute runs what was prepared: to its end, or to be read.
func (r *Rows) execute(streaming bool) error {
	r.result = (*C.struct_bridge_result)(C.calloc(1, C.sizeof_struct_bridge_result))
	var rc C.duckdb_state
	if streaming {
		rc = C.duckdb_execute_prepared_streaming(r.stmt, &r.result.result)
	} else {
		rc = C.duckdb_execute_prepared(r.stmt, &r.result.result)
	}
	if rc != 0 {
		return r.q.reason(C.GoString(C.duckdb_result_error(&r.result.result)), int(C.duckdb_result_error_type(&r.result.result)))
	}
	if !streaming {
		return nil
	}
	var err error
	if r.outgoing, err = resultOutgoing(&r.result.result); err != nil {
		return err
	}
	out := (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))
	defer C.free(unsafe.Pointer(out))
	if C.bridge_stream(r.result, out) != 0 {
		return errs.Errorf(errs.ErrLimit, "out of memory")
	}
	r.in, err = arrowc.Import(unsafe.Pointer(out))
	return r.explain(err)
}

// explain returns why the result has ended.
func (r *Rows) explain(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case r.result.long_interval >= 0 && r.result.error != nil:
		return longInterval(r.outgoing[r.result.long_interval].name)
	case r.result.error != nil:
		return r.q.reason(C.GoString(r.result.error), int(r.result.error_type))
	}
	return fmt.Errorf("the result of the query: %w", err)
}

// end lets the statement go.
func (r *Rows) end() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
	if r.result != nil {
		C.bridge_free_result(r.result)
		r.result = nil
	}
	if r.stmt != nil {
		C.duckdb_destroy_prepare(&r.stmt)
	}
}

// Schema returns the schema of every batch.
func (r *Rows) Schema() *arrow.Schema { return r.in.Schema() }

// Read returns the next batch, which the caller releases, or io.EOF.
func (r *Rows) Read() (arrow.Record, error) {
	rec, err := r.in.Read()
	if err != nil {
		return nil, r.explain(err)
	}
	for i, o := range r.outgoing {
		if err := o.check(rec.Column(i), &r.q.db.extremes); err != nil {
			rec.Release()
			return nil, err
		}
	}
	return rec, nil
}

// Scans lists the scans that have begun.
func (r *Rows) Scans() []Scan {
	r.q.mu.Lock()
	defer r.q.mu.Unlock()
	return slices.Clone(r.q.scans)
}

// Close ends the query and closes its tables. It may be called twice. Batches that were read stay.
func (r *Rows) Close() error {
	q := r.q
	if q == nil {
		return nil
	}
	r.q = nil
	close(q.done)
	<-q.idle
	q.cancel()
	r.end()
	if !q.db.begun {
		_ = q.db.run("ROLLBACK") // there may be no transaction
	}
	if q.db.o.Session {
		for _, name := range slices.Backward(r.made) { // what a client may name is asked for each statement
			// It fails in a transaction that an error has ended: ROLLBACK, which is all that can follow, takes the view back.
			_ = q.db.run("DROP VIEW IF EXISTS " + quoteName(q.db.o.Catalog) + ".main." + quoteName(name))
		}
	}
	var all []error
	for _, t := range q.tables {
		all = append(all, t.close())
	}
	q.db.mu.Lock()
	q.db.current = nil
	q.db.mu.Unlock()
	return errors.Join(all...)
}
