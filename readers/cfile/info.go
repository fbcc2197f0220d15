package cfile

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
)

// Info describes the file.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: Name, Rows: f.footer.Values, Bytes: f.src.Size(), Schema: f.schema}, nil
}
