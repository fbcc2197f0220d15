package sql

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
)

// Drivers find the type's name, precision and scale where Flight SQL says, and no type that the JDBC driver does not know.
func TestListedSchema(t *testing.T) {
	half := arrow.StructOf(arrow.Field{Name: "h", Type: arrow.FixedWidthTypes.Float16})
	s := listedSchema(arrow.NewSchema([]arrow.Field{
		{Name: "half", Type: arrow.FixedWidthTypes.Float16},
		{Name: "deep", Type: arrow.ListOf(half)},
		{Name: "m", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}, Metadata: arrow.NewMetadata([]string{"own"}, []string{"1"})},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "v", Type: arrow.BinaryTypes.StringView},
	}, nil), Catalog)
	for i, want := range []struct{ kind, name, precision, scale string }{
		{"float32", "REAL", "7", "0"},
		{"list<item: struct<h: float32>, nullable>", `STRUCT("h" REAL)[]`, "", ""},
		{"decimal(12, 2)", "DECIMAL", "12", "2"},
		{"timestamp[us, tz=UTC]", "TIMESTAMP WITH TIME ZONE", "26", "6"},
		{"dictionary<values=utf8, indices=int8, ordered=false>", "VARCHAR", "", ""},
		{"utf8", "VARCHAR", "", ""},
	} {
		f := s.Field(i)
		get := func(key string) string {
			v, _ := f.Metadata.GetValue(key)
			return v
		}
		if f.Type.String() != want.kind || get(flightsql.TypeNameKey) != want.name || get(flightsql.PrecisionKey) != want.precision || get(flightsql.ScaleKey) != want.scale {
			t.Errorf("%v, want %v", f, want)
		}
	}
	if v, ok := s.Field(2).Metadata.GetValue("own"); !ok || v != "1" {
		t.Error("its own metadata is lost")
	}
}
