package inspect

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// File is a CFile of any kind, as opening it has found it.
type File struct {
	Src    arrowio.Source
	Footer *cfilewire.Footer
	Frame  cfilewire.Frame
	Limits errs.Limits
	Kind   cfilewire.Kind
	Stats  cfilewire.DeltaStats // of a delta file
}

// ReadBlock reads and unpacks one block.
func (f *File) ReadBlock(ctx context.Context, p cfilewire.BlockPointer, d *blockcodec.Decoder) ([]byte, error) {
	if err := f.Footer.CheckPointer(p); err != nil {
		return nil, err
	}
	stored, err := ReadAt(ctx, f.Src, p.Off, int64(p.Size))
	if err != nil {
		return nil, err
	}
	raw, _, err := f.Frame.Open(stored, nil, d)
	return raw, err
}

// SumSize returns how many bytes a checksum takes behind a block, 0 in a file without checksums.
func (f *File) SumSize() int {
	if f.Footer.Checksums {
		return checksumSize
	}
	return 0
}

// ReadAt reads n bytes at off.
func ReadAt(ctx context.Context, src arrowio.Source, off, n int64) ([]byte, error) {
	bs, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: off, Len: n}})
	if err != nil {
		return nil, err
	}
	return bs[0], nil
}

// Names of the indexes in errors.
const (
	OpPositional = "positional index"
	OpValue      = "value index"
)

// MaxDepth bounds the levels of an index.
const MaxDepth = 32

const format = "cfile"
