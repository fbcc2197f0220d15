package textvalues

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Values as pyarrow.csv reads them as a type that it is told; floats that lose digits are no values.
func TestValues(t *testing.T) {
	d52, d76 := &arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 0}
	secs, utc := &arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}
	nines := "9999999999999999999999999999999999999999999999999999999999999999999999999999"
	for _, c := range []struct {
		t          arrow.DataType
		text, want string // "" = none
	}{
		{arrow.PrimitiveTypes.Int32, "007", "7"},
		{arrow.PrimitiveTypes.Int32, "1e3", ""},
		{arrow.PrimitiveTypes.Int32, "", ""},
		{arrow.PrimitiveTypes.Int32, "1_0", ""},
		{arrow.PrimitiveTypes.Int32, "2147483647", "2147483647"},
		{arrow.PrimitiveTypes.Int32, "2147483648", ""},
		{arrow.PrimitiveTypes.Uint8, "255", "255"},
		{arrow.PrimitiveTypes.Uint8, "-1", ""},
		{arrow.PrimitiveTypes.Float32, "0.1", "0.1"},
		{arrow.PrimitiveTypes.Float32, "0.10000000149011612", "0.1"},
		{arrow.PrimitiveTypes.Float32, "16777217", ""},
		{arrow.PrimitiveTypes.Float32, "16777216", "1.6777216e+07"},
		{arrow.PrimitiveTypes.Float32, "100000000000", ""}, // not a float32
		{arrow.PrimitiveTypes.Float32, "1e40", ""},
		{arrow.PrimitiveTypes.Float32, "0x1p3", ""},
		{arrow.PrimitiveTypes.Float32, "-", ""},
		{arrow.PrimitiveTypes.Float64, "9007199254740993", ""},
		{arrow.PrimitiveTypes.Float64, "+1.5", "1.5"},
		{d52, "1.5", "1.5"},
		{d52, "1.505", ""},
		{d52, "1.500", "1.5"},
		{d52, "1e2", "100"},
		{d52, "15e-1", "1.5"},
		{d52, ".5", "0.5"},
		{d52, "5.", "5"},
		{d52, ".", ""},
		{d52, "-0", "0"},
		{d52, "-999.99", "-999.99"},
		{d52, "1000", ""},
		{d52, "1e999999999999999999", ""},
		{d52, "0e999999999999999999", "0"},
		{d76, nines, nines},
		{d76, "-" + nines, "-" + nines},
		{d76, nines + "0", ""},
		{arrow.FixedWidthTypes.Boolean, "1", "true"},
		{arrow.FixedWidthTypes.Boolean, "t", ""},
		{secs, "2020-01-01", "2020-01-01 00:00:00Z"},
		{secs, "2020-01-01T00:00:01.000", "2020-01-01 00:00:01Z"},
		{secs, "2020-01-01T00:00:01.5", ""},
		{secs, "2020-01-01T00:00:01Z", ""},
		{utc, "2020-01-01", ""},
		{utc, "2020-01-01T01:00:00+01:00", "2020-01-01 00:00:00Z"},
		{arrow.FixedWidthTypes.Timestamp_ns, "9999-12-31T00:00:00Z", ""},
		{arrow.FixedWidthTypes.Date32, "2020-01-01 00:00:00", ""},
		{arrow.FixedWidthTypes.Time32s, "10:00", "10:00:00"},
		{arrow.BinaryTypes.String, "a\xff", ""},
		{arrow.BinaryTypes.LargeString, "é", "é"},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		b := array.NewBuilder(mem, c.t)
		ok := For(c.t)(b)([]byte(c.text))
		a := b.NewArray()
		got := ""
		if ok {
			got = a.ValueStr(0)
			if d, ok := a.(*array.Decimal256); ok { // which prints as a float
				got = d.Value(0).BigInt().String()
			}
		}
		if ok != (c.want != "") || got != c.want || a.Len() > 1 {
			t.Errorf("%s %q: got %q", c.t, c.text, got)
		}
		a.Release()
		b.Release()
		mem.AssertSize(t, 0)
	}
}
