package jsonl

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/inferred"
)

// Inferred implements inferred.File.
func (f *file) Inferred() *arrow.Schema { return f.marked }

// AsText implements inferred.File.
func (f *file) AsText() string { return "--jsonl-types=text reads all columns as text" }

// ReadAs implements inferred.File.
func (f *file) ReadAs(asked []arrow.DataType) arrowio.File {
	g := *f
	g.asked = true
	fields := slices.Clone(f.marked.Fields())
	for i, t := range asked {
		if t != nil {
			fields[i].Type = inferred.TypeFor(fields[i], t, parsed)
		}
	}
	g.marked = arrow.NewSchema(fields, nil)
	g.Fields = inferred.Unmarked(g.marked)
	return &g
}

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
