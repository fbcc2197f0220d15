package arrowio

import (
	"context"
	"io"
	"sync/atomic"
)

// Source is immutable random-access bytes. ReadAt may be called concurrently. Package local has those of this machine.
//
// A source with a method View(off, n int64) []byte is memory: ranges of it are views, nothing is copied. View returns n bytes at
// off, with whatever capacity follows them; the caller has checked the range. A source with a method Near() bool that returns true
// is a file of this machine: see Near.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Span is a stretch of a source and where its bytes go.
type Span struct {
	Off int64
	Dst []byte
}

// SpanSource is implemented by sources that are far away: each request takes long, and several at once take no longer.
type SpanSource interface {
	Source
	// ReadSpans fills all of spans, several at once, or returns an error. They lie within the source, do not overlap, are
	// in order, and none is larger than 16 MiB. After an error what they hold is arbitrary, and nobody writes to it.
	ReadSpans(ctx context.Context, spans []Span) error
}

// viewer is a source whose bytes are in memory already: see Source.
type viewer interface{ View(off, n int64) []byte }

// CountingSource counts what is read through it. ReadRanges and ReadRangesInto see through it to the source's own way
// of serving ranges, so counting costs no copy.
type CountingSource struct {
	src          Source
	bytes, calls atomic.Int64
}

// NewCountingSource returns src with counters. Closing src stays the caller's.
func NewCountingSource(src Source) *CountingSource { return &CountingSource{src: src} }

// Size returns the size of the source.
func (s *CountingSource) Size() int64 { return s.src.Size() }

// ReadAt implements io.ReaderAt.
func (s *CountingSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.src.ReadAt(p, off)
	s.add(int64(n))
	return n, err
}

// Bytes returns how many bytes were read so far. It may be called at any time.
func (s *CountingSource) Bytes() int64 { return s.bytes.Load() }

// Calls returns how many reads they took: ranges read together count once, views of memory once each.
func (s *CountingSource) Calls() int64 { return s.calls.Load() }

func (s *CountingSource) add(n int64) {
	s.bytes.Add(n)
	s.calls.Add(1)
}
