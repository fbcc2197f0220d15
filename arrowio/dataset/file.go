package dataset

import (
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// File is an open file, or a directory that a format reads as a whole. Closing it also closes the source that it owns. Use
// arrowio.As to find the optional interfaces that the format's own File implements.
type File struct {
	arrowio.File
	format  string
	counted *arrowio.CountingSource // nil = a directory
	src     arrowio.Source          // of counted
	closer  io.Closer               // of src; nil = it stays its owner's
	sides   *sideFiles
}

// Format returns the name of the format.
func (f *File) Format() string { return f.format }

// IsDirectory reports whether the format reads a directory as a whole.
func (f *File) IsDirectory() bool { return f.counted == nil }

// Unwrap returns the format's own File: see arrowio.As.
func (f *File) Unwrap() arrowio.File { return f.File }

// BytesRead implements arrowio.ByteCounter.
func (f *File) BytesRead() int64 {
	if f.counted != nil {
		return f.counted.Bytes()
	}
	if c, ok := arrowio.As[arrowio.ByteCounter](f.File); ok {
		return c.BytesRead()
	}
	return 0
}

// BytesStored implements arrowio.ByteCounter.
func (f *File) BytesStored() int64 {
	if f.counted != nil {
		return f.counted.Size()
	}
	if c, ok := arrowio.As[arrowio.ByteCounter](f.File); ok {
		return c.BytesStored()
	}
	return 0
}

// Identity implements arrowio.Identifier. The identity depends on the content of the file and of the files that options name.
func (f *File) Identity(ctx context.Context) (string, error) {
	own := ""
	var err error
	if f.counted != nil {
		own, err = local.Identity(ctx, f.src)
	} else if id, ok := arrowio.As[arrowio.Identifier](f.File); ok {
		own, err = id.Identity(ctx)
	} else {
		err = errs.Errorf(errs.ErrUnsupported, "the directory does not tell when it changes")
	}
	if err != nil {
		return "", err
	}
	return f.sides.with(ctx, own)
}

// Close closes the file and the source that it owns.
func (f *File) Close() error {
	err := f.File.Close()
	if f.closer != nil {
		err = errors.Join(err, f.closer.Close())
	}
	return err
}
