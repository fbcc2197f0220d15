package local

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
)

// SectionSource is a range of a file as a source of its own. It reads the file at given offsets. It does not own the file,
// which must stay open while the section is in use.
type SectionSource struct {
	file *FileSource
	off  int64
	size int64
}

// Section returns the bytes of r as a source. The error is of kind errs.ErrCorrupt if r is not inside the file.
func (s *FileSource) Section(r arrowio.ByteRange) (*SectionSource, error) {
	if err := r.Check(s.size); err != nil {
		return nil, err
	}
	return &SectionSource{file: s, off: r.Off, size: r.Len}, nil
}

// Name returns the path of the file that contains the section.
func (s *SectionSource) Name() string { return s.file.Name() }

// Size returns the number of bytes of the section.
func (s *SectionSource) Size() int64 { return s.size }

// Near returns true, since the file is on this machine: see arrowio.Near.
func (s *SectionSource) Near() bool { return true }

// ReadAt implements io.ReaderAt. Offsets in errors of the system are those of the file, not of the section.
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
