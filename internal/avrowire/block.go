package avrowire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// maxVarint is the size of the longest varint.
const maxVarint = 10

// BlockHeadSize is the most bytes that stand before the rows of a block.
const BlockHeadSize = 2 * maxVarint

// BlockHead is what stands before the rows of a block.
type BlockHead struct {
	Rows   int64
	Packed int64 // stored bytes of the rows
	Size   int   // of the head itself
}

// ParseBlockHead reads the head of a block from b. left is the number of bytes from there to the end of the file.
func ParseBlockHead(b []byte, left int64) (h BlockHead, err error) {
	var n, m int
	if h.Rows, n, err = bitpack.Zigzag[int64](b); err == nil {
		h.Packed, m, err = bitpack.Zigzag[int64](b[n:])
	}
	if err != nil {
		return h, errs.Errorf(errs.ErrCorrupt, "the head of a block: %w", err)
	}
	h.Size = n + m
	if h.Rows < 0 {
		return h, errs.Errorf(errs.ErrCorrupt, "a block of %d rows", h.Rows)
	}
	if h.Packed < 0 || h.Packed > left-int64(h.Size)-SyncSize {
		return h, errs.Errorf(errs.ErrCorrupt, "a block of %d bytes and a sync marker, but %d bytes are left in the file", h.Packed, left-int64(h.Size))
	}
	return h, nil
}

// AppendBlockHead writes the head of a block.
func AppendBlockHead(dst []byte, rows, packed int64) []byte {
	return bitpack.AppendZigzag(bitpack.AppendZigzag(dst, rows), packed)
}
