package errs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of an Error. It implements error, so that errors.Is(err, errs.ErrCorrupt) tests for a kind.
type Kind uint8

// The kinds. I/O errors and context errors have no kind, since they say nothing about the data.
const (
	ErrCorrupt     Kind = iota + 1 // the bytes contradict the format
	ErrUnsupported                 // legal, but not implemented here
	ErrLimit                       // legal, but larger than the Limits; the text names the limit to raise
	ErrSchema                      // the request, or the output format, does not fit the schema
	ErrOption                      // an option that does not exist, or a value that is not allowed
	ErrInternal                    // a bug in this module; carries a stack
)

// Causes of ErrSchema errors that a program can handle: errors.Is finds them. Their texts are parts of the error's text.
var (
	ErrBeyondNanoseconds = errors.New("does not fit timestamp[ns]")
	ErrFinerThanMicros   = errors.New("is no whole number of microseconds")
	ErrSameName          = errors.New("is the name of several fields")
)

var kindNames = [...]string{"", "corrupt", "unsupported", "limit", "schema", "option", "internal"}

// Error returns the kind's name.
func (k Kind) Error() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Error says what is wrong with data, and where. The code that finds the error fills in the part of the place that it knows;
// callers add the rest with Locate.
type Error struct {
	Kind   Kind
	File   string // path, URL or name of the file, "" = not known
	Format string // "orc"
	Op     string // the structure being read: "stripe footer", "block 3"
	Column string // dotted path, "" = none
	Split  int    // ordinal of the split, stripe or row group, -1 = none
	Off    int64  // absolute file offset, -1 = unknown
	Err    error  // the cause

	said At // what the text of Err says of the place already
}

// Errorf returns an Error of a kind, without a place; Locate adds the place. The format is that of fmt.Errorf, including %w.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Split: -1, Off: -1, Err: fmt.Errorf(format, args...)}
}

// Error renders "data.orc: orc: split 3: column a.b: DATA at 4182: rle v2: width 61 is not legal".
func (e *Error) Error() string {
	if e.File == "" || e.said.File != "" {
		return e.local()
	}
	return e.File + ": " + e.local()
}

// local is the text without the name of the file.
func (e *Error) local() string {
	var b strings.Builder
	part := func(s string) {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(s)
	}
	at := e.place().without(e.said)
	if at.Format != "" {
		part(at.Format)
	}
	if at.Split > 0 {
		part(fmt.Sprintf("split %d", at.Split-1))
	}
	if at.Column != "" {
		part("column " + at.Column)
	}
	switch {
	case at.Op != "" && at.Off > 0:
		part(fmt.Sprintf("%s at %d", at.Op, at.Off-1))
	case at.Op != "":
		part(at.Op)
	case at.Off > 0:
		part(fmt.Sprintf("at %d", at.Off-1))
	}
	if e.Err != nil {
		part(e.Err.Error())
	} else {
		part(e.Kind.Error())
	}
	return b.String()
}

// Unwrap returns the kind and the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// At is a place to add to an error. Each zero field adds nothing.
type At struct {
	File, Format, Op, Column string
	Split, Off               Number
}

// Number is a number that may be missing; the zero value is missing. N makes one. Its JSON is the number, or null if it is
// missing.
type Number int64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if n <= 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(n)-1, 10), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	if *n = 0; string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	*n = N(v)
	return err
}

// N returns n as a Number. A negative n is missing.
func N[T int | int64](n T) Number { return Number(max(n, -1)) + 1 }

// Locate returns err with those parts of a that it does not have yet. If err wraps no *Error, such as an I/O or context error,
// the place is put in front of its text, and it has no Kind. errors.Is and errors.As still find the original error.
func Locate(err error, a At) error {
	if err == nil {
		return nil
	}
	had, _ := Where(err)
	if had.File != "" {
		a.File = "" // of all errors that one wraps, only one names the file
	}
	switch x := err.(type) { //nolint:errorlint // what wraps an *Error stays around it
	case *Error:
		return x.at(a)
	case *placed:
		return &placed{x.e.at(a)}
	}
	if a.without(had) == (At{}) {
		return err
	}
	e := &Error{Split: -1, Off: -1, Err: err, said: had}
	if errors.As(err, &e.Kind) {
		return e.at(had.and(a))
	}
	return &placed{e.at(had.and(a))}
}

