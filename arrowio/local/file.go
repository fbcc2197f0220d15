package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/arrowio/arrowio/arrowio"
)

// FileSource reads a file at given offsets. It has no file position.
type FileSource struct {
	f    *os.File
	size int64
}

// OpenFile opens the regular file at path. The size is the one at the time of this call: bytes that are added later are not
// read, and if the file becomes shorter, reading returns io.ErrUnexpectedEOF.
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
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file: save its content in one, or pass it to the command on standard input")}
	}
	f, err := open(path)
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

// Size returns the size that the file had when it was opened, or the one that Shorten set.
func (s *FileSource) Size() int64 { return s.size }

// Shorten makes the source end at n if it is longer: the bytes after n do not belong to the file. Call it before the source is
// used.
func (s *FileSource) Shorten(n int64) { s.size = min(s.size, max(n, 0)) }

// ReadAt implements io.ReaderAt.
func (s *FileSource) ReadAt(p []byte, off int64) (int, error) {
	return readAtSized(s.f, s.f.Name(), s.size, p, off)
}

// Near returns true, since the file is on this machine: see arrowio.Near.
func (s *FileSource) Near() bool { return true }

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

// Identity implements arrowio.Identifier: it depends on the size of the open file, the time of its last change, and its first
// and last bytes. Another file that gets the same name does not change it.
func (s *FileSource) Identity(ctx context.Context) (string, error) {
	fi, err := s.f.Stat()
	if err != nil {
		return "", err
	}
	ends, err := Identity(ctx, struct{ arrowio.Source }{s})
	if errors.Is(err, io.ErrUnexpectedEOF) { // it has become shorter
		ends, err = "", nil
	}
	return fmt.Sprintf("%s %d %d", ends, fi.Size(), fi.ModTime().UnixNano()), err
}
