package arrowio

import (
	"context"
	"io"
	"sync/atomic"
)

// Source is immutable bytes that can be read at any offset. ReadAt may be called concurrently. Package local has the sources for
// local files.
//
// A source in memory has a method View(off, n int64) []byte, which returns the n bytes at off without copying them. The caller
// checks the range before; the capacity of the result may be larger than n. A local file has a method Near() bool that returns
// true: see Near.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Span is a range of a source, and the buffer for its bytes: len(Dst) bytes at Off.
type Span struct {
	Off int64
	Dst []byte
}

// SpanSource is implemented by remote sources: each request takes long, but several at once take no longer than one.
type SpanSource interface {
	Source
	// ReadSpans fills all spans, several at once, or returns an error. The caller passes spans that lie within the source, are in
	// order, do not overlap, and are at most 16 MiB each. After an error the buffers hold arbitrary bytes, and ReadSpans no
	// longer writes to them.
	ReadSpans(ctx context.Context, spans []Span) error
}

// viewer is a source whose bytes are in memory already: see Source.
type viewer interface{ View(off, n int64) []byte }

// CountingSource counts the bytes that are read through it. ReadRanges and ReadRangesInto use the optional methods of the source
// below it, so counting costs no copy.
type CountingSource struct {
	src          Source
	bytes, calls atomic.Int64
}

// NewCountingSource returns a CountingSource that reads from src. The caller closes src.
func NewCountingSource(src Source) *CountingSource { return &CountingSource{src: src} }

// Size returns the size of the source.
func (s *CountingSource) Size() int64 { return s.src.Size() }

// ReadAt implements io.ReaderAt.
func (s *CountingSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.src.ReadAt(p, off)
	s.add(int64(n))
	return n, err
}

// Bytes returns how many bytes have been read so far. It may be called at any time.
func (s *CountingSource) Bytes() int64 { return s.bytes.Load() }

// ReadsSpans reports whether the source below is a SpanSource.
func (s *CountingSource) ReadsSpans() bool {
	if c, ok := s.src.(*CountingSource); ok {
		return c.ReadsSpans()
	}
	_, ok := s.src.(SpanSource)
	return ok
}

// Calls returns the number of reads. Ranges that are read together count as one; each view of memory counts as one.
func (s *CountingSource) Calls() int64 { return s.calls.Load() }

func (s *CountingSource) add(n int64) {
	s.bytes.Add(n)
	s.calls.Add(1)
}
