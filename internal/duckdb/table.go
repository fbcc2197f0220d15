//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// Available tells whether this build has DuckDB in it.
const Available = true

// Table is rows that a query may scan, several times at once.
type Table interface {
	Schema() *arrow.Schema
	// Rows is how many there are; negative = not known.
	Rows() int64
	// Scan begins a scan of the named columns, in their order; an empty list is none of them, but the rows still count.
	// The rows are those for which filter holds, nil = all. Its memory should be Memory.
	Scan(ctx context.Context, columns []string, filter expr.Expr) (array.RecordReader, error)
	Close() error
}

// Memory is the allocator of scans: DuckDB holds on to what comes from it.
func Memory() memory.Allocator { return arrowc.Memory() }

// Allocated is how many bytes of Memory are in use.
func Allocated() int64 { return arrowc.Allocated() }

// Options says what names stand for, and what a database may use.
type Options struct {
	// Known tells whether a name in FROM that is no table of DuckDB's is one that Open opens.
	Known func(name string) bool
	// Open opens a name, with the options of arrowio('name', option := value). Each name with its options is opened once a
	// query, and closed when the query is.
	Open  func(ctx context.Context, name string, options map[string][]string) (Table, error)
	Names []string // of the options

	Threads int    // 0 = DuckDB's default, the number of CPUs
	Memory  int64  // bytes; 0 = DuckDB's default, 80 % of the machine's
	TempMax int64  // bytes in TempDir; 0 = DuckDB's default, 90 % of what is free
	TempDir string // where a directory is made for what does not fit into memory, once something does not. "" = nowhere

	// Guarded is for statements of strangers: one that reads rows is taken at a time, and settings cannot be changed. The database
	// is called Catalog, and Views are names that Open opens, to be listed as its views; those that cannot be opened are left out.
	Guarded bool
	Catalog string
	Views   []string
	// Session is for a Session: statements may change its temporary tables, and settings of Settable.
	Session bool
	// Defined are views that statements may name. What they read is opened as if the statement named it.
	Defined []View
	// ListDefined lists all of Defined, but for those that cannot be made.
	ListDefined bool
}

// View is a name with a SELECT behind it.
type View struct{ Name, SQL string }

// Scan is what a query has a table scanned for.
type Scan struct {
	Name    string
	Columns []string
	Filter  expr.Expr // nil = none
}
