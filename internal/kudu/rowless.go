package kudu

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// rowless is the part of an arrowio.File that a file has which can be explained and verified, but has no rows.
type rowless struct {
	bytes int64
	why   error // what it is, and what to do
}

// Schema implements arrowio.File: there are no columns.
func (r *rowless) Schema() *arrow.Schema { return arrow.NewSchema(nil, nil) }

// Splits implements arrowio.File: one split, and reading it says that there are no rows.
func (r *rowless) Splits() []arrowio.Split {
	return []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}, Bytes: r.bytes}}
}

// Prune implements arrowio.File.
func (r *rowless) Prune(context.Context, arrowio.Split, *expr.Bound) (arrowio.RowSet, error) {
	return nil, r.noRows()
}

// Read implements arrowio.File: it always fails.
func (r *rowless) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return nil, r.noRows()
}

func (r *rowless) noRows() error {
	return errs.Locate(errs.Errorf(errs.ErrUnsupported, "this is a %w", r.why), errs.At{Format: Name})
}

// Close implements arrowio.File.
func (r *rowless) Close() error { return nil }
