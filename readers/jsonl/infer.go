package jsonl

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/floattext"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/jsontext"
)

var errColumns = errors.New("too many columns and members (Limits.Columns)")

// class is what values a place has shown.
type class uint8

const (
	classNull class = iota
	classBool
	classNumber
	classWord // a string that is how a float that is no number is written
	classString
	classArray
	classObject
)

var classNames = [...]string{"null", "a boolean", "a number", "a string", "a string", "an array", "an object"}

// shape is what the sample showed of one place: a column, a member, the elements of an array.
type shape struct {
	class class
	open  bool // its type is left open, and it is read as text

	// numbers
	fraction, negative bool
	large              number // beyond int64
	tooLarge           number // beyond uint64, too
	inexact            number // an integer that is none of float64's
	notFloat           number // one with a fraction or exponent that a float64 does not keep

	elem    *shape
	members []member
	index   map[string]int
	seen    int64 // object number that members are marked with, to find those that come twice
}

// number is the first of a kind that the sample showed; its zero value is none.
type number struct {
	line int64
	text string
	why  string // what is wrong with it, where that is not the same for all
}

// note takes the text of a number of the kind, unless there was one before.
func (n *number) note(text []byte, line int64) {
	if n.line == 0 {
		*n = number{line: line, text: shown(text)}
	}
}

func (n *number) seen() bool { return n.line > 0 }

// error says what is wrong with the number; the line is where it stands.
func (n *number) error(what string) error {
	return &inLine{n.line, fmt.Errorf("%s %s; %w reads columns as text", n.text, what, errs.Opt("jsonl-types", "text"))}
}

// inLine is an error about a line that was read before.
type inLine struct {
	line int64
	err  error
}

func (l *inLine) Error() string { return lineName(l.line) + ": " + l.err.Error() }
func (l *inLine) Unwrap() error { return l.err }

// shown is the text of a number in an error.
func shown(text []byte) string {
	const most = 60
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

type member struct {
	name  string
	shape *shape
	seen  int64
}

// inference collects shapes.
type inference struct {
	depth, columns int // limits
	fields         int
	lex            *jsontext.Lexer
	line           int64
	asText         bool
	leaves         func(column string) bool // whether the type of a column may be left open
}

// clash is an error about values that no type holds.
type clash struct{ error }

func (c *clash) Unwrap() error { return c.error }

// become takes a value of class c. Words are floats among numbers and alone, and text among other strings.
func (s *shape) become(c class) error {
	switch {
	case c == classWord && s.class == classNumber, c == classNumber && s.class == classWord:
		s.fraction, s.class = true, classNumber
		return nil
	case c == classWord && s.class == classString:
		return nil
	case c == classString && s.class == classWord:
		s.class = classString
		return nil
	}
	if s.class != classNull && s.class != c {
		return &clash{fmt.Errorf("%s, where earlier rows have %s; %w reads columns as text", classNames[c], classNames[s.class], errs.Opt("jsonl-types", "text"))}
	}
	s.class = c
	return nil
}

// see reads one value.
func (in *inference) see(s *shape, depth int) error {
	t, err := in.lex.Next()
	if err != nil {
		return err
	}
	if depth > in.depth {
		return jsontext.ErrDepth
	}
	switch t {
	case jsontext.True, jsontext.False:
		return s.become(classBool)
	case jsontext.String:
		text, err := in.lex.Text()
		if err != nil {
			return err
		}
		if _, word := jsontext.NotNumbers[string(text)]; word {
			return s.become(classWord)
		}
		return s.become(classString)
	case jsontext.Number:
		text, integer, err := in.lex.Number()
		if err != nil {
			return err
		}
		s.number(text, integer, in.line)
		return s.become(classNumber)
	case jsontext.Array:
		if err := s.become(classArray); err != nil {
			return err
		}
		if s.elem == nil {
			s.elem = &shape{}
		}
		return in.lex.Elements(func() error { return in.see(s.elem, depth+1) })
	case jsontext.Object:
		if err := s.become(classObject); err != nil {
			return err
		}
		return in.object(s, depth)
	}
	return nil
}

// object reads the members of an object whose brace was read.
func (in *inference) object(s *shape, depth int) error {
	s.seen++
	return in.lex.Members(func(name []byte) error {
		i, ok := s.index[string(name)]
		if !ok {
			if in.fields++; in.fields > in.columns {
				return errColumns
			}
			if s.index == nil {
				s.index = map[string]int{}
			}
			i = len(s.members)
			s.members = append(s.members, member{name: string(name), shape: &shape{}})
			s.index[s.members[i].name] = i
		}
		m := &s.members[i]
		if m.seen == s.seen {
			return twice(m.name)
		}
		m.seen = s.seen
		if in.asText || m.shape.open {
			m.shape.class = classString
			return in.lex.Skip(in.depth - depth)
		}
		start := in.lex.Pos
		err := in.see(m.shape, depth+1)
		if c := (*clash)(nil); errors.As(err, &c) && depth == 0 && in.leaves(m.name) {
			m.shape, in.lex.Pos = &shape{class: classString, open: true}, start
			return in.lex.Skip(in.depth - depth)
		}
		if err != nil {
			return inside(m.name, err)
		}
		return nil
	})
}

func twice(name string) error { return fmt.Errorf("%q comes twice in one object", name) }

// number notes what it takes to hold a number.
func (s *shape) number(text []byte, integer bool, line int64) {
	if !integer {
		s.fraction = true
		if _, kept := floattext.Parse(text); !kept && !s.notFloat.seen() {
			s.notFloat.note(text, line)
			s.notFloat.why = whyNotFloat(string(text))
		}
		return
	}
	if string(text) == "-0" {
		s.fraction = true // only floats have it
		return
	}
	s.negative = s.negative || text[0] == '-'
	if _, err := strconv.ParseInt(string(text), 10, 64); err != nil {
		s.large.note(text, line)
		if _, err := strconv.ParseUint(string(text), 10, 64); err != nil {
			s.tooLarge.note(text, line)
		}
	}
	if _, ok := exactFloat(text); !ok {
		s.inexact.note(text, line)
	}
}

// whyNotFloat says why a float64 does not keep a number with a fraction or an exponent.
func whyNotFloat(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err != nil || v == 0 {
		return "is beyond the range of float64"
	}
	return "has more digits than a float64 keeps"
}

// exactFloat returns an integer as a float64 if that holds it exactly.
func exactFloat(text []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, false
	}
	if math.Abs(f) < 1<<53 {
		return f, true
	}
	return f, strconv.FormatFloat(f, 'f', 0, 64) == string(text)
}

