package arrowtype_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// A type with its own children is the same type, with metadata, names and flags.
func TestWithChildren(t *testing.T) {
	md := arrow.NewMetadata([]string{"k"}, []string{"v"})
	m := arrow.MapOfWithMetadata(arrow.BinaryTypes.String, md, arrow.PrimitiveTypes.Int32, md)
	m.SetItemNullable(false)
	m.KeysSorted = true
	f := arrow.Field{Name: "element", Type: arrow.BinaryTypes.String, Metadata: md}
	for _, dt := range append(conformance.Types(), m, arrow.ListOfField(f), arrow.ListViewOfField(f), arrow.FixedSizeListOfField(3, f), arrow.StructOf(f)) {
		same := arrowtype.Inside(dt, func(t arrow.DataType) arrow.DataType { return t })
		a, b := arrow.NewSchema([]arrow.Field{{Type: dt}}, nil), arrow.NewSchema([]arrow.Field{{Type: same}}, nil)
		if diff := schemadiff.Schemas(a, b); diff != "" || !arrow.TypeEqual(dt, same, arrow.CheckMetadata()) {
			t.Errorf("%s becomes %s: %s", dt, same, diff)
		}
	}
}

func TestInside(t *testing.T) {
	wide := func(t arrow.DataType) arrow.DataType {
		if t.ID() == arrow.INT32 {
			return arrow.PrimitiveTypes.Int64
		}
		return t
	}
	in := []arrow.DataType{
		arrow.ListOf(arrow.PrimitiveTypes.Int32), arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}), arrow.PrimitiveTypes.Int32,
	}
	want := []arrow.DataType{
		arrow.ListOf(arrow.PrimitiveTypes.Int64), arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}), arrow.PrimitiveTypes.Int32,
	}
	for i, dt := range in {
		if got := arrowtype.Inside(dt, wide); !arrow.TypeEqual(got, want[i]) {
			t.Errorf("%s becomes %s, not %s", dt, got, want[i])
		}
		if !arrow.TypeEqual(in[0], arrow.ListOf(arrow.PrimitiveTypes.Int32)) {
			t.Fatal("the type itself was changed")
		}
	}
}
