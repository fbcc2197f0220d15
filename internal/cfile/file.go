package cfile

import (
	"context"
	"errors"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/cursor"
)

// Name is the format's name.
const Name = "cfile"

// Reader is an open CFile of any kind. Its methods may be called concurrently.
type Reader struct {
	src    arrowio.Source
	footer *cfilewire.Footer
	frame  cfilewire.Frame
	limits arrowio.Limits
	kind   cfilewire.Kind
	stats  cfilewire.DeltaStats // of a delta file

	mu      sync.Mutex
	blocks  []block     // nil = not read yet
	entries []entry     // of the value index; nil = not read yet
	dict    *dictionary // nil = not read yet
}

// OpenReader reads the footer and the header of src, which the caller closes after the last use of the Reader.
func OpenReader(ctx context.Context, src arrowio.Source, limits arrowio.Limits) (*Reader, error) {
	f := &Reader{src: src, limits: limits.WithDefaults()}
	var err error
	if f.footer, err = readFooter(ctx, src); err != nil {
		return nil, locate(err)
	}
	if err := cfilewire.CheckEncoding(f.footer); err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name, Op: "footer", Off: errs.N(f.footer.FooterOff)})
	}
	f.frame = f.footer.Frame(f.limits)
	if f.kind = f.footer.Kind(); f.kind == cfilewire.DeltaFile {
		text, _ := f.footer.Lookup(cfilewire.MetaDeltaStats)
		if f.stats, err = cfilewire.ParseDeltaStats(text); err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name, Op: "statistics of the deltas", Off: errs.N(f.footer.FooterOff)})
		}
	}
	return f, nil
}

// Trust has f read blocks without a look at their checksums. Check and Describe look at them all the same. It is called before f is used.
func (f *Reader) Trust() { f.frame.Trusting = true }

// checking returns f as a reader that compares checksums.
func (f *Reader) checking() *Reader {
	if !f.frame.Trusting {
		return f
	}
	own := &Reader{src: f.src, footer: f.footer, frame: f.frame, limits: f.limits, kind: f.kind, stats: f.stats}
	own.frame.Trusting = false
	return own
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: Name})
}

// inFooter returns err, which is about what the footer says, with its place.
func (f *Reader) inFooter(err error) error {
	return errs.Locate(err, errs.At{Format: Name, Op: "footer", Off: errs.N(f.footer.FooterOff)})
}

// tailGuess is how much of the end is read at once: a footer takes rarely more.
const tailGuess = 4 << 10

// readFooter reads the footer, then the header: only both together say how blocks are framed.
func readFooter(ctx context.Context, src arrowio.Source) (*cfilewire.Footer, error) {
	f, err := readEnd(ctx, src)
	if err != nil {
		return nil, err
	}
	size := src.Size()
	for n := int64(2 * cfilewire.TailSize); ; n = cfilewire.TailSize + cfilewire.MaxMetaBytes + 4 {
		n = min(n, size)
		head, err := inspect.ReadAt(ctx, src, 0, n)
		if err != nil {
			return nil, err
		}
		err = cfilewire.ParseHeader(head, f)
		if n > 2*cfilewire.TailSize || !errors.Is(err, cursor.ErrShort) {
			return f, err
		}
	}
}

// readEnd reads the footer alone.
func readEnd(ctx context.Context, src arrowio.Source) (*cfilewire.Footer, error) {
	size := src.Size()
	if size < cfilewire.TailSize {
		return nil, footerAt(0, errs.Errorf(errs.ErrCorrupt, "%d bytes are too few for a CFile", size))
	}
	n := min(size, tailGuess)
	tail, err := inspect.ReadAt(ctx, src, size-n, n)
	if err != nil {
		return nil, err
	}
	m, err := cfilewire.ParseTailLength(tail[n-cfilewire.TailSize:])
	if err != nil {
		return nil, footerAt(size-cfilewire.TailSize, err)
	}
	want := int64(m) + cfilewire.TailSize
	if want > size {
		return nil, footerAt(size-cfilewire.TailSize, errs.Errorf(errs.ErrCorrupt, "a footer of %d bytes in a file of %d", want, size))
	}
	if want > n {
		if tail, err = inspect.ReadAt(ctx, src, size-want, want); err != nil {
			return nil, err
		}
	}
	f, err := cfilewire.ParseFooter(tail[int64(len(tail))-want:], size)
	if err != nil {
		return nil, footerAt(size-cfilewire.TailSize, err)
	}
	return f, nil
}

// footerAt returns err with the footer as its place, and an offset where it had none.
func footerAt(off int64, err error) error {
	return errs.Locate(err, errs.At{Op: "footer", Off: errs.N(off)})
}

// Kind returns what the file holds.
func (f *Reader) Kind() cfilewire.Kind { return f.kind }

// Footer returns what the file says of itself. It must not be changed.
func (f *Reader) Footer() *cfilewire.Footer { return f.footer }

// Rows returns the number of values, nulls included.
func (f *Reader) Rows() int64 { return f.footer.Values }

// DeltaStats returns what the footer of a delta file says of its changes.
func (f *Reader) DeltaStats() cfilewire.DeltaStats { return f.stats }
