package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/arrowio/arrowio/arrowio"
)

// spooled is a stream in a temporary file.
type spooled struct {
	file *os.File // nil once closed
	size int64
	gone bool // the file has no name any more
}

// spooledBytes is a stream that is small enough for memory.
type spooledBytes struct{ BytesSource }

// Close frees the memory. It may be called twice.
func (s *spooledBytes) Close() error {
	s.b = nil
	return nil
}

// SpoolSource reads r to its end. It keeps up to memory bytes in memory; if there are more, it puts everything into a temporary
// file in dir ("" = the system's default), which has no name if the system allows that. The caller closes the result.
func SpoolSource(r io.Reader, memory int64, dir string) (arrowio.OpenSource, error) {
	head, err := readUpTo(r, max(memory, 0))
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF {
		return &spooledBytes{BytesSource{head}}, nil
	}
	f, gone, err := createPrivate(dir, "arrowio-spool-*")
	if err != nil {
		return nil, fmt.Errorf("spool the input: %w", err)
	}
	s := &spooled{file: f, gone: gone}
	n, err := f.Write(head)
	s.size = int64(n)
	if err == nil {
		var m int64
		m, err = io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{r}, make([]byte, 1<<20))
		s.size += m
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spool the input: %w", err), s.Close())
	}
	return s, nil
}

// readUpTo reads until limit bytes are there (nil error) or r ends (io.EOF).
func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	buf := make([]byte, 0, min(limit, 64<<10))
	for int64(len(buf)) < limit {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(limit, 2*int64(cap(buf))))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// createPrivate makes a temporary file and takes its name away where the system lets an open file live without one.
func createPrivate(dir, pattern string) (f *os.File, gone bool, err error) {
	f, err = os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, false, err
	}
	return f, os.Remove(f.Name()) == nil, nil
}

// Size returns the length of the stream.
func (s *spooled) Size() int64 { return s.size }

// ReadAt implements io.ReaderAt.
func (s *spooled) ReadAt(p []byte, off int64) (int, error) {
	if s.file == nil {
		return 0, fs.ErrClosed
	}
	return readAtSized(s.file, "the spooled input", s.size, p, off)
}

// Near says that the file is one of this machine: see arrowio.Near.
func (s *spooled) Near() bool { return true }

// Close frees the file. It may be called twice.
func (s *spooled) Close() error {
	s.size = 0
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	err := f.Close()
	if !s.gone {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