// field returns the field of a place, of the narrowest type of its shape, or why there is none. It is marked with all types
// that hold what was seen.
func (s *shape) field(name string) (arrow.Field, error) {
	f := arrow.Field{Name: name, Nullable: true}
	var possible inferred.Types
	switch s.class {
	case classNull:
		f.Type, possible = arrow.Null, inferred.Any
	case classBool:
		f.Type, possible = arrow.FixedWidthTypes.Boolean, inferred.Bool
	case classNumber:
		var err error
		if f.Type, err = s.numberType(); err != nil {
			return f, err
		}
		possible = s.numberTypes()
	case classWord:
		f.Type, possible = arrow.PrimitiveTypes.Float64, inferred.Float64|inferred.Text
	case classString:
		f.Type, possible = arrow.BinaryTypes.String, inferred.Text
	case classArray:
		elem, err := s.elem.field("item")
		if err != nil {
			return f, inside("item", err)
		}
		f.Type = arrow.ListOfField(elem)
		return f, nil
	case classObject:
		fields, err := s.fields()
		f.Type = arrow.StructOf(fields...)
		return f, err
	}
	return inferred.Mark(f, possible), nil
}

func (s *shape) numberType() (arrow.DataType, error) {
	switch {
	case s.notFloat.seen():
		return nil, s.notFloat.error(s.notFloat.why)
	case s.fraction && s.inexact.seen():
		return nil, s.inexact.error("is not exact as float64, and other values have fractions")
	case s.fraction:
		return arrow.PrimitiveTypes.Float64, nil
	case s.tooLarge.seen():
		return nil, s.tooLarge.error("is beyond the range of int64 and uint64")
	case s.large.seen() && s.negative:
		return nil, s.large.error("is beyond the range of int64, and other values are negative")
	case s.large.seen():
		return arrow.PrimitiveTypes.Uint64, nil
	}
	return arrow.PrimitiveTypes.Int64, nil
}

// numberTypes returns the types that hold all numbers seen.
func (s *shape) numberTypes() (t inferred.Types) {
	if !s.inexact.seen() {
		t |= inferred.Float64
	}
	if !s.fraction && !s.large.seen() {
		t |= inferred.Int64
	}
	if !s.fraction && !s.negative {
		t |= inferred.Uint64
	}
	return t
}

// fields returns the fields of the members, marked as field does it.
func (s *shape) fields() ([]arrow.Field, error) {
	fields := make([]arrow.Field, len(s.members))
	for i, m := range s.members {
		var err error
		if fields[i], err = m.shape.field(m.name); err != nil {
			return nil, inside(m.name, err)
		}
	}
	return fields, nil
}

// leaveOpen leaves the types of columns open for which there is none, where that may be.
func (s *shape) leaveOpen(leaves func(column string) bool) {
	for _, m := range s.members {
		if _, err := m.shape.field(m.name); err != nil && leaves(m.name) {
			*m.shape = shape{class: classString, open: true}
		}
	}
}

// placed is an error with the path of the place where it happened.
type placed struct {
	path string
	err  error
}

func (p *placed) Error() string { return p.path + ": " + p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

func inside(name string, err error) error {
	var p *placed
	if errors.As(err, &p) {
		return &placed{name + "." + p.path, p.err}
	}
	return &placed{name, err}
}
