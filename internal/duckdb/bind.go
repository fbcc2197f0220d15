//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/workers"
)

// table is an open Table of a query, and what its columns are in DuckDB.
type table struct {
	Table
	key, name string
	columns   []column
}

// named tells whether the columns have the names in DuckDB that they have in the table.
func (t *table) named() bool {
	for i, name := range fieldname.Unique(t.Schema().Fields()) {
		if name != t.Schema().Field(i).Name {
			return false
		}
	}
	return true
}

// column is one of them. A type that DuckDB has not is shown as text and cannot be read.
type column struct {
	converted C.duckdb_arrow_converted_schema
	kind      C.duckdb_logical_type
	refused   bool
}

func (t *table) close() error {
	for i := range t.columns {
		c := &t.columns[i]
		if c.converted != nil {
			C.duckdb_destroy_arrow_converted_schema(&c.converted)
		}
		if c.kind != nil {
			C.duckdb_destroy_logical_type(&c.kind)
		}
	}
	return t.Table.Close()
}

// assumedRows is how many rows a table is planned to have where that is not known. DuckDB would plan for a single one, and so keep the
// largest table of a join in memory.
const assumedRows = 100_000

// bound is one place of a statement where a table stands.
type bound struct {
	q *query
	t *table
}

// guard calls f for DuckDB, which no panic may reach.
func guard(f func() error) error { return workers.Catch(f) }

//export duckdbKnown
func duckdbKnown(db C.uint64_t, name *C.char) C.int {
	d := cgo.Handle(db).Value().(*DB)
	known := false
	_ = guard(func() error {
		known = d.o.Known(C.GoString(name))
		return nil
	})
	if known {
		return 1
	}
	return 0
}

//export duckdbBind
func duckdbBind(info C.duckdb_bind_info, db C.uint64_t) {
	d := cgo.Handle(db).Value().(*DB)
	d.mu.Lock()
	q := d.current
	d.mu.Unlock()
	err := guard(func() error {
		if q == nil {
			return errs.Errorf(errs.ErrInternal, "a table is bound outside of a query")
		}
		return q.bind(info)
	})
	if err == nil {
		return
	}
	if q != nil {
		q.fail(err)
	}
	text := C.CString(err.Error())
	defer C.free(unsafe.Pointer(text))
	C.duckdb_bind_set_error(info, text)
}

//export duckdbUnbind
func duckdbUnbind(handle C.uint64_t) { cgo.Handle(handle).Delete() }

func (q *query) bind(info C.duckdb_bind_info) error {
	name, options, err := q.db.arguments(info)
	if err != nil {
		return err
	}
	t, err := q.open(name, options)
	if err != nil {
		return err
	}
	for i, name := range fieldname.Unique(t.Schema().Fields()) {
		text := C.CString(name)
		C.duckdb_bind_add_result_column(info, text, t.columns[i].kind)
		C.free(unsafe.Pointer(text))
	}
	n := t.Rows()
	if n < 0 {
		n = assumedRows
	}
	C.duckdb_bind_set_cardinality(info, C.idx_t(n), false)
	C.bridge_set_bound(info, C.uint64_t(cgo.NewHandle(&bound{q, t})))
	return nil
}

// arguments reads arrowio('name', option := value, …).
func (d *DB) arguments(info C.duckdb_bind_info) (name string, options map[string][]string, err error) {
	v := C.duckdb_bind_get_parameter(info, 0)
	defer C.duckdb_destroy_value(&v)
	names := valueTexts(v)
	if len(names) != 1 {
		return "", nil, errs.Errorf(errs.ErrOption, "sql: arrowio(NULL) is no file")
	}
	options = map[string][]string{}
	for _, o := range d.o.Names {
		text := C.CString(o)
		v := C.duckdb_bind_get_named_parameter(info, text)
		C.free(unsafe.Pointer(text))
		if v == nil {
			continue
		}
		if texts := valueTexts(v); len(texts) > 0 {
			options[o] = texts
		}
		C.duckdb_destroy_value(&v)
	}
	return names[0], options, nil
}

// valueTexts is a value as text: one of each element of a list, none of NULL.
func valueTexts(v C.duckdb_value) []string {
	if v == nil || bool(C.duckdb_is_null_value(v)) {
		return nil
	}
	if C.duckdb_get_type_id(C.duckdb_get_value_type(v)) == C.DUCKDB_TYPE_LIST {
		var out []string
		for i := range C.duckdb_get_list_size(v) {
			e := C.duckdb_get_list_child(v, i)
			out = append(out, valueTexts(e)...)
			C.duckdb_destroy_value(&e)
		}
		return out
	}
	p := C.duckdb_get_varchar(v)
	defer C.duckdb_free(unsafe.Pointer(p))
	return []string{C.GoString(p)}
}

// open opens a table, once a query.
func (q *query) open(name string, options map[string][]string) (*table, error) {
	key := tableKey(name, options)
	if t := q.tables[key]; t != nil {
		return t, nil
	}
	opened, err := q.db.o.Open(q.ctx, name, options)
	if err != nil {
		return nil, err
	}
	t := &table{Table: opened, key: key, name: name}
	q.tables[key] = t
	fields := opened.Schema().Fields()
	t.columns = make([]column, len(fields))
	for i, f := range fields {
		q.db.describe(f, &t.columns[i])
	}
	return t, nil
}

