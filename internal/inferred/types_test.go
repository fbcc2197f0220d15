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
	type fields = []arrow.Field
	for _, c := range []struct {
		in   fields
		want string // the types of each choice
	}{
		{fields{field(i64, Int64|Float64|Text), field(f64, Float64|Text)}, "float64 float64; utf8 utf8; "},
		{fields{field(i64, Int64), field(text, Any)}, "int64 null; "},
		{fields{field(text, Any), field(f64, Float64)}, "null float64; "},
		{fields{field(text, Any), field(arrow.Null, Any)}, "utf8 null; "},
		{fields{field(i64, Int64), field(arrow.FixedWidthTypes.Boolean, Bool)}, "int64 bool; "},
		{fields{field(i64, 0), field(f64, 0)}, "int64 float64; "},
		{fields{field(i64, 0), field(text, Any)}, "int64 null; "},
		{fields{field(i64, 0), field(text, Any), field(text, Any)}, "int64 null null; "},
		{fields{field(i64, 0), field(i64, Int64|Float64)}, "int64 int64; int64 float64; "},
		{fields{field(i64, 0), field(f64, Float64), field(i64, Int64|Float64)}, "int64 float64 float64; "},
	} {
		got := ""
		for _, choice := range Join(c.in) {
			for i, f := range choice {
				if f.Metadata.Len() > 0 {
					t.Errorf("%s keeps its mark", f)
				}
				got += f.Type.String() + []string{" ", "; "}[min(1, (i+1)/len(choice))]
			}
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestNote(t *testing.T) {
	for n, want := range map[int64]string{0: "types inferred from 0 rows", 1: "types inferred from 1 row", 2: "types inferred from 2 rows"} {
		if got := Note(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
