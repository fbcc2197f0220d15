package schemadiff

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Schemas says in words where got differs from want, "" = nowhere. Names, order, types and nullability count;
// metadata does not, neither the schema's nor a field's: it describes how something is stored, not what it is.
func Schemas(want, got *arrow.Schema) string {
	if want == got {
		return ""
	}
	for i := range min(want.NumFields(), got.NumFields()) {
		w, g := want.Field(i), got.Field(i)
		switch {
		case w.Name != g.Name:
			return fmt.Sprintf("column %d is %q instead of %q", i, g.Name, w.Name)
		case !arrow.TypeEqual(w.Type, g.Type):
			return fmt.Sprintf("column %q is %s instead of %s", w.Name, g.Type, w.Type)
		case w.Nullable != g.Nullable:
			return fmt.Sprintf("column %q is %s instead of %s", w.Name, nullable(g), nullable(w))
		}
	}
	switch n := want.NumFields(); {
	case got.NumFields() > n:
		return fmt.Sprintf("column %q is one too many", got.Field(n).Name)
	case got.NumFields() < n:
		return fmt.Sprintf("column %q is missing", want.Field(got.NumFields()).Name)
	}
	return ""
}

func nullable(f arrow.Field) string {
	if f.Nullable {
		return "nullable"
	}
	return "not nullable"
}

// SameMetadata reports whether two schemas of the same fields have the same metadata, at every depth.
func SameMetadata(a, b *arrow.Schema) bool {
	if !a.Metadata().Equal(b.Metadata()) {
		return false
	}
	for i := range a.NumFields() {
		x, y := a.Field(i), b.Field(i)
		if !x.Metadata.Equal(y.Metadata) || !arrow.TypeEqual(x.Type, y.Type, arrow.CheckMetadata()) {
			return false
		}
	}
	return true
}
