package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
)

// Info describes the table.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	rows := int64(0)
	if n := len(f.splits); n > 0 {
		rows = f.splits[n-1].Rows.End
	}
	return &arrowio.Info{Format: Name, Rows: rows, Schema: f.schema, Notes: f.notes}, nil
}
