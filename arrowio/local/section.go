package local

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
)

// SectionSource is a part of a file as a source of its own: a file that lies within another. Reading it is one
// positioned read of the file. It does not own the file, which must stay open while the section is in use.
type SectionSource struct {
	file *FileSource
	off  int64
	size int64
}

// Section returns the bytes of r as a source, or errs.ErrCorrupt unless the file has all of them.
func (s *FileSource) Section(r arrowio.ByteRange) (*SectionSource, error) {
	if err := r.Check(s.size); err != nil {
		return nil, err
	}
	return &SectionSource{file: s, off: r.Off, size: r.Len}, nil
}

// Name returns the path that the file around the section was opened by.
func (s *SectionSource) Name() string { return s.file.Name() }

// Size returns the number of bytes of the section.
func (s *SectionSource) Size() int64 { return s.size }

// Near says that the file is one of this machine: see arrowio.Near.
func (s *SectionSource) Near() bool { return true }

// ReadAt implements io.ReaderAt. Errors of the file name its own offsets, not the section's.
func (s *SectionSource) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, &fs.PathError{Op: "read", Path: s.Name(), Err: fs.ErrInvalid}
	case off >= s.size:
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	case int64(len(p)) <= s.size-off:
		return s.whole(p, off)
	}
	n, err := s.whole(p[:s.size-off], off)
	if err == nil {
		err = io.EOF
	}
	return n, err
}

// whole reads bytes that the section has. The end of the file before them cannot be the end of the section.
func (s *SectionSource) whole(p []byte, off int64) (int, error) {
	n, err := s.file.ReadAt(p, s.off+off)
	if n == len(p) {
		return n, nil
	}
	if err == nil || err == io.EOF {
		err = fmt.Errorf("read %s at %d: %w", s.Name(), s.off+off+int64(n), io.ErrUnexpectedEOF)
	}
	return n, err
}
