package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// What a store may say beyond fs.ErrNotExist, fs.ErrPermission and fs.ErrExist.
var (
	// ErrChanged says that a file is not the one any more that was opened: what was read of it must not be mixed with what
	// is there now.
	ErrChanged = errors.New("it was replaced or changed while it was read")
	// ErrUnavailable says that a store did not do what was asked, though it was asked several times.
	ErrUnavailable = errors.New("the store does not answer")
	// ErrIsDirectory says that bytes were asked for where a directory is.
	ErrIsDirectory = errors.New("is a directory, not a file")
)

// Failure is why a request to a store failed. It comes within an *fs.PathError that names the file.
type Failure struct {
	Is       error // one of this package's errors or of fs; nil = none of them
	Off      int64 // where in the file; -1 = nowhere
	Attempts int   // 0 or 1 = it was not tried again
	Err      error // what the store said; nil = Is tells all
}

func (f *Failure) Error() string {
	s := ""
	if f.Off >= 0 {
		s = fmt.Sprintf("at %d: ", f.Off)
	}
	if f.Attempts > 1 {
		s += fmt.Sprintf("given up after %d attempts: ", f.Attempts)
	}
	switch {
	case f.Err == nil:
		return s + f.Is.Error()
	case f.Is == nil, errors.Is(f.Err, f.Is), errors.Is(f.Is, ErrUnavailable):
		return s + f.Err.Error()
	}
	return s + f.Is.Error() + ": " + f.Err.Error()
}

// Unwrap gives errors.Is and errors.As both.
func (f *Failure) Unwrap() []error {
	var out []error
	for _, err := range []error{f.Is, f.Err} {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// Offset returns where in the file it happened, -1 = nowhere.
func (f *Failure) Offset() int64 { return f.Off }

// Wrap makes f, which is about the file at path, an error. Errors of a context are not dressed up.
func Wrap(op, path string, f *Failure) error {
	if f.Is == nil && (errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded)) {
		return f.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: f}
}
