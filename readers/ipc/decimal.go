package ipc

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/plans"
)

// Decimals of 32 and 64 bits, which Arrow for Go v15 does not have, are read as decimals of 128 bits.

// widen returns the values of a decimal column, of so many bytes each, with 16 bytes each. The caller releases both.
func (l *loader) widen(b *memory.Buffer, length int64, width int) (*memory.Buffer, error) {
	const wide = 16
	switch {
	case length > int64(b.Len()/width):
		return nil, corrupt("%d decimals of %d bytes in a buffer of %d", length, width, b.Len())
	case length > l.body.left/wide:
		return nil, errs.Errorf(errs.ErrLimit, "a batch of more than Limits.BatchBytes, with decimals of %d bits read as decimals of 128", 8*width)
	}
	l.body.left -= length * wide
	out := memory.NewResizableBuffer(l.body.mem)
	out.Resize(int(length * wide))
	src, dst := b.Bytes(), out.Bytes()
	for i := range int(length) {
		var v int64
		if width == 4 {
			v = int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
		} else {
			v = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
		binary.LittleEndian.PutUint64(dst[wide*i:], uint64(v))
		binary.LittleEndian.PutUint64(dst[wide*i+8:], uint64(v>>63))
	}
	return out, nil
}

// TypesLost implements dataset.TypesLost.
func (f *file) TypesLost() []arrowio.Loss { return plans.NarrowDecimals(f.Footer.Schema) }

// TypesLost implements dataset.TypesLost.
func (s *stream) TypesLost() []arrowio.Loss { return plans.NarrowDecimals(s.schema) }
