package inferred

import (
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

// narrowest returns the first type of a set that is not empty.
func (t Types) narrowest() arrow.DataType {
	for i, x := range types {
		if t&(1<<i) != 0 {
			return x
		}
	}
	return nil
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
	fields, changed := unmarked(s.Fields())
	if !changed {
		return s
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

func unmarked(fields []arrow.Field) (out []arrow.Field, changed bool) {
	for _, f := range fields {
		if _, ok := marks(f); ok {
			f.Metadata = arrow.NewMetadata(without(f.Metadata))
			changed = true
		}
		switch t := f.Type.(type) { // what text can hold
		case *arrow.ListType:
			if elem, ok := unmarked([]arrow.Field{t.ElemField()}); ok {
				f.Type, changed = arrow.ListOfField(elem[0]), true
			}
		case *arrow.StructType:
			if children, ok := unmarked(t.Fields()); ok {
				f.Type, changed = arrow.StructOf(children...), true
			}
		}
		out = append(out, f)
	}
	return out, changed
}

// Join returns two fields without marks, whose types go together as far as marks tell: a field without values is null, and
// inferred types are the narrowest that holds all values seen of both. The field that comes of the two is to be marked with
// both, unless that is empty.
func Join(a, b arrow.Field) (x, y arrow.Field, both Types) {
	p, ok := marks(a)
	q, ok2 := marks(b)
	if !ok && !ok2 {
		return a, b, 0
	}
	a.Metadata, b.Metadata = arrow.NewMetadata(without(a.Metadata)), arrow.NewMetadata(without(b.Metadata))
	switch {
	case p == Any && q == Any:
		return a, b, Any
	case p == Any:
		a.Type = arrow.Null
		return a, b, q
	case q == Any:
		b.Type = arrow.Null
		return a, b, p
	case p&q != 0:
		a.Type = (p & q).narrowest()
		b.Type = a.Type
	}
	return a, b, p & q
}
