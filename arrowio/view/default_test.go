package view

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A default is exactly the value that the JSON is, or refused: never rounded, wrapped or cut.
func TestDefaultsAreExact(t *testing.T) {
	key, value := req("key", tStr), opt("value", tI64)
	entries := arrow.MapOf(key.Type, value.Type)
	for _, c := range []struct {
		t          arrow.DataType
		text, want string // "" = refused
	}{
		{tI64, "9007199254740993", "9007199254740993"},
		{tU64, "18446744073709551615", "18446744073709551615"},
		{tI64, "9223372036854775808", ""},
		{tI8, "300", ""},
		{tU8, "-1", ""},
		{tI32, "1.5", ""},
		{tI32, "5.0", "5"},
		{tI32, "1e3", "1000"},
		{tI32, "1e999999999", ""},
		{tI32, "1, 2", ""},
		{tF32, "1e300", ""},
		{tF64, "0.1", "0.1"},
		{arrow.FixedWidthTypes.Float16, "1e30", ""},
		{arrow.FixedWidthTypes.Float16, `"1e30"`, ""},
		{arrow.FixedWidthTypes.Float16, "true", ""},
		{arrow.FixedWidthTypes.Boolean, "1", ""},
		{dec(38, 0), "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
		{dec(38, 37), "0.1", "0.1000000000000000000000000000000000000"},
		{dec(5, 2), "1.239", ""},
		{dec(5, 2), `"1.239"`, ""},
		{dec(5, 2), "1000", ""},
		{dec(5, 2), `"1e2"`, "100.00"},
		{dec256(50, 2), "123456789012345678901234567890123456789012345678.12", "123456789012345678901234567890123456789012345678.12"},
		{stamp(arrow.Microsecond, ""), "9007199254740993", "2255-06-05 23:47:34.740993Z"},
		{stamp(arrow.Nanosecond, ""), `"1600-01-01"`, ""},
		{stamp(arrow.Nanosecond, "UTC"), `"2300-01-01T00:00:00Z"`, ""},
		{stamp(arrow.Nanosecond, ""), `"2020-01-01 00:00:00.123456789"`, "2020-01-01 00:00:00.123456789Z"},
		{arrow.FixedWidthTypes.Date32, "5000000000", ""},
		{arrow.FixedWidthTypes.Time32s, "86400", ""},
		{arrow.FixedWidthTypes.Time64us, "-1", ""},
		{arrow.FixedWidthTypes.Duration_ns, "9007199254740993", "9007199254740993ns"},
		{arrow.ListOf(tI64), "[1, 9007199254740993]", "[1,9007199254740993]"},
		{arrow.FixedSizeListOf(2, tI64), "[1]", ""},
		{arrow.FixedSizeListOf(2, tI64), "[1, 2]", "[1,2]"},
		{entries, `[{"key": "a", "value": 9007199254740993}]`, `[{"key":"a","value":9007199254740993}]`},
		{entries, `[{"key": null, "value": 1}]`, ""},
		{arrow.StructOf(req("a", tI64)), `{"a": null}`, ""},
		{arrow.StructOf(req("a", tI64)), `{}`, ""},
		{arrow.StructOf(opt("a", tI64)), `{}`, `{"a":null}`},
		{arrow.StructOf(opt("a", tI64)), `{"b": 1}`, ""},
		{arrow.StructOf(withDefault(req("a", tI64), "9007199254740993")), `{}`, `{"a":9007199254740993}`},
	} {
		a, err := defaultArray(opt("x", c.t), c.text, memory.DefaultAllocator)
		shown := func() string {
			switch a := a.(type) {
			case *array.Decimal128:
				return a.Value(0).ToString(c.t.(arrow.DecimalType).GetScale())
			case *array.Decimal256:
				return a.Value(0).ToString(c.t.(arrow.DecimalType).GetScale())
			}
			return a.ValueStr(0)
		}
		switch {
		case err != nil && c.want != "":
			t.Errorf("%s as %s: %v", c.text, c.t, err)
		case err != nil:
		case c.want == "":
			t.Errorf("%s as %s is %s", c.text, c.t, shown())
		case a.Len() != 1 || shown() != c.want:
			t.Errorf("%s as %s is %s, want %s", c.text, c.t, shown(), c.want)
		}
	}
}

func withDefault(f arrow.Field, text string) arrow.Field {
	f.Metadata = arrow.NewMetadata([]string{MetaDefault}, []string{text})
	return f
}

// A union is null where a branch is, so that a file without it can be shown, though its field is not nullable.
func TestMissingUnion(t *testing.T) {
	u := req("u", arrow.DenseUnionOf([]arrow.Field{opt("_0", tI32), opt("_1", tStr)}, []arrow.UnionTypeCode{0, 1}))
	if err := missing(u, "u"); err != nil {
		t.Error(err)
	}
	none := req("u", arrow.DenseUnionOf([]arrow.Field{req("_0", tI32)}, []arrow.UnionTypeCode{0}))
	if missing(none, "u") == nil {
		t.Error("no branch can be null")
	}
	in := []arrow.Field{opt("a", tI64)}
	_, err := rules{}.conversionOf(opt("s", arrow.StructOf(in...)), opt("s", arrow.StructOf(in[0], u)), "s")
	if err != nil {
		t.Error(err)
	}
}

// Defaults of half floats are the nearest ones (bits as numpy.float16 has them), wherever in a type they are.
func TestDefaultsOfHalfFloats(t *testing.T) {
	half := arrow.FixedWidthTypes.Float16
	bits := func(a arrow.Array) uint16 { return a.(*array.Float16).Value(0).Uint16() }
	for text, want := range map[string]uint16{
		"0.5": 0x3800, "0.1": 0x2e66, "0.3": 0x34cd, "-0.3": 0xb4cd, "5.960464477539063e-08": 0x0001, "3e-5": 0x01f7, "65519": 0x7bff, `"0.3"`: 0x34cd,
		`"Inf"`: 0x7c00, `"-Inf"`: 0xfc00,
	} {
		for _, c := range []struct {
			t    arrow.DataType
			text string
			in   func(arrow.Array) arrow.Array
		}{
			{half, text, func(a arrow.Array) arrow.Array { return a }},
			{arrow.ListOf(half), "[" + text + "]", func(a arrow.Array) arrow.Array { return a.(*array.List).ListValues() }},
			{arrow.StructOf(opt("n", tI64), req("h", half)), `{"h": ` + text + "}", func(a arrow.Array) arrow.Array { return a.(*array.Struct).Field(1) }},
			{arrow.MapOf(tStr, half), `[{"key": "a", "value": ` + text + "}]", func(a arrow.Array) arrow.Array { return a.(*array.Map).Items() }},
			{&arrow.DictionaryType{IndexType: tI8, ValueType: half}, text, func(a arrow.Array) arrow.Array { return a.(*array.Dictionary).Dictionary() }},
			{&word{arrow.ExtensionBase{Storage: half}, ""}, text, func(a arrow.Array) arrow.Array { return a.(array.ExtensionArray).Storage() }},
			{
				arrow.StructOf(req("h", half), req("e", &word{arrow.ExtensionBase{Storage: arrow.ListOf(tI8)}, ""})), `{"h": ` + text + `, "e": [1]}`,
				func(a arrow.Array) arrow.Array { return a.(*array.Struct).Field(0) },
			},
			{arrow.RunEndEncodedOf(tI32, half), text, func(a arrow.Array) arrow.Array { return a.(*array.RunEndEncoded).Values() }},
		} {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			a, err := defaultArray(opt("x", c.t), c.text, mem)
			if err != nil {
				t.Errorf("%s %s: %v", c.t, c.text, err)
				continue
			}
			if got := bits(c.in(a)); got != want || !arrow.TypeEqual(a.DataType(), c.t) {
				t.Errorf("%s %s: got %04x of %s, want %04x", c.t, c.text, got, a.DataType(), want)
			}
			a.Release()
			mem.AssertSize(t, 0)
		}
	}
}
