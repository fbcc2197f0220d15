package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/pathjson"
)

// about returns err with its file, unless it names one.
func about(file string, err error) error { return errs.Locate(err, errs.At{File: file}) }

// failure is an error as other languages see it.
type failure struct {
	Kind    string        `json:"kind"` // an errs.Kind's name, or system, cancelled, closed, memory
	File    pathjson.Path `json:"file,omitempty"`
	Format  string        `json:"format,omitempty"`
	Column  string        `json:"column,omitempty"`
	Split   errs.Number   `json:"split"`  // null = none
	Offset  errs.Number   `json:"offset"` // null = unknown
	Errno   int           `json:"errno,omitempty"`
	Message string        `json:"message"`

	Question uint64 `json:"question,omitempty"` // that a place of the caller could not answer
}

// errClosed is of handles that were closed.
var errClosed = errors.New("it is closed")

func describe(err error) failure {
	var pe *fs.PathError
	if at, _ := errs.Where(err); at.File == "" && errors.As(err, &pe) {
		err = about(pe.Path, err)
	}
	at, text := errs.Where(err)
	f := failure{Kind: "system", File: pathjson.Path(at.File), Format: at.Format, Column: at.Column, Split: at.Split, Offset: at.Off, Message: text}
	var ae *errs.Error
	var parse *expr.ParseError
	var misfit *expr.BindError
	var no syscall.Errno
	var asked *callerError
	if errors.As(err, &asked) {
		f.Question = asked.question
	}
	switch {
	case errors.Is(err, context.Canceled):
		f.Kind = "cancelled"
	case errors.Is(err, errClosed):
		f.Kind = "closed"
	case errors.Is(err, arrowc.ErrNoMemory):
		f.Kind, f.Message = "memory", arrowc.ErrNoMemory.Error()
	case errors.As(err, &ae):
		f.Kind = ae.Kind.Error()
	case errors.As(err, &parse):
		f.Kind, f.Message = errs.ErrOption.Error(), fmt.Sprintf("where: %s", f.Message)
	case errors.As(err, &misfit):
		f.Kind, f.Message = errs.ErrSchema.Error(), fmt.Sprintf("where: %s", f.Message)
	case errors.As(err, &no):
		f.Errno = arrowc.Errno(no)
	case errors.Is(err, syscall.EISDIR): // an output that would replace a directory
		f.Errno = arrowc.Errno(syscall.EISDIR)
	case errors.Is(err, syscall.ENOTDIR):
		f.Errno = 20 // C's ENOTDIR everywhere; Windows has the same number for a path that is missing
	case errors.Is(err, fs.ErrNotExist):
		f.Errno = arrowc.Errno(syscall.ENOENT)
	case errors.Is(err, fs.ErrPermission):
		f.Errno = arrowc.Errno(syscall.EACCES)
	case errors.Is(err, fs.ErrExist):
		f.Errno = arrowc.Errno(syscall.EEXIST)
	}
	f.Message = errs.Respell(f.Message, errs.OptionsOf(err), keyword)
	return f
}
