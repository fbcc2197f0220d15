package main

import (
	"errors"
	"io"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// standardOutput is standard output. Its errors say so, to tell them apart from errors of the file that is read at the same
// time. It keeps the first error, for callers that do not check errors of printing.
type standardOutput struct {
	io.Writer
	err error
}

func (o *standardOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err == nil {
		return n, nil
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	err = errs.Locate(err, errs.At{File: "standard output"})
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// bare returns the underlying writer, which may be a terminal.
func bare(w io.Writer) io.Writer {
	if o, ok := w.(*standardOutput); ok {
		return o.Writer
	}
	return w
}
