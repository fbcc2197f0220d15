package inferred

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestMarks writes sets of types as metadata and reads them back.
func TestMarks(t *testing.T) {
	for set := Types(1); set <= Any; set++ {
		f := Mark(arrow.Field{Name: "a", Type: arrow.Null, Metadata: arrow.NewMetadata([]string{"k", key}, []string{"v", "int64"})}, set)
		if got, ok := marks(f); !ok || got != set || f.Metadata.Len() != 2 {
			t.Fatalf("%s: %s, %v", set, got, f.Metadata)
		}
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOfField(Mark(arrow.Field{Name: "item", Type: arrow.Null}, Int64))}}, nil)
	if _, ok := marks(Unmarked(s).Field(0).Type.(*arrow.ListType).ElemField()); ok {
		t.Error("a mark within a list is left")
	}
}

// TestJoin joins fields as the table of the package's documentation does.
func TestJoin(t *testing.T) {
	i64, f64, text := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String
	field := func(t arrow.DataType, set Types) arrow.Field {
		f := arrow.Field{Name: "a", Type: t}
		if set != 0 {
			f = Mark(f, set)
		}
		return f
	}
	for _, c := range []struct {
		a, b arrow.Field
		x, y arrow.DataType
		both Types
	}{
		{field(i64, Int64|Float64|Text), field(f64, Float64|Text), f64, f64, Float64 | Text},
		{field(i64, Int64), field(text, Any), i64, arrow.Null, Int64},
		{field(text, Any), field(f64, Float64), arrow.Null, f64, Float64},
		{field(text, Any), field(text, Any), text, text, Any},
		{field(i64, Int64), field(arrow.FixedWidthTypes.Boolean, Bool), i64, arrow.FixedWidthTypes.Boolean, 0},
		{field(i64, 0), field(f64, 0), i64, f64, 0},
		{field(i64, 0), field(text, Any), i64, arrow.Null, 0},
		{field(i64, 0), field(i64, Int64|Float64), i64, i64, 0},
	} {
		x, y, both := Join(c.a, c.b)
		if !arrow.TypeEqual(x.Type, c.x) || !arrow.TypeEqual(y.Type, c.y) || both != c.both || x.Metadata.Len()+y.Metadata.Len() > 0 {
			t.Errorf("%s, %s: %s, %s, %s", c.a, c.b, x, y, both)
		}
	}
}
