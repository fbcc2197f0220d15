package cfile

import (
	"cmp"
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Kudu's log block manager has many CFiles in one file, each at a multiple of the block size of the file system.
const (
	alignment = 4096
	searched  = 4 << 20 // how much of a file is searched for the beginnings of CFiles
)

var errContainer = errs.Errorf(errs.ErrUnsupported,
	"several CFiles follow each other in it, as in a container of blocks of Kudu's log block manager: read its tables with %w and the server's directory, or one block with %w as well; files that were joined must be cut apart", errs.Opt("from", "kudu"), errs.Opt("kudu-block", "ID"))

// Alone reports whether src, from its first to its last byte, is one CFile, as far as header and footer tell.
func Alone(ctx context.Context, src arrowio.Source) bool {
	f, err := readFooter(ctx, src)
	return err == nil && f.Begins() == 0
}

// checkAlone returns an error if src, whose footer is f, lies behind other CFiles.
func checkAlone(ctx context.Context, src arrowio.Source, f *cfilewire.Footer) error {
	if f.Begins() > 0 && beginsAt(ctx, src, f.Begins()) {
		return locate(errContainer)
	}
	return nil
}

// explain returns the error of opening src: that it is a container, where CFiles begin inside at places where a container has
// them, and else err.
func explain(ctx context.Context, src arrowio.Source, err error) error {
	if !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) || src.Size() < alignment {
		return err
	}
	if f, e := readEnd(ctx, src); e == nil {
		return cmp.Or(checkAlone(ctx, src, f), err)
	}
	b, e := inspect.ReadAt(ctx, src, 0, min(src.Size(), searched))
	if e != nil {
		return err
	}
	for off := alignment; off < len(b); off += alignment {
		if cfilewire.Match(b[off:], nil) {
			return locate(errContainer)
		}
	}
	return err
}

func beginsAt(ctx context.Context, src arrowio.Source, off int64) bool {
	b, err := inspect.ReadAt(ctx, src, off, cfilewire.TailSize)
	return err == nil && cfilewire.Match(b, nil)
}
