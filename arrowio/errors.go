package arrowio

import "github.com/arrowio/arrowio/arrowio/errs"

// The errors of package errs, under which every reader and writer reports trouble with data.
type (
	// Error says what kind of trouble there is, and where: file, format, column, split, offset.
	Error = errs.Error
	// Kind says what went wrong with the data, apart from where: errors.Is(err, arrowio.ErrCorrupt).
	Kind = errs.Kind
	// At is a place to add to an error. Each zero field adds nothing.
	At = errs.At
	// Limits bounds what a file may make a reader do. The zero value of each field means its default.
	Limits = errs.Limits
)

// Kinds of errors. I/O errors and context errors have none: they say nothing about the data.
const (
	ErrCorrupt     = errs.ErrCorrupt     // the bytes contradict the format
	ErrUnsupported = errs.ErrUnsupported // legal, but not implemented here
	ErrLimit       = errs.ErrLimit       // legal, but larger than Limits allow; the text names the limit to raise
	ErrSchema      = errs.ErrSchema      // request or target does not fit the schema
	ErrOption      = errs.ErrOption      // an option that does not exist or a value that it does not take
	ErrInternal    = errs.ErrInternal    // a bug in this module; carries a stack
)

// Errorf makes an Error of a kind with no place yet; Locate adds it. The format is as for fmt.Errorf, %w included.
func Errorf(k Kind, format string, args ...any) *Error { return errs.Errorf(k, format, args...) }

// Locate returns err with the parts of a that it did not have yet.
func Locate(err error, a At) error { return errs.Locate(err, a) }
