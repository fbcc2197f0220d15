package plans

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Extensions are the extension types that do not come back, in the order of their fields.
type Extensions []schemadiff.Difference

// WithoutLost returns a schema without those extension types whose values come back as another type than they are stored as:
// a reader that knows such a name would refuse the whole file. back are the fields that come back, in the same order.
func WithoutLost(s *arrow.Schema, back []arrow.Field) (*arrow.Schema, Extensions) {
	var lost Extensions
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		fields[i] = lost.field(f, at(back, i), schemadiff.Path(f.Name))
	}
	if len(lost) == 0 {
		return s, nil
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md), lost
}

// Texts returns what is said of each field, by its path.
func (x Extensions) Texts() map[string]string {
	texts := make(map[string]string, len(x))
	for _, d := range x {
		texts[d.Path] = d.Text
	}
	return texts
}

// Tell adds to the columns of a plan of the schema without the lost extension types which these are. were are the columns of
// the plan with them.
func (x Extensions) Tell(columns, were []arrowio.PlannedColumn) {
	texts, types := x.Texts(), map[string]string{}
	for _, c := range were {
		types[c.Path] = c.Type
	}
	for i := range columns {
		c := &columns[i]
		if t := types[c.Path]; t != "" {
			c.Type = t
		}
		if text, ok := texts[c.Path]; ok && !strings.Contains(c.Loss, text) {
			c.Loss = Join(text, c.Loss)
		}
	}
}

// WithoutExtensionType says that an extension type is lost.
func WithoutExtensionType(name string) string { return "comes back without its extension type " + name }

// at returns a field; one of nulls where there is none.
func at(fields []arrow.Field, i int) arrow.Field {
	if i >= len(fields) {
		return arrow.Field{Type: arrow.Null}
	}
	return fields[i]
}

func (x *Extensions) field(f, back arrow.Field, path string) arrow.Field {
	name, storage := schemadiff.Extension(f)
	back.Type = arrowtype.Storage(back.Type)
	switch {
	case name != "" && !schemadiff.Stores(storage, back.Type):
		*x = append(*x, schemadiff.Difference{Path: path, Aspect: schemadiff.Metadata, Type: f.Type, Text: WithoutExtensionType(name)})
		f = schemadiff.WithoutExtension(f)
	case f.Type.ID() == arrow.EXTENSION:
		return f
	}
	f.Type = x.inside(f.Type, back.Type, path)
	return f
}

// inside does the same for the fields of a type. It returns the type itself where nothing is lost.
func (x *Extensions) inside(t, back arrow.DataType, path string) arrow.DataType {
	if _, ok := t.(arrow.NestedType); !ok {
		return t
	}
	before := len(*x)
	var out arrow.DataType
	if r, ok := t.(*arrow.RunEndEncodedType); ok { // whose values come back with their runs or without
		if b, ok := back.(*arrow.RunEndEncodedType); ok {
			back = b.Encoded()
		}
		out = arrow.RunEndEncodedOf(r.RunEnds(), x.inside(r.Encoded(), back, path))
	} else {
		fields := arrowtype.Children(t)
		var children []arrow.Field
		if b, ok := back.(arrow.NestedType); ok {
			children = b.Fields()
		}
		if t.ID() == arrow.MAP && back != nil && back.ID() == arrow.MAP {
			children = arrowtype.Children(back)
		}
		for i, f := range fields {
			name := f.Name
			switch t.(type) {
			case *arrow.MapType:
				name = [2]string{"key", "value"}[i]
			case arrow.ListLikeType:
				name = "item"
			}
			fields[i] = x.field(f, at(children, i), schemadiff.Below(path, name))
		}
		out = arrowtype.WithChildren(t, fields)
	}
	if len(*x) == before {
		return t
	}
	return out
}
