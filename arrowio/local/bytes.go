package local

import (
	"fmt"
	"io"
	"io/fs"
)

// BytesSource is a source over a slice of bytes. Ranges that are read from it are views of the slice, not copies.
type BytesSource struct{ b []byte }

// NewBytesSource returns a source over b, which must not change while the source or anything read from it is in use.
func NewBytesSource(b []byte) *BytesSource { return &BytesSource{b} }

// Size returns the number of bytes.
func (s *BytesSource) Size() int64 { return int64(len(s.b)) }

// ReadAt implements io.ReaderAt.
func (s *BytesSource) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read at %d: %w", off, fs.ErrInvalid)
	}
	if off >= int64(len(s.b)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, s.b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Shorten makes the source end at n if it is longer. Call it before the source is used.
func (s *BytesSource) Shorten(n int64) { s.b = s.b[:min(int64(len(s.b)), max(n, 0))] }

// View returns n bytes at off; the caller has checked the range. See arrowio.Source.
func (s *BytesSource) View(off, n int64) []byte { return s.b[off : off+n] }
