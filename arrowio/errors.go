package arrowio

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says what went wrong with the data, apart from where. It implements error, so each kind is its own
// sentinel: errors.Is(err, arrowio.ErrCorrupt).
type Kind uint8

// Kinds. I/O errors and context errors pass through wrapped, without a Kind: they say nothing about the file.
const (
	ErrCorrupt     Kind = iota + 1 // the bytes contradict the format
	ErrUnsupported                 // legal, but not implemented here
	ErrLimit                       // legal, but larger than Limits allow; the text names the limit to raise
	ErrSchema                      // request or target does not fit the schema
	ErrOption                      // an option that does not exist or a value that it does not take
	ErrInternal                    // a bug in this module; carries a stack
)

var kindNames = [...]string{"", "corrupt", "unsupported", "limit", "schema", "option", "internal"}

// Error returns the kind's name.
func (k Kind) Error() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Error is what every reader and writer returns for trouble with data: what kind, and where.
// Wire packages fill in what they know; callers that know more add it with Locate.
type Error struct {
	Kind   Kind
	Format string // "orc"
	Op     string // the structure being read: "stripe footer", "block 3"
	Column string // dotted path, "" = none
	Split  int    // ordinal of the split, stripe or row group, -1 = none
	Off    int64  // absolute file offset, -1 = unknown
	Err    error  // the innermost fact
}

// Errorf makes an Error of a kind with no place yet; Locate adds it. The format is as for fmt.Errorf, %w included.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Split: -1, Off: -1, Err: fmt.Errorf(format, args...)}
}

// Error renders "orc: stripe 3: column a.b: DATA at 4182: rle v2: width 61 is not legal".
func (e *Error) Error() string {
	var b strings.Builder
	part := func(s string) {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(s)
	}
	if e.Format != "" {
		part(e.Format)
	}
	if e.Split >= 0 {
		part(fmt.Sprintf("split %d", e.Split))
	}
	if e.Column != "" {
		part("column " + e.Column)
	}
	switch {
	case e.Op != "" && e.Off >= 0:
		part(fmt.Sprintf("%s at %d", e.Op, e.Off))
	case e.Op != "":
		part(e.Op)
	case e.Off >= 0:
		part(fmt.Sprintf("at %d", e.Off))
	}
	if e.Err != nil {
		part(e.Err.Error())
	} else {
		part(e.Kind.Error())
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// At is a place to add to an error. Zero strings, and negative numbers, add nothing.
type At struct {
	Format, Op, Column string
	Split              int
	Off                int64
}

// Locate returns err with the parts of a that it did not have yet. Errors that carry no *Error are wrapped with
// fmt.Errorf so that I/O and context errors keep saying what they are.
func Locate(err error, a At) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		where := (&Error{Format: a.Format, Op: a.Op, Column: a.Column, Split: a.Split, Off: a.Off, Err: err}).Error()
		return fmt.Errorf("%s%w", strings.TrimSuffix(where, err.Error()), err)
	}
	c := *e
	if c.Format == "" {
		c.Format = a.Format
	}
	if c.Op == "" {
		c.Op = a.Op
	}
	if c.Column == "" {
		c.Column = a.Column
	}
	if c.Split < 0 {
		c.Split = a.Split
	}
	if c.Off < 0 {
		c.Off = a.Off
	}
	return &c
}
