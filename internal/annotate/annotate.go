package annotate

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// A range of at most wholeBytes is shown whole, a longer one by its first headBytes and last tailBytes.
const (
	wholeBytes = 16
	headBytes  = 8
	tailBytes  = 4
)

// Writer prints annotated ranges. The first error stays: all later calls do nothing and Close returns it. One
// goroutine at a time may use it.
type Writer struct {
	w     *bufio.Writer
	r     io.ReaderAt
	size  int64
	depth int
	seen  cover
	err   error
	buf   [wholeBytes]byte
	line  []byte
}

// New returns a Writer that prints to w the bytes of r, of which there are size. It buffers: nothing is complete
// before Close.
func New(w io.Writer, r io.ReaderAt, size int64) *Writer {
	return &Writer{w: bufio.NewWriter(w), r: r, size: size}
}

// Section prints a title; what follows, up to End, is nested in it.
func (a *Writer) Section(format string, args ...any) {
	a.open()
	a.text(format, args...)
	a.flush()
	a.depth++
}

// End ends the innermost section.
func (a *Writer) End() {
	if a.depth == 0 {
		a.fail(errs.Errorf(errs.ErrInternal, "annotate: End without a Section"))
		return
	}
	a.depth--
}

// Range prints n bytes at off and what they mean. Files may lie, so a range need not be within the file, nor be one at
// all: the line says so.
func (a *Writer) Range(off, n int64, format string, args ...any) {
	legal := off >= 0 && n >= 0 && off <= math.MaxInt64-n
	there := int64(0) // how many of the bytes exist
	a.open()
	if legal {
		there = min(n, max(a.size-off, 0))
		a.bytes(off, n, there)
	} else {
		a.line = fmt.Appendf(a.line, "%d, %d bytes: x", off, n)
	}
	a.line = append(a.line, "  # "...)
	a.text(format, args...)
	if !legal {
		a.line = append(a.line, " ! not a range"...)
	}
	if a.seen.add(off, off+there) {
		a.line = append(a.line, " ! overlaps an earlier range"...)
	}
	if legal && there < n {
		a.line = fmt.Appendf(a.line, " ! the file ends at %d", a.size)
	}
	a.flush()
}

// Note prints a line that has no bytes of its own.
func (a *Writer) Note(format string, args ...any) {
	a.open()
	a.line = append(a.line, "# "...)
	a.text(format, args...)
	a.flush()
}

// Close prints what no range covered, completes the output, and returns the first error.
func (a *Writer) Close() error {
	if a.depth != 0 {
		a.fail(errs.Errorf(errs.ErrInternal, "annotate: %d sections without End", a.depth))
		a.depth = 0
	}
	titled := false
	for from, to := range a.seen.gaps(a.size) {
		if !titled {
			a.Section("not explained")
			titled = true
		}
		a.open()
		a.bytes(from, to-from, to-from)
		a.flush()
	}
	if titled {
		a.End()
	}
	if err := a.w.Flush(); a.err == nil {
		a.err = err
	}
	return a.err
}

func (a *Writer) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// open starts a line.
func (a *Writer) open() {
	a.line = a.line[:0]
	for range a.depth {
		a.line = append(a.line, "  "...)
	}
}

// flush ends a line.
func (a *Writer) flush() {
	if a.err != nil {
		return
	}
	a.line = append(a.line, '\n')
	if _, err := a.w.Write(a.line); err != nil {
		a.fail(err)
	}
}

// bytes appends a range of n bytes, and those of them that are there.
func (a *Writer) bytes(off, n, there int64) {
	a.line = strconv.AppendInt(a.line, off, 10)
	a.line = append(a.line, '-')
	a.line = strconv.AppendInt(a.line, off+n, 10)
	a.line = append(a.line, ": x"...)
	if there <= wholeBytes {
		a.hex(off, int(there))
		return
	}
	a.hex(off, headBytes)
	a.line = append(a.line, " …"...)
	a.hex(off+there-tailBytes, tailBytes)
	a.line = append(a.line, " ("...)
	a.line = strconv.AppendInt(a.line, there, 10)
	a.line = append(a.line, " bytes)"...)
}

// hex appends n bytes of the file at off, n <= wholeBytes.
func (a *Writer) hex(off int64, n int) {
	if a.err != nil {
		return
	}
	b := a.buf[:n]
	if m, err := a.r.ReadAt(b, off); m < n {
		a.fail(fmt.Errorf("annotate: reading %d bytes at %d: %w", n, off, err))
		return
	}
	for _, x := range b {
		a.line = append(a.line, ' ', hexDigits[x>>4], hexDigits[x&15])
	}
}

const hexDigits = "0123456789abcdef"

// text appends what a caller has to say on one line. Parts of it come from the file, so whatever a terminal would not
// print as it stands is escaped.
func (a *Writer) text(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if strings.IndexFunc(s, unprintable) < 0 && utf8.ValidString(s) {
		a.line = append(a.line, s...)
		return
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			a.line = append(a.line, '\\', 'x', hexDigits[s[0]>>4], hexDigits[s[0]&15])
		case unprintable(r):
			q := strconv.QuoteRune(r)
			a.line = append(a.line, q[1:len(q)-1]...)
		default:
			a.line = append(a.line, s[:n]...)
		}
		s = s[n:]
	}
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }
