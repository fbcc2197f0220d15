package splitcopy

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Part is what is copied as a whole: a stripe, a row group, or all blocks of a file.
type Part struct {
	Rows  int64
	Bytes int64 // stored
}

// Copier is implemented by files whose parts can be copied to another file of their format.
type Copier interface {
	arrowio.File
	// Parts lists what can be copied, in the order of rows. A file whose parts cannot be copied, such as one of a table with
	// transactions, is an error of kind errs.ErrUnsupported that says why.
	Parts(ctx context.Context) ([]Part, error)
	// Like reports why parts of other cannot be in one file with parts of this one; nil if they can. What differs is a *Difference.
	Like(other Copier) error
	// NewCopy begins a file of parts. It writes to out, which stays the caller's.
	NewCopy(out io.Writer, o Options) Copy
}

// Copy is a file that is being made of parts.
type Copy interface {
	// Add appends the parts of from from number first up to, but not including, end. What the file says as a whole, such as its
	// metadata, is taken from every file that is added.
	Add(ctx context.Context, from Copier, first, end int) error
	// Holds reports whether the files that were added are read by Close, and must stay open until then: a format that stores whole
	// columns one after another copies nothing before all files are known.
	Holds() bool
	// Close writes the rest of the file.
	Close(ctx context.Context) error
}

// Options say what is not copied as it is.
type Options struct {
	Metadata     map[string]string // of the file, by key: in place of what the files say
	DropMetadata []string          // keys that are left out
	// BlockBytes says within what blocks each part lies, where its size lets it, by zeros between them: 0 = those of the store, if it has
	// any and the format does that; -1 = of none; else of so many bytes, for which the store is asked.
	BlockBytes int64
	Progress   func(bytes int64) // is called with the bytes that were copied since the last call; nil = it is not called
}

// Changes reports whether a key of the metadata is not taken from the files.
func (o *Options) Changes(key string) bool {
	_, set := o.Metadata[key]
	return set || slices.Contains(o.DropMetadata, key) || slices.Contains(o.DropMetadata, "*")
}

// Conflict is the error about a key of which files have different values.
func Conflict(key string) error {
	return errs.Errorf(errs.ErrOption, "files have different values of the metadata %q: %w leaves it out, %w says which", key, errs.Opt("drop-metadata", key), errs.Opt("metadata", key+"=..."))
}

// Difference is something about two files that must be the same.
type Difference struct {
	What        string // as in "codec"
	First, This string // what the first file and this one have
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s: %s, but the first file has %s", d.What, d.This, d.First)
}

// CopyRange copies n bytes of src from offset off to out, at most a few MB at a time.
func CopyRange(ctx context.Context, out io.Writer, src arrowio.Source, off, n int64, progress func(int64), buf []byte) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := buf[:min(n, int64(len(buf)))]
		if err := readFull(src, b, off); err != nil {
			return err
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
		if progress != nil {
			progress(int64(len(b)))
		}
		off, n = off+int64(len(b)), n-int64(len(b))
	}
	return nil
}

func readFull(src arrowio.Source, b []byte, off int64) error {
	n, err := src.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// CopyBytes is the size of the buffer for CopyRange.
const CopyBytes = 4 << 20
