package cfile

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfile"
)

// Name is the format's name.
const Name = cfile.Name

// ErrNotText is in the error about a string that is not UTF-8. The error names the option that reads it as binary.
var ErrNotText = cfile.ErrNotText

// Options are the options of this format; on the command line each is --cfile-NAME.
type Options struct {
	// Precision and Scale are those of a decimal column, which its file does not know; zero is as many digits as the
	// type has room for, and no fraction.
	Precision, Scale int32
	// Int128Binary shows integers of 128 bits as 16 bytes, little-endian: decimal128 has no room for the greatest.
	Int128Binary bool
	// StringsBinary shows strings as binary: Kudu does not check that they are UTF-8.
	StringsBinary bool
	// Trust reads blocks without a look at their checksums: damage that nothing else shows becomes wrong rows.
	Trust bool
}

// Format returns the CFile reader.
func Format() arrowio.Format { return cfile.Format() }

// Open opens a CFile. The caller closes src after the file. The file is an arrowio.Verifier and an arrowio.Dumper, and
// arrowio.Describe tells what it holds.
func Open(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options) (arrowio.File, error) {
	f, err := cfile.Open(ctx, src, limits, cfile.Options(o))
	if err != nil {
		return nil, err // not a File that is a nil *cfile.File
	}
	return f, nil
}
