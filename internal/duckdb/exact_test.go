package duckdb

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// Values of types that have them all are converted without a look at each.
func TestExactlyWidens(t *testing.T) {
	p := arrow.PrimitiveTypes
	for _, c := range []struct {
		from, to arrow.DataType
		checked  bool
	}{
		{p.Int32, p.Int32, false},
		{p.Int32, p.Int64, false},
		{p.Uint8, p.Int16, false},
		{p.Uint32, p.Int64, false},
		{p.Float32, p.Float64, false},
		{p.Int32, p.Float64, false},
		{p.Float64, arrow.BinaryTypes.String, false},
		{arrow.FixedWidthTypes.Timestamp_us, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Tokyo"}, false},
		{arrow.BinaryTypes.String, &arrow.DictionaryType{IndexType: p.Int8, ValueType: arrow.BinaryTypes.LargeString}, false},
		{p.Int64, p.Int32, true},
		{p.Uint32, p.Int32, true},
		{p.Int8, p.Uint64, true},
		{p.Int64, p.Float64, true},
		{p.Int32, p.Float32, true},
		{p.Float64, p.Float32, true},
		{&arrow.Decimal128Type{Precision: 9, Scale: 3}, &arrow.Decimal128Type{Precision: 9, Scale: 2}, true},
		{arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Time64us, true},
		{arrow.Null, p.Int32, true},
		{arrow.BinaryTypes.String, p.Int32, true},
		{arrow.ListOf(p.Float64), arrow.ListOf(p.Float32), true},
		{p.Int64, &arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Int32}, true},
	} {
		kind, err := typeText(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := exactly("c", c.from, arrow.Field{Name: "x", Type: c.to}, kind, false); strings.HasPrefix(got, "CASE ") != c.checked {
			t.Errorf("%s to %s: %s", c.from, c.to, got)
		}
		checked := c.checked || c.from.ID() == arrow.INT32 // a null, perhaps
		if got := exactly("c", c.from, arrow.Field{Name: "x", Type: c.to}, kind, true); strings.HasPrefix(got, "CASE ") != checked {
			t.Errorf("%s to %s, with parameters: %s", c.from, c.to, got)
		}
	}
}
