package view

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Empty is a File without rows that nothing is stored of, such as a table without files.
type Empty struct {
	Format string
	Fields *arrow.Schema
}

// Schema implements arrowio.File.
func (f Empty) Schema() *arrow.Schema { return f.Fields }

// Info implements arrowio.File.
func (f Empty) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: f.Format, Schema: f.Fields}, nil
}

// Splits implements arrowio.File.
func (f Empty) Splits() []arrowio.Split { return nil }

// Prune implements arrowio.File.
func (f Empty) Prune(context.Context, arrowio.Split, *expr.Bound) (arrowio.RowSet, error) {
	return nil, nil
}

// Read implements arrowio.File.
func (f Empty) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return nil, errs.Errorf(errs.ErrInternal, "a file without rows has no split")
}

// Close implements arrowio.File.
func (f Empty) Close() error { return nil }

// BytesRead implements arrowio.ByteCounter.
func (f Empty) BytesRead() int64 { return 0 }

// BytesStored implements arrowio.ByteCounter.
func (f Empty) BytesStored() int64 { return 0 }

// Verify implements arrowio.Verifier: there is nothing that could be wrong.
func (f Empty) Verify(context.Context, func(error)) error { return nil }
