package readers

import (
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// owned is a File that closes its source.
type owned struct {
	arrowio.File
	src    io.Closer
	beside *beside // nil = nothing is
}

// Identity implements arrowio.Identifier: a file is what its bytes are, and those of the files that options name.
func (f *owned) Identity(ctx context.Context) (string, error) {
	src, ok := f.src.(arrowio.Source)
	if !ok {
		return "", errs.Errorf(errs.ErrUnsupported, "the file is not made of one source")
	}
	id, err := arrowio.SourceIdentity(ctx, src)
	if err != nil {
		return "", err
	}
	return f.beside.with(ctx, id)
}

func (f *owned) Close() error { return errors.Join(f.File.Close(), f.src.Close()) }

// Unwrap returns the file that does not close its source: see arrowio.As.
func (f *owned) Unwrap() arrowio.File { return f.File }

func own(f arrowio.File, src io.Closer) arrowio.File { return ownBeside(f, src, nil) }

// ownBeside is own for a file that is read together with those that options name.
func ownBeside(f arrowio.File, src io.Closer, b *beside) arrowio.File { return &owned{f, src, b} }
