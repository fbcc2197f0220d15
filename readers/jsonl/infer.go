package jsonl

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/floattext"
)

var (
	errDepth   = errors.New("values nested too deep (Limits.Depth)")
	errColumns = errors.New("too many columns and members (Limits.Columns)")
)

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

	// numbers
	fraction, negative, large, inexact, tooLarge, tooFine bool

	elem    *shape
	members []member
	index   map[string]int
	seen    int64 // object number that members are marked with, to find those that come twice
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
	lex            *lexer
	asText         bool
}

// notNumbers are the strings that stand for floats that JSON has no numbers for.
var notNumbers = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

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
		return fmt.Errorf("%s, where earlier rows have %s; --jsonl-types=text reads columns as text", classNames[c], classNames[s.class])
	}
	s.class = c
	return nil
}

// see reads one value.
func (in *inference) see(s *shape, depth int) error {
	t, err := in.lex.next()
	if err != nil {
		return err
	}
	if depth > in.depth {
		return errDepth
	}
	switch t {
	case tokenTrue, tokenFalse:
		return s.become(classBool)
	case tokenString:
		text, err := in.lex.string()
		if err != nil {
			return err
		}
		if _, word := notNumbers[string(text)]; word {
			return s.become(classWord)
		}
		return s.become(classString)
	case tokenNumber:
		text, integer, err := in.lex.number()
		if err != nil {
			return err
		}
		s.number(text, integer)
		return s.become(classNumber)
	case tokenArray:
		if err := s.become(classArray); err != nil {
			return err
		}
		if s.elem == nil {
			s.elem = &shape{}
		}
		return in.lex.elements(func() error { return in.see(s.elem, depth+1) })
	case tokenObject:
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
	return in.lex.members(func(name []byte) error {
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
		if in.asText {
			m.shape.class = classString
			return in.lex.skip(in.depth - depth)
		}
		if err := in.see(m.shape, depth+1); err != nil {
			return inside(m.name, err)
		}
		return nil
	})
}

func twice(name string) error { return fmt.Errorf("%q comes twice in one object", name) }

// number notes what it takes to hold a number.
func (s *shape) number(text []byte, integer bool) {
	if !integer {
		s.fraction = true
		if _, kept := floattext.Parse(text); !kept {
			s.tooFine = true
		}
		return
	}
	if string(text) == "-0" {
		s.fraction = true // only floats have it
		return
	}
	s.negative = s.negative || text[0] == '-'
	if _, err := strconv.ParseInt(string(text), 10, 64); err != nil {
		s.large = true
		if _, err := strconv.ParseUint(string(text), 10, 64); err != nil {
			s.tooLarge = true
		}
	}
	if _, ok := exactFloat(text); !ok {
		s.inexact = true
	}
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

// dataType returns the narrowest type of a shape, or why there is none.
func (s *shape) dataType() (arrow.DataType, error) {
	switch s.class {
	case classBool:
		return arrow.FixedWidthTypes.Boolean, nil
	case classNumber:
		return s.numberType()
	case classWord:
		return arrow.PrimitiveTypes.Float64, nil
	case classString:
		return arrow.BinaryTypes.String, nil
	case classArray:
		t, err := s.elem.dataType()
		if err != nil {
			return nil, inside("item", err)
		}
		return arrow.ListOf(t), nil
	case classObject:
		fields, err := s.fields()
		return arrow.StructOf(fields...), err
	}
	return arrow.Null, nil
}

func (s *shape) numberType() (arrow.DataType, error) {
	switch {
	case s.tooFine:
		return nil, errors.New("numbers with more digits than a float64 keeps; --jsonl-types=text reads columns as text")
	case s.fraction && s.inexact:
		return nil, errors.New("integers that a float64 cannot hold, beside fractions; --jsonl-types=text reads columns as text")
	case s.fraction:
		return arrow.PrimitiveTypes.Float64, nil
	case !s.large:
		return arrow.PrimitiveTypes.Int64, nil
	case s.tooLarge || s.negative:
		return nil, errors.New("integers beyond the range of int64 and uint64; --jsonl-types=text reads columns as text")
	}
	return arrow.PrimitiveTypes.Uint64, nil
}

func (s *shape) fields() ([]arrow.Field, error) {
	fields := make([]arrow.Field, len(s.members))
	for i, m := range s.members {
		t, err := m.shape.dataType()
		if err != nil {
			return nil, inside(m.name, err)
		}
		fields[i] = arrow.Field{Name: m.name, Type: t, Nullable: true}
	}
	return fields, nil
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
