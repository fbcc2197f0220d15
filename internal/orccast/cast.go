package orccast

import (
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// family is a group of types that convert in one way.
type family uint8

const (
	other family = iota
	boolean
	integer
	floating
	decimal
	text
	bytes
	date
	instant // timestamps, with a zone or without: both count from 1970 in UTC
)

// column is what a field is to ORC.
type column struct {
	family
	typ    arrow.DataType
	limit  int  // characters of char and varchar; 0 = none
	padded bool // char
}

func columnOf(f arrow.Field) column {
	c := column{typ: f.Type}
	name, _ := f.Metadata.GetValue(orcwire.MetaType)
	switch f.Type.ID() {
	case arrow.BOOL:
		c.family = boolean
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		c.family = integer
	case arrow.FLOAT32, arrow.FLOAT64:
		c.family = floating
	case arrow.DECIMAL128:
		c.family = decimal
	case arrow.DATE32:
		c.family = date
	case arrow.TIMESTAMP:
		c.family = instant
	case arrow.STRING:
		c.family = text
	case arrow.BINARY:
		switch {
		case name == "":
			c.family = bytes
		case name == "string" || strings.HasPrefix(name, "char(") || strings.HasPrefix(name, "varchar("):
			c.family = text
		}
	}
	if c.family == text {
		word, rest, _ := strings.Cut(name, "(")
		if n, err := strconv.Atoi(strings.TrimSuffix(rest, ")")); err == nil && (word == "char" || word == "varchar") {
			c.limit, c.padded = n, word == "char"
		}
	}
	return c
}

// shortens reports whether text of c may have to change to be text of `to`.
func (c column) shortens(to column) bool {
	return to.limit > 0 && (c.limit == 0 || c.limit > to.limit || to.padded && !c.padded)
}

// java is the view.Cast of orc-core: see its ConvertTreeReaderFactory. Where it converts nothing, or only widens, it is
// nil. Values that have no place in a timestamp's unit are errs.ErrSchema, as they are in a file.
func java(from, to arrow.Field, c arrowio.Calendar) view.Casting {
	f, t := columnOf(from), columnOf(to)
	if f.family == other || t.family == other || arrow.TypeEqual(f.typ, t.typ) && !(f.family == text && f.shortens(t)) {
		return nil
	}
	make := kernel(f, t, c)
	if make == nil {
		return nil
	}
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		in := &input{d: d, n: d.Len(), mem: mem}
		out, err := make(in)
		if err != nil {
			in.release()
			return nil, err
		}
		return in.finish(t.typ, out), nil
	}
}

// Exact is the view.Cast of reading under a schema without conversions: text that is longer than its new type has room
// for is errs.ErrSchema.
func Exact(from, to arrow.Field) view.Casting {
	f, t := columnOf(from), columnOf(to)
	if f.family != text || t.family != text || !arrow.TypeEqual(f.typ, t.typ) || !f.shortens(t) {
		return nil
	}
	return func(d arrow.ArrayData, _ memory.Allocator) (arrow.ArrayData, error) {
		in := &input{d: d, n: d.Len()}
		s := in.texts()
		for i := range in.n {
			b := s.at(i)
			if short := t.cut(b); len(trimmed(b, t.padded)) != len(short) && in.valid(i) {
				return nil, errs.Errorf(errs.ErrSchema, "row %d of a batch has more than %d characters", i, t.limit)
			}
		}
		d.Retain()
		return d, nil
	}
}

// kernel returns what converts the values of f, of a file of calendar c, to those of t; nil = nothing does.
func kernel(f, t column, c arrowio.Calendar) func(in *input) (output, error) {
	switch t.family {
	case boolean:
		if ints := intsOf(f, true); ints != nil {
			return func(in *input) (output, error) { return packed(in, ints(in)), nil }
		}
	case integer:
		if f.family == integer && f.typ.(arrow.FixedWidthDataType).BitWidth() < t.typ.(arrow.FixedWidthDataType).BitWidth() {
			return nil // widened
		}
		if ints := intsOf(f, false); ints != nil {
			return narrowing(t.typ, ints)
		}
	case floating:
		if f.family == floating && t.typ.ID() == arrow.FLOAT64 {
			return nil // widened
		}
		if doubles := doublesOf(f); doubles != nil {
			if t.typ.ID() == arrow.FLOAT32 {
				return func(in *input) (output, error) { return rounded(in, doubles(in)), nil }
			}
			return func(in *input) (output, error) { return fixed(in, doubles(in)), nil }
		}
	case decimal:
		return decimalKernel(f, t)
	case text:
		return textKernel(f, t)
	case bytes:
		if f.family == text {
			return binaryKernel(f)
		}
	case date:
		return dateKernel(f)
	case instant:
		return timeKernel(f, t, c)
	}
	return nil
}
