package icebergtable

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// emptyFile stands for a table without files.
type emptyFile struct{ schema *arrow.Schema }

func (f emptyFile) Schema() *arrow.Schema { return f.schema }

func (f emptyFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: Name, Schema: f.schema}, nil
}

func (f emptyFile) Splits() []arrowio.Split { return nil }

func (f emptyFile) Prune(context.Context, arrowio.Split, *expr.Bound) (arrowio.RowSet, error) {
	return nil, nil
}

func (f emptyFile) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return nil, errs.Errorf(errs.ErrInternal, "a table without files has no split")
}

func (f emptyFile) Close() error { return nil }

func (f emptyFile) BytesRead() int64 { return 0 }

func (f emptyFile) BytesStored() int64 { return 0 }

func (f emptyFile) Verify(context.Context, func(error)) error { return nil }
