package plans_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/plans"
)

// What is refused anywhere below a column stands in the column's entry, each reason once.
func TestAddRefused(t *testing.T) {
	columns := []arrowio.PlannedColumn{{Path: "plain"}, {Path: "nested.item", Refused: "nulls"}}
	wide := arrow.Field{Name: "w", Type: arrow.PrimitiveTypes.Uint64}
	plans.AddRefused(columns, []arrow.Field{
		{Name: "plain", Type: arrow.PrimitiveTypes.Int32},
		{Name: "nested", Type: arrow.ListOf(arrow.StructOf(wide, arrow.Field{Name: "x", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Uint64}}))},
	}, func(f arrow.Field) string {
		if f.Type.ID() == arrow.UINT64 {
			return "values above 2^63"
		}
		return ""
	})
	if columns[0].Refused != "" || columns[1].Refused != "nulls; values above 2^63" {
		t.Errorf("%+v", columns)
	}
}

// Of the metadata of a schema, what does not come back is lost, and the rest is stored.
func TestPlanned(t *testing.T) {
	md := arrow.NewMetadata([]string{"a", "b", "c"}, []string{"1", "2", "3"})
	back := arrow.NewMetadata([]string{"c", "a"}, []string{"other", "1"})
	got := plans.Planned(md, back, "the footer", "dropped")
	want := []arrowio.PlannedKey{{Key: "a", Stored: "the footer"}, {Key: "b", Loss: "dropped"}, {Key: "c", Loss: "dropped"}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
