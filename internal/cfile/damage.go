package cfile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Damage decodes every block of a column and returns the rows of those that cannot be; report is called once for each.
// The error is that of a file none of whose blocks can be reached, or of reading it.
func (f *Reader) Damage(ctx context.Context, field arrow.Field, report func(arrowio.RowRange, error)) (arrowio.RowSet, error) {
	blocks, err := f.positions(ctx)
	if err != nil {
		return nil, locate(err)
	}
	var bad arrowio.RowSet
	sc := &Scratch{}
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.tryBlock(ctx, b, field, sc); err != nil {
			bad = bad.Add(b.rows)
			report(b.rows, err)
		}
	}
	return bad, nil
}

// tryRows and tryBytes are how much of a block is decoded at a time.
const (
	tryRows  = 1 << 16
	tryBytes = 32 << 20
)

func (f *Reader) tryBlock(ctx context.Context, b block, field arrow.Field, sc *Scratch) error {
	c, err := f.NewColumn(ctx, ColumnOptions{Field: field, Rows: arrowio.RowSet{b.rows}, Mem: &arrowbuf.Arena{Allocator: arrowbuf.Shared()}, Scratch: sc})
	if err != nil {
		return err
	}
	defer c.Release()
	c.Skip(b.rows.Start)
	for c.Row() < b.rows.End {
		n := c.Fit(int(min(tryRows, b.rows.End-c.Row())), tryBytes)
		if err := c.Read(n); err != nil {
			return err
		}
		c.Take().Release()
		c.opt.Budget.Reset()
	}
	return nil
}
