package arrowio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// Source is immutable random-access bytes. ReadAt may be called concurrently.
type Source interface {
	io.ReaderAt
	Size() int64
}

// RangeSource is implemented by sources that serve many ranges better than one ReadAt each (object stores, caches).
type RangeSource interface {
	Source
	ReadRanges(ctx context.Context, rs []ByteRange) ([][]byte, error)
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

// viewer is a source whose bytes are in memory already: ranges are views of them, nothing is copied.
type viewer interface {
	// view returns n bytes at off with whatever capacity follows them; the caller has checked the range.
	view(off, n int64) []byte
}

// FileSource reads a file with positioned reads. It does not share or move a file position.
type FileSource struct {
	f    *os.File
	size int64
}

// OpenFile opens the regular file at path. The size is taken once, now: a file that grows later is read up to it, one
// that shrinks gives io.ErrUnexpectedEOF.
func OpenFile(path string) (*FileSource, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	return &FileSource{f: f, size: size}, nil
}

// openRegular refuses what has no size to rely on before opening it: opening a pipe would wait for its writer.
func openRegular(path string) (*os.File, int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if fi.IsDir() {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory, not a file")}
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file; pass it on standard input instead")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	// Between the two calls the name may have changed hands: the open file is what counts.
	if fi, err = f.Stat(); err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// Name returns the path the file was opened by.
func (s *FileSource) Name() string { return s.f.Name() }

// Size returns the size at open.
func (s *FileSource) Size() int64 { return s.size }

// Shorten makes the source end at n, if it is longer: what follows is not the file's. It must not be in use yet.
func (s *FileSource) Shorten(n int64) { s.size = min(s.size, max(n, 0)) }

// ReadAt implements io.ReaderAt.
func (s *FileSource) ReadAt(p []byte, off int64) (int, error) {
	return readAtSized(s.f, s.f.Name(), s.size, p, off)
}

// Close closes the file.
func (s *FileSource) Close() error { return s.f.Close() }

// readAtSized reads below size only, and tells the end of the data from the end of a file cut off behind our back.
func readAtSized(r io.ReaderAt, name string, size int64, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	if off >= size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	want := p
	if int64(len(p)) > size-off {
		want = p[:size-off]
	}
	n, err := r.ReadAt(want, off)
	switch {
	case n < len(want) && (err == nil || err == io.EOF):
		return n, fmt.Errorf("read %s at %d: the file has shrunk from the %d bytes it had: %w", name, off+int64(n), size, io.ErrUnexpectedEOF)
	case n < len(want):
		return n, err
	case len(want) < len(p):
		return n, io.EOF
	}
	return n, nil
}

// BytesSource serves a slice. Ranges read from it are views of the slice, not copies.
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

// Shorten makes the source end at n, if it is longer. It must not be in use yet.
func (s *BytesSource) Shorten(n int64) { s.b = s.b[:min(int64(len(s.b)), max(n, 0))] }

func (s *BytesSource) view(off, n int64) []byte { return s.b[off : off+n] }

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
