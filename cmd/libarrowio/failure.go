package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// inFile is an error with the file that it is about.
type inFile struct {
	file string
	err  error
}

func (e *inFile) Error() string {
	if text := e.err.Error(); strings.HasPrefix(text, e.file+": ") {
		return text
	}
	return e.file + ": " + e.err.Error()
}

func (e *inFile) Unwrap() error { return e.err }

// about returns err with its file, unless it names one.
func about(file string, err error) error {
	var f *inFile
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &inFile{file, err}
}

// failure is an error as other languages see it.
type failure struct {
	Kind    string `json:"kind"` // an errs.Kind's name, or system, cancelled, closed
	File    string `json:"file,omitempty"`
	Format  string `json:"format,omitempty"`
	Column  string `json:"column,omitempty"`
	Split   *int   `json:"split"`  // null = none
	Offset  *int64 `json:"offset"` // null = unknown
	Errno   int    `json:"errno,omitempty"`
	Message string `json:"message"`
}

// errClosed is of handles that were closed.
var errClosed = errors.New("it is closed")

func describe(err error) failure {
	f := failure{Kind: "system", Message: err.Error()}
	var in *inFile
	if errors.As(err, &in) {
		f.File = in.file
		f.Message = strings.TrimPrefix(f.Message, in.file+": ")
	}
	var ae *errs.Error
	var parse *expr.ParseError
	var no syscall.Errno
	switch {
	case errors.Is(err, context.Canceled):
		f.Kind = "cancelled"
	case errors.Is(err, errClosed):
		f.Kind = "closed"
	case errors.As(err, &ae):
		f.Kind, f.Format, f.Column = ae.Kind.Error(), ae.Format, ae.Column
		if ae.Split >= 0 {
			f.Split = &ae.Split
		}
		if ae.Off >= 0 {
			f.Offset = &ae.Off
		}
	case errors.As(err, &parse):
		f.Kind, f.Message = errs.ErrOption.Error(), fmt.Sprintf("where: %s", f.Message)
	case errors.As(err, &no):
		f.Errno = int(no)
	case errors.Is(err, fs.ErrNotExist):
		f.Errno = int(syscall.ENOENT)
	case errors.Is(err, fs.ErrPermission):
		f.Errno = int(syscall.EACCES)
	case errors.Is(err, fs.ErrExist):
		f.Errno = int(syscall.EEXIST)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		if f.File == "" {
			f.File = pe.Path
		}
		if pe.Path == f.File {
			f.Message = strings.Replace(f.Message, pe.Error(), pe.Err.Error(), 1)
		}
	}
	return f
}
