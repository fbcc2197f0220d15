package inferred

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Types is a set of types.
type Types uint16

// The types, the narrowest first.
const (
	Int64 Types = 1 << iota
	Uint64
	Float64
	Bool
	Date32
	Timestamp // microseconds, without a zone
	TimestampUTC
	TimestampNano
	TimestampNanoUTC
	Text

	Any = 1<<iota - 1 // no value was seen
)

// types are the Arrow types of the bits of Types.
var types = [...]arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float64,
	arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Date32,
	&arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	&arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"},
	arrow.BinaryTypes.String,
}

// Of returns the set of one type, which is empty if there is no bit for it.
func Of(t arrow.DataType) Types {
	for i, x := range types {
		if arrow.TypeEqual(x, t) {
			return 1 << i
		}
	}
	return 0
}

// key is the name of the metadata that marks a field.
const key = "arrowio.inferred"

func (t Types) String() string {
	if t == Any {
		return "any"
	}
	var names []string
	for i, x := range types {
		if t&(1<<i) != 0 {
			names = append(names, x.String())
		}
	}
	return strings.Join(names, "; ")
}

// Mark returns a field of a type that was inferred, marked with all types that hold the values seen.
func Mark(f arrow.Field, t Types) arrow.Field {
	keys, values := without(f.Metadata)
	f.Metadata = arrow.NewMetadata(append(keys, key), append(values, t.String()))
	return f
}

// marks returns what a field is marked with.
func marks(f arrow.Field) (Types, bool) {
	i := f.Metadata.FindKey(key)
	if i < 0 {
		return 0, false
	}
	text := f.Metadata.Values()[i]
	if text == "any" {
		return Any, true
	}
	var t Types
	for _, name := range strings.Split(text, "; ") {
		for i, x := range types {
			if x.String() == name {
				t |= 1 << i
			}
		}
	}
	return t, true
}

// without returns metadata without the mark.
func without(m arrow.Metadata) (keys, values []string) {
	for i, k := range m.Keys() {
		if k != key {
			keys, values = append(keys, k), append(values, m.Values()[i])
		}
	}
	return keys, values
}

// Unmarked returns a schema without marks, at any depth.
func Unmarked(s *arrow.Schema) *arrow.Schema {
	for i := range s.NumFields() {
		if marked(s.Field(i)) {
			md := s.Metadata()
			return arrow.NewSchema(unmarked(s.Fields()), &md)
		}
	}
	return s
}

// marked reports whether a field, or one in it, has a mark. Only lists and structs are looked into: text holds no others.
func marked(f arrow.Field) bool {
	if f.Metadata.FindKey(key) >= 0 {
		return true
	}
	switch t := f.Type.(type) {
	case *arrow.ListType:
		return marked(t.ElemField())
	case *arrow.StructType:
		for i := range t.NumFields() {
			if marked(t.Field(i)) {
				return true
			}
		}
	}
	return false
}

func unmarked(fields []arrow.Field) []arrow.Field {
	out := slices.Clone(fields)
	for i, f := range out {
		if !marked(f) {
			continue
		}
		f.Metadata = arrow.NewMetadata(without(f.Metadata))
		switch t := f.Type.(type) {
		case *arrow.ListType:
			f.Type = arrow.ListOfField(unmarked([]arrow.Field{t.ElemField()})[0])
		case *arrow.StructType:
			f.Type = arrow.StructOf(unmarked(t.Fields())...)
		}
		out[i] = f
	}
	return out
}

// Known returns a field without its mark. One of which no value was seen has the type null.
func Known(f arrow.Field) arrow.Field {
	t, ok := marks(f)
	if !ok {
		return f
	}
	f.Metadata = arrow.NewMetadata(without(f.Metadata))
	if t == Any {
		f.Type = arrow.Null
	}
	return f
}

// Join returns the fields of several files without marks, once for each type that their inferred types can be together, the
// narrowest first. A field without values is null, unless nothing is known of any. Where no type holds all values seen, and where
// none was inferred, the fields have their own types.
func Join(fields []arrow.Field) (choices [][]arrow.Field) {
	own := make([]arrow.Field, len(fields))
	var inferred []int // with values
	together, anys := Types(Any), 0
	for i, f := range fields {
		own[i] = Known(f)
		switch t, ok := marks(f); {
		case ok && t == Any:
			anys++
		case ok:
			inferred, together = append(inferred, i), together&t
		}
	}
	if anys == len(fields) {
		for i, f := range fields {
			own[i].Type = f.Type
		}
	}
	if len(inferred) == 0 || together == 0 {
		return [][]arrow.Field{own}
	}
	for i, t := range types {
		if together&(1<<i) == 0 {
			continue
		}
		choice := slices.Clone(own)
		for _, k := range inferred {
			choice[k].Type = t
		}
		choices = append(choices, choice)
	}
	return choices
}
