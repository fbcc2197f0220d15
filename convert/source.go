package convert

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// source is where rows come from.
type source struct {
	schema *arrow.Schema
	lost   []arrowio.Loss // what it does not show of its files
	check  func(ctx context.Context, o arrowio.ScanOptions) error
	scan   func(ctx context.Context, o arrowio.ScanOptions) (array.RecordReader, error) // the caller releases the reader
}

func ofDataset(ds *dataset.Dataset) source {
	return source{
		schema: ds.Schema,
		lost:   slices.Concat(ds.Lost, ds.LeftOut),
		check:  ds.Check,
		scan: func(ctx context.Context, o arrowio.ScanOptions) (array.RecordReader, error) {
			s, err := ds.Scan(ctx, o)
			if err != nil {
				return nil, err // not a pointer that is nil
			}
			return s, nil
		},
	}
}

func ofReader(rows array.RecordReader) source {
	return source{
		schema: rows.Schema(),
		check:  func(context.Context, arrowio.ScanOptions) error { return nil },
		scan: func(ctx context.Context, _ arrowio.ScanOptions) (array.RecordReader, error) {
			rows.Retain()
			return &ending{RecordReader: rows, ctx: ctx}, nil
		},
	}
}

// ending is a reader that fails when its context ends.
type ending struct {
	array.RecordReader
	ctx context.Context
}

func (e *ending) Next() bool { return e.ctx.Err() == nil && e.RecordReader.Next() }

func (e *ending) Err() error {
	if err := e.RecordReader.Err(); err != nil {
		return err
	}
	return e.ctx.Err()
}
