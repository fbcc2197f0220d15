package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/readers"
)

// Exit codes, the same for every command.
const (
	exitOK          = 0
	exitData        = 1   // corrupt, unsupported, over a limit, not fitting the target; faults found by verify; our own bugs
	exitUsage       = 2   // the command line: flags, columns, filters, options, an OUTPUT that exists
	exitSystem      = 3   // not found, no permission, disk full, a server that cannot be reached, a closed pipe
	exitLost        = 4   // done, and losses were reported, by --salvage or because no replica of a Kudu tablet is whole
	exitDifferent   = 5   // diff: both could be read, and they differ
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP, as a shell reports the first
)

// errInterrupted is the cause of a context that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// errDifferent says that the inputs of diff differ, which was printed.
var errDifferent = errors.New("the inputs differ")

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// asUsage makes err an error of the command line.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// printedError is an error that was printed already; it only sets the exit code.
type printedError struct{ err error }

func (e *printedError) Error() string { return e.err.Error() }
func (e *printedError) Unwrap() error { return e.err }

// inFile adds the name of the file to err, unless err names one.
func inFile(file string, err error) error { return errs.Locate(err, errs.At{File: file}) }

// failure is an error as the user sees it; its JSON is what --json-errors prints.
type failure struct {
	Kind    string      `json:"kind"` // an errs.Kind's name, or usage, system, interrupted
	File    string      `json:"file"`
	Format  string      `json:"format"`
	Column  string      `json:"column"`
	Split   errs.Number `json:"split"`  // null = none
	Offset  errs.Number `json:"offset"` // null = unknown
	Message string      `json:"message"`
	code    int         // the exit code it asks for
	stack   bool        // all lines of Message but the first are a stack
	silent  bool        // it is not printed
}

// describe returns err as a failure with its exit code. If ctx was cancelled, the failure is the interruption.
func describe(ctx context.Context, err error) failure {
	f := failure{Kind: "system", code: exitSystem}
	var pe *fs.PathError
	if at, _ := errs.Where(err); at.File == "" && errors.As(err, &pe) {
		err = inFile(pe.Path, err)
	}
	at, text := errs.Where(err)
	f.File, f.Format, f.Column, f.Split, f.Offset, f.Message = at.File, at.Format, at.Column, at.Split, at.Off, text

	var ue *usageError
	var misfit *expr.BindError // filters and addresses are always the command line's
	var address *net.AddrError
	var ae *errs.Error
	isArrowio := errors.As(err, &ae)
	var placed interface{ Offset() int64 } // trouble of a store
	if !isArrowio && errors.As(err, &placed) && placed.Offset() >= 0 {
		f.Offset = errs.N(placed.Offset())
	}
	switch {
	case ctx.Err() != nil && (errors.Is(context.Cause(ctx), errInterrupted) || errors.Is(err, context.Canceled)):
		// Whatever a cancelled run stumbled over on its way out, the reason is the cancellation.
		return failure{Kind: "interrupted", Message: errInterrupted.Error(), code: exitInterrupted}
	case errors.Is(err, errDifferent):
		f.Kind, f.code, f.silent = "different", exitDifferent, true
	case errors.As(err, &ue), errors.As(err, &misfit), !isArrowio && errors.As(err, &address):
		f.Kind, f.code = "usage", exitUsage
	case isArrowio:
		f.Kind, f.code = ae.Kind.Error(), exitData
		f.stack = ae.Kind == errs.ErrInternal
		if ae.Kind == errs.ErrOption {
			f.code = exitUsage
		}
	case errors.Is(err, fs.ErrExist):
		f.Kind, f.code = "usage", exitUsage
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		f.silent = true
	}
	var wider *view.WiderError
	if errors.As(err, &wider) && readers.CastJava(arrowio.ProlepticCalendar)(wider.From, wider.To) != nil {
		f.Message += "; --cast=java converts the values, and those that do not fit become null"
	}
	var printed *printedError
	f.silent = f.silent || errors.As(err, &printed)
	return f
}

// String is the one line for people. The stack of a bug is not for the line; the object has it.
func (f failure) String() string {
	line := "arrowio: "
	if f.File != "" {
		line += f.File + ": "
	}
	text := f.Message
	if f.stack {
		text, _, _ = strings.Cut(text, "\n")
	}
	return printable(line + text)
}

// print writes f to w as a line, on a terminal as many as it needs, or as an object.
func (f failure) print(w sheet, asJSON bool) {
	if !asJSON {
		w.line("", "  ", f.String())
		return
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(f) // standard error is the last resort: nowhere to report to
}

// printable returns text without line breaks and control characters: names and values in it come from files.
func printable(s string) string { return celltext.Printable(s) }
