package jsonl

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// Inferred implements inferred.File.
func (f *file) Inferred() *arrow.Schema { return f.marked }

// AsText implements inferred.File.
func (f *file) AsText() error {
	return fmt.Errorf("%w reads all columns as text, %w reads them as the types that it says", errs.Opt("jsonl-types", "text"), errs.Opt("schema", ""))
}

// ReadAs implements inferred.File.
func (f *file) ReadAs(asked []arrow.DataType) arrowio.File {
	return f.readAs(asked, func(c arrow.Field, t arrow.DataType) arrow.DataType { return inferred.TypeFor(c, t, parsed) }, false)
}

// ReadUnder implements inferred.File. Values are read as by their text, so that "7" is an integer and 7 is text.
func (f *file) ReadUnder(told []arrow.DataType) arrowio.File {
	return f.readAs(told, func(c arrow.Field, t arrow.DataType) arrow.DataType {
		return inferred.TypeUnder(c, t, parsed, parsedUnder)
	}, true)
}

func (f *file) readAs(types []arrow.DataType, as func(arrow.Field, arrow.DataType) arrow.DataType, told bool) arrowio.File {
	g := *f
	g.asked = true
	if told {
		g.told = make([]bool, len(types))
	}
	fields := slices.Clone(f.marked.Fields())
	for i, t := range types {
		if t != nil {
			fields[i].Type = as(fields[i], t)
			if told {
				g.told[i] = true
			}
		}
	}
	g.marked = arrow.NewSchema(fields, nil)
	g.Fields = inferred.Unmarked(g.marked)
	return &g
}

// parsedUnder reports whether any value, as far as it is one of a type, can become that type when a schema says so: by its text, or
// as a map. What the sample has shown of it does not matter then.
func parsedUnder(t arrow.DataType) bool {
	m, ok := t.(*arrow.MapType)
	return ok && textvalues.For(m.KeyType()) != nil && parsedInMap(m.ItemType()) || textvalues.For(t) != nil
}

// parsedInMap reports whether values of a map can become a type.
func parsedInMap(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.ListType:
		return parsedInMap(t.Elem())
	case *arrow.StructType:
		return distinct(t) && !slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return !parsedInMap(f.Type) })
	}
	return parsedUnder(t)
}

// distinct reports whether the children of a struct have different names.
func distinct(t *arrow.StructType) bool {
	names := map[string]bool{}
	for _, c := range t.Fields() {
		if names[c.Name] {
			return false
		}
		names[c.Name] = true
	}
	return true
}

// parsed reports whether JSON can become a type.
func parsed(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.BooleanType, *arrow.Int64Type, *arrow.Uint64Type, *arrow.Float64Type, *arrow.StringType:
		return true
	case *arrow.ListType:
		return t.ElemField().Nullable && parsed(t.Elem())
	case *arrow.StructType:
		return distinct(t) && !slices.ContainsFunc(t.Fields(), func(c arrow.Field) bool { return !c.Nullable || !parsed(c.Type) })
	}
	return false
}
