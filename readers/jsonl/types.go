package jsonl

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// Inferred implements inferred.File.
func (f *file) Inferred() *arrow.Schema { return f.marked }

// AsText implements inferred.File.
func (f *file) AsText() string {
	return "--jsonl-types=text reads all columns as text, --schema reads them as the types that it says"
}

// ReadAs implements inferred.File.
func (f *file) ReadAs(asked []arrow.DataType) arrowio.File {
	return f.readAs(asked, func(c arrow.Field, t arrow.DataType) arrow.DataType { return inferred.TypeFor(c, t, parsed) }, false)
}

// ReadUnder implements inferred.File. Values are read as by their text, so that "7" is an integer and 7 is text.
func (f *file) ReadUnder(told []arrow.DataType) arrowio.File {
	return f.readAs(told, func(c arrow.Field, t arrow.DataType) arrow.DataType {
		return inferred.TypeUnder(c, t, parsed, parsedAsText)
	}, true)
}

func (f *file) readAs(types []arrow.DataType, as func(arrow.Field, arrow.DataType) arrow.DataType, told bool) arrowio.File {
	g := *f
	g.asked, g.told = true, make([]bool, len(types))
	fields := slices.Clone(f.marked.Fields())
	for i, t := range types {
		if t != nil {
			fields[i].Type, g.told[i] = as(fields[i], t), told
		}
	}
	g.marked = arrow.NewSchema(fields, nil)
	g.Fields = inferred.Unmarked(g.marked)
	return &g
}

// parsedAsText reports whether the text of any value can become a type.
func parsedAsText(t arrow.DataType) bool { return textvalues.For(t) != nil }

// parsed reports whether JSON can become a type.
func parsed(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.BooleanType, *arrow.Int64Type, *arrow.Uint64Type, *arrow.Float64Type, *arrow.StringType:
		return true
	case *arrow.ListType:
		return t.ElemField().Nullable && parsed(t.Elem())
	case *arrow.StructType:
		names := map[string]bool{}
		for _, c := range t.Fields() {
			if names[c.Name] || !c.Nullable || !parsed(c.Type) {
				return false
			}
			names[c.Name] = true
		}
		return true
	}
	return false
}
