//go:build duckdb_extension && cgo && (linux || darwin)

package duckext

// #include <stdlib.h>
// #include "duckext.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/workers"
)

// Table is rows that statements may scan, several times at once.
type Table interface {
	Schema() *arrow.Schema
	// Rows returns how many rows there are, and whether a scan returns all of them; a negative number = not known.
	Rows() (n int64, exact bool)
	// Scan begins a scan of the columns with these numbers in the schema, in this order; an empty list is none of them, but
	// the rows still count. Cancelling ctx ends it. Its memory should be arrowc.Memory. The caller releases the reader.
	Scan(ctx context.Context, columns []int) (array.RecordReader, error)
	// Close gives back what is held. Scans that still run go on.
	Close()
}

// Function is a table function, called as name('path', option := value, …) or name(['path', …], …).
type Function struct {
	Name    string
	Options []string // names of its named parameters
	// Suffixes are endings of names, such as ".orc", that stand for a call of the function where they stand for a table.
	Suffixes []string
	// Open opens what a call names. Options that are not given, or are NULL, are missing; a list has several values.
	Open func(ctx context.Context, paths []string, options map[string][]string) (Table, error)
}

// offered is what Offer was called with.
var offered struct {
	sync.Once
	functions map[string]Function
	c         *C.struct_duckext_offer
}

// Offer returns what duckext_load takes, a struct duckext_offer, for these functions. Only the first call of a process
// counts: databases share the library.
func Offer(functions []Function) unsafe.Pointer {
	offered.Do(func() {
		offered.functions = map[string]Function{}
		n := len(functions)
		c := (*C.struct_duckext_offer)(C.calloc(1, C.sizeof_struct_duckext_offer))
		c.functions, c.n_functions = (*C.struct_duckext_function)(C.calloc(C.size_t(n+1), C.sizeof_struct_duckext_function)), C.size_t(n)
		var suffixes []C.struct_duckext_suffix
		for i, f := range functions {
			offered.functions[f.Name] = f
			name := C.CString(f.Name)
			to := &unsafe.Slice(c.functions, n)[i]
			to.name, to.options, to.n_options = name, texts(f.Options), C.size_t(len(f.Options))
			for _, s := range f.Suffixes {
				suffixes = append(suffixes, C.struct_duckext_suffix{C.CString(s), name})
			}
		}
		c.suffixes, c.n_suffixes = (*C.struct_duckext_suffix)(C.calloc(C.size_t(len(suffixes)+1), C.sizeof_struct_duckext_suffix)), C.size_t(len(suffixes))
		copy(unsafe.Slice(c.suffixes, len(suffixes)), suffixes)
		offered.c = c
	})
	return unsafe.Pointer(offered.c)
}

// texts returns a C array of texts.
func texts(list []string) **C.char {
	out := (**C.char)(C.calloc(C.size_t(len(list)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	for i, s := range list {
		unsafe.Slice(out, len(list))[i] = C.CString(s)
	}
	return out
}

// guarded calls f for DuckDB, which no panic may reach, and returns the text of its error; nil = there is none.
func guarded(f func() error) *C.char {
	if err := workers.Catch(f); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

//export duckextOpen
func duckextOpen(function *C.char, paths **C.char, nPaths C.size_t, options **C.char, nOptions C.size_t, out *C.struct_duckext_table) *C.char {
	return guarded(func() error {
		given := map[string][]string{}
		pairs := unsafe.Slice(options, 2*nOptions)
		for i := 0; i < len(pairs); i += 2 {
			name := C.GoString(pairs[i])
			given[name] = append(given[name], C.GoString(pairs[i+1]))
		}
		var names []string
		for _, p := range unsafe.Slice(paths, nPaths) {
			names = append(names, C.GoString(p))
		}
		t, err := offered.functions[C.GoString(function)].Open(context.Background(), names, given)
		if err != nil {
			return err
		}
		b := &bound{Table: t}
		out.handle = C.uint64_t(cgo.NewHandle(b))
		b.describe(out)
		return nil
	})
}

// bound is a table in a statement.
type bound struct {
	Table
	order []int // columns of the table, as the statement sees them
}

// describe fills out with the columns of a table. Columns that cannot be read come last: DuckDB reads the first one where a
// statement needs none.
func (t *bound) describe(out *C.struct_duckext_table) {
	n, exact := t.Rows()
	out.rows = C.int64_t(n)
	if exact {
		out.exact = 1
	}
	fields := arrowdense.PlainSchema(t.Schema()).Fields()
	out.columns = (*C.struct_duckext_column)(C.calloc(C.size_t(len(fields)+1), C.sizeof_struct_duckext_column))
	out.n = C.int64_t(len(fields))
	names := fieldname.Unique(fields)
	columns := unsafe.Slice(out.columns, len(fields))
	var bad []int
	for i, f := range fields {
		c := &columns[len(t.order)]
		if err := typeOf(f, &c._type); err != nil {
			C.duckext_free_type(&c._type)
			*c = C.struct_duckext_column{}
			bad = append(bad, i)
			continue
		}
		c.name = C.CString(names[i])
		t.order = append(t.order, i)
	}
	for _, i := range bad {
		c := &columns[len(t.order)]
		c.name, c.refused = C.CString(names[i]), C.CString("DuckDB has no type for "+fields[i].Type.String())
		t.order = append(t.order, i)
	}
}

//export duckextScan
func duckextScan(handle C.uint64_t, columns *C.int64_t, n C.size_t, out *C.struct_ArrowArrayStream) *C.char {
	return guarded(func() error {
		t := cgo.Handle(handle).Value().(*bound)
		wanted := make([]int, n)
		for i, k := range unsafe.Slice(columns, n) {
			wanted[i] = t.order[k]
		}
		ctx, cancel := context.WithCancel(context.Background())
		rr, err := t.Scan(ctx, wanted)
		if err != nil {
			cancel()
			return err
		}
		return (&arrowc.Stream{Reader: arrowdense.NewPlainReader(rr, arrowc.Memory()), Cancel: cancel}).Export(unsafe.Pointer(out))
	})
}

//export duckextClose
func duckextClose(handle C.uint64_t) {
	_ = workers.Catch(func() error { // C takes no error here
		h := cgo.Handle(handle)
		t := h.Value().(*bound)
		h.Delete()
		t.Close()
		return nil
	})
}
