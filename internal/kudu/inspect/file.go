package inspect

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Magics with which the files begin.
const (
	containerMagic = "kuducntr"
	segmentMagic   = "kudulogf"
	magicSize      = 8
)

// Match reports whether a file that begins with head is one that this package explains.
func Match(head []byte) bool {
	return bytes.HasPrefix(head, []byte(containerMagic)) || IsSegment(head)
}

// IsSegment reports whether a file that begins with head is a segment of a write-ahead log.
func IsSegment(head []byte) bool { return bytes.HasPrefix(head, []byte(segmentMagic)) }

// File is a file to be explained.
type File struct {
	Src    arrowio.Source
	Limits errs.Limits // with its defaults
}

// Dump prints the bytes of the file and what they mean. What is wrong is printed where it stands. An error is one of reading or
// writing, or of a limit.
func (f *File) Dump(ctx context.Context, w io.Writer) error {
	b, err := f.Head()
	if err != nil {
		return err
	}
	if IsSegment(b) {
		return f.dumpSegment(ctx, w)
	}
	return f.dumpContainer(ctx, w)
}

// DumpJSON writes what the file says as one JSON object. What is wrong is in its field "faults".
func (f *File) DumpJSON(ctx context.Context, w io.Writer) error {
	b, err := f.Head()
	if err != nil {
		return err
	}
	if IsSegment(b) {
		return f.segmentJSON(ctx, w)
	}
	return f.containerJSON(ctx, w)
}

// Kind says what the file is. Damage does not make it an error.
func (f *File) Kind() (string, error) {
	b, err := f.Head()
	if err != nil {
		return "", err
	}
	if IsSegment(b) {
		return "segment of a write-ahead log", nil
	}
	c, err := f.container()
	if err != nil {
		return "", err
	}
	for r := range c.records() {
		if kind := kuduwire.KindOf(c.typ); r.index == 0 && kind != "" {
			return kind, nil
		}
		break
	}
	return "protobuf container", nil
}

// Head returns the first bytes of the file.
func (f *File) Head() ([]byte, error) { return f.read(0, min(magicSize, f.Src.Size())) }

// read returns n bytes at off, which the caller has checked to be there.
func (f *File) read(off, n int64) ([]byte, error) {
	b := make([]byte, n)
	if m, err := f.Src.ReadAt(b, off); int64(m) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// faultText is the text of a fault without its place, which is printed separately.
func faultText(err error) string {
	var e *errs.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