// at returns e with the parts of a that it did not have yet.
func (e *Error) at(a At) *Error {
	c := *e
	had := c.place().and(a)
	c.File, c.Format, c.Op, c.Column = had.File, had.Format, had.Op, had.Column
	c.Split, c.Off = int(had.Split-1), int64(had.Off-1)
	return &c
}

func (e *Error) place() At {
	return At{File: e.File, Format: e.Format, Op: e.Op, Column: e.Column, Split: N(e.Split), Off: N(e.Off)}
}

// and returns a with those parts of b that it lacks.
func (a At) and(b At) At {
	return At{
		cmp.Or(a.File, b.File), cmp.Or(a.Format, b.Format), cmp.Or(a.Op, b.Op), cmp.Or(a.Column, b.Column),
		cmp.Or(a.Split, b.Split), cmp.Or(a.Off, b.Off),
	}
}

// without returns the parts of a that b lacks.
func (a At) without(b At) At {
	return At{
		lacking(a.File, b.File), lacking(a.Format, b.Format), lacking(a.Op, b.Op), lacking(a.Column, b.Column),
		lacking(a.Split, b.Split), lacking(a.Off, b.Off),
	}
}

func lacking[T comparable](a, b T) (none T) {
	if b == none {
		return a
	}
	return none
}

// placed is an error without a Kind at a place.
type placed struct{ e *Error }

func (p *placed) Error() string { return p.e.Error() }
func (p *placed) Unwrap() error { return p.e.Err }

// Where returns the place of err, including the parts that the errors wrapped in it have, and the text of err without the name of
// the file. The place of an error that has none is the zero At.
func Where(err error) (a At, text string) {
	if err == nil {
		return At{}, ""
	}
	if all := parts(err); len(all) > 1 {
		return whereAll(all)
	}
	text = err.Error()
	for e := next(err); e != nil; e = next(e.Err) {
		a = a.and(e.place())
	}
	if a.File != "" {
		text = strings.TrimPrefix(text, a.File+": ")
	}
	return a, withoutFile(err, a.File, text)
}

// withoutFile returns the text of err without the name of the file where the operating system says it.
func withoutFile(err error, file, text string) string {
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Path == file {
		return strings.Replace(text, pe.Error(), pe.Err.Error(), 1)
	}
	return text
}

// parts returns the errors that errors.Join made one of, each at the place that the whole was given; err itself if it is one.
func parts(err error) []error {
	switch x := err.(type) { //nolint:errorlint // what wraps several is looked into, level by level
	case *Error:
		return partsAt(err, x.Err, func(p error) error { c := *x; c.Err = p; return &c })
	case *placed:
		return partsAt(err, x.e.Err, func(p error) error { return Locate(p, x.e.place()) })
	case interface{ Unwrap() []error }:
		if strings.Contains(err.Error(), "\n") { // else it is of fmt.Errorf, whose text says it all
			var out []error
			for _, e := range x.Unwrap() {
				out = append(out, parts(e)...)
			}
			return out
		}
	}
	return []error{err}
}

// partsAt returns the parts of what err wraps, each wrapped again; err itself if that is one.
func partsAt(err, wrapped error, again func(error) error) []error {
	inner := []error{}
	if wrapped != nil {
		inner = parts(wrapped)
	}
	if len(inner) < 2 {
		return []error{err}
	}
	for i, p := range inner {
		inner[i] = again(p)
	}
	return inner
}

// whereAll is Where for several errors: the place is that of the first, and what several say is said once.
func whereAll(all []error) (a At, text string) {
	var texts []string
	for i, e := range all {
		at, t := Where(e)
		if i == 0 {
			a = at
		} else if at.File != "" && at.File != a.File {
			t = at.File + ": " + t
		}
		t = withoutFile(e, a.File, t)
		if !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	return a, strings.Join(texts, "; ")
}

// next returns the first error with a place that err is or wraps; nil = there is none.
func next(err error) *Error {
	var e *Error
	var p *placed
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &p):
		return p.e
	}
	return nil
}