// describe finds out what a column is in DuckDB.
func (d *DB) describe(f arrow.Field, c *column) {
	if err := guard(func() error { return d.convert(f, c) }); err != nil {
		c.refused = true
		c.kind = C.duckdb_create_logical_type(C.DUCKDB_TYPE_VARCHAR)
	}
}

// none makes an array without values, which the caller releases.
func none(t arrow.DataType) (values arrow.Array, err error) {
	if guard(func() error { values = array.MakeArrayOfNull(arrowbuf.Clean(arrowc.Memory()), t, 0); return nil }) == nil {
		return values, nil
	}
	err = guard(func() error { // v15's function knows no views
		b := array.NewBuilder(arrowbuf.Clean(arrowc.Memory()), t)
		defer b.Release()
		values = b.NewArray()
		return nil
	})
	return values, err
}

// convert has DuckDB convert no row of a column.
func (d *DB) convert(f arrow.Field, c *column) error {
	switch id := f.Type.ID(); {
	case id == arrow.DENSE_UNION || id == arrow.SPARSE_UNION:
		return errors.ErrUnsupported // v15 cannot make one without rows
	case hasDayTime(f.Type):
		return errors.ErrUnsupported
	}
	f.Type = arrowdense.PlainType(f.Type)
	schema := arrow.NewSchema([]arrow.Field{f}, nil)
	values, err := none(f.Type)
	if err != nil {
		return err
	}
	defer values.Release()
	rec := array.NewRecord(schema, []arrow.Array{values}, 0)
	defer rec.Release()
	rr, err := array.NewRecordReader(schema, []arrow.Record{rec})
	if err != nil {
		return err
	}
	in := (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))
	defer C.free(unsafe.Pointer(in))
	if err := (&arrowc.Stream{Reader: rr}).Export(unsafe.Pointer(in)); err != nil {
		return err
	}
	kind := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(kind))
	if err := arrowc.ExportSchema(schema, unsafe.Pointer(kind)); err != nil {
		C.bridge_release(in)
		return err
	}
	if text := C.bridge_column(d.side, kind, in, &c.converted, &c.kind); text != nil {
		defer C.free(unsafe.Pointer(text))
		return errors.New(C.GoString(text))
	}
	return nil
}

//export duckdbInit
func duckdbInit(info C.duckdb_init_info, handle C.uint64_t) {
	b := cgo.Handle(handle).Value().(*bound)
	err := guard(func() error { return b.begin(info) })
	if err == nil {
		return
	}
	b.q.fail(err)
	text := C.CString(err.Error())
	defer C.free(unsafe.Pointer(text))
	C.duckdb_init_set_error(info, text)
}

// begin starts a scan of what is wanted.
func (b *bound) begin(info C.duckdb_init_info) error {
	n := int(C.duckdb_init_get_column_count(info))
	s := C.bridge_new_scan(C.size_t(n))
	if s == nil {
		return errs.Errorf(errs.ErrLimit, "out of memory")
	}
	s.connection = b.q.db.side
	converted, place := unsafe.Slice(s.converted, n), unsafe.Slice(s.place, n)
	fields := b.t.Schema().Fields()
	selectors := fieldname.Selectors(fields, expr.Quote)
	columns := []string{}
	var wanted []int
	for i := range n {
		place[i] = -1
		k := uint64(C.duckdb_init_get_column_index(info, C.idx_t(i)))
		if k >= uint64(len(fields)) {
			continue // only the number of rows is wanted
		}
		c := &b.t.columns[k]
		if c.refused {
			C.bridge_free_scan(unsafe.Pointer(s))
			return &errs.Error{
				Kind: errs.ErrUnsupported, Column: fields[k].Name, Split: -1, Off: -1,
				Err: errs.Errorf(errs.ErrUnsupported, "DuckDB cannot take %s: leave the column out", fields[k].Type.Name()),
			}
		}
		at := slices.Index(wanted, int(k))
		if at < 0 {
			at = len(wanted)
			wanted = append(wanted, int(k))
			columns = append(columns, selectors[k])
		}
		converted[i], place[i] = c.converted, C.int64_t(at)
	}
	filter := b.q.filters[b.t.key]
	if err := b.scan(s, columns, filter); err != nil {
		C.bridge_free_scan(unsafe.Pointer(s))
		return err
	}
	b.q.mu.Lock()
	b.q.scans = append(b.q.scans, Scan{Name: b.t.name, Columns: columns, Filter: filter})
	b.q.mu.Unlock()
	C.duckdb_init_set_max_threads(info, 64) // of those that DuckDB has
	C.bridge_set_scan(info, s)
	return nil
}

// scan begins the scan itself.
func (b *bound) scan(s *C.struct_bridge_scan, columns []string, filter expr.Expr) error {
	ctx, cancel := context.WithCancel(b.q.ctx)
	rr, err := b.t.Scan(ctx, columns, filter)
	if err != nil {
		cancel()
		return err
	}
	return (&arrowc.Stream{Reader: newWatched(ctx, rr, b.q), Cancel: cancel}).Export(unsafe.Pointer(&s.stream))
}
