package readers

import (
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// owned is a File that closes its source. What else a File can do must still be seen from outside, so there is a type
// for each combination.
type owned struct {
	arrowio.File
	src    io.Closer
	beside *beside // nil = nothing is
}

// Warnings implements arrowio.Warner: a file that has none to give is as good as one without.
func (f *owned) Warnings() []arrowio.Warning { return arrowio.WarningsOf(f.File) }

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

type ownedVerifier struct {
	*owned
	arrowio.Verifier
}

type ownedDumper struct {
	*owned
	arrowio.Dumper
}

type ownedBoth struct {
	*owned
	arrowio.Verifier
	arrowio.Dumper
}

func own(f arrowio.File, src io.Closer) arrowio.File { return ownBeside(f, src, nil) }

// ownBeside is own for a file that is read together with those that options name.
func ownBeside(f arrowio.File, src io.Closer, b *beside) arrowio.File {
	o := &owned{f, src, b}
	v, verifies := f.(arrowio.Verifier)
	d, dumps := f.(arrowio.Dumper)
	switch {
	case verifies && dumps:
		return ownedBoth{o, v, d}
	case verifies:
		return ownedVerifier{o, v}
	case dumps:
		return ownedDumper{o, d}
	}
	return o
}
