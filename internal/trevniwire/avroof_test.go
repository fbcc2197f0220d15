package trevniwire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func field(name string, t arrow.DataType, nullable bool) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: nullable}
}

// The Avro schema of an Arrow schema: its text, that the text reads back as the same, and that what shreds from it has
// the fields' own names and types.
func TestAvroOf(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	for _, x := range []struct {
		field arrow.Field
		want  string // of the field
		back  arrow.DataType
	}{
		{field("a", i32, false), `{"name":"a","type":"int"}`, i32},
		{field("a", i32, true), `{"name":"a","type":["null","int"]}`, i32},
		{field("a", arrow.PrimitiveTypes.Uint32, false), `{"name":"a","type":"long"}`, arrow.PrimitiveTypes.Int64},
		{field("a", arrow.Null, true), `{"name":"a","type":"null"}`, arrow.Null},
		{field("a b", str, false), `{"name":"a_b","type":"string","arrow.name":"a b"}`, str},
		{field("1", str, false), `{"name":"_1","type":"string","arrow.name":"1"}`, str},
		{field("d", arrow.FixedWidthTypes.Date32, false), `{"name":"d","type":{"type":"int","logicalType":"date"}}`, arrow.FixedWidthTypes.Date32},
		{field("t", arrow.FixedWidthTypes.Timestamp_us, true), `{"name":"t","type":["null",{"type":"long","logicalType":"timestamp-micros"}]}`, arrow.FixedWidthTypes.Timestamp_us},
		{field("n", &arrow.Decimal128Type{Precision: 9, Scale: 2}, false), `{"name":"n","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}`, &arrow.Decimal128Type{Precision: 9, Scale: 2}},
		{field("f", &arrow.FixedSizeBinaryType{ByteWidth: 4}, false), `{"name":"f","type":{"type":"fixed","name":"f","size":4}}`, &arrow.FixedSizeBinaryType{ByteWidth: 4}},
		{field("int", &arrow.FixedSizeBinaryType{ByteWidth: 4}, false), `{"name":"int","type":{"type":"fixed","name":"int_2","size":4}}`, &arrow.FixedSizeBinaryType{ByteWidth: 4}},
		{field("l", arrow.ListOfField(field("item", str, true)), true), `{"name":"l","type":["null",{"type":"array","items":["null","string"]}]}`, arrow.ListOfField(field("item", str, true))},
		{field("s", arrow.StructOf(field("x", i32, false)), true), `{"name":"s","type":["null",{"type":"record","name":"s","fields":[{"name":"x","type":"int"}]}]}`, arrow.StructOf(field("x", i32, false))},
	} {
		s, _, err := AvroOf(arrow.NewSchema([]arrow.Field{x.field}, nil))
		if err != nil {
			t.Errorf("%v: %v", x.field, err)
			continue
		}
		text := string(s.JSON())
		if want := `{"type":"record","name":"Row","fields":[` + x.want + `]}`; text != want {
			t.Errorf("%v:\n got %s\nwant %s", x.field, text, want)
		}
		if again := parseAvro(t, text); !reflect.DeepEqual(s, again) {
			t.Errorf("%s reads as %s", text, again.JSON())
		}
		tree, _, err := Shred(s, limits)
		if err != nil {
			t.Errorf("%v: %v", x.field, err)
			continue
		}
		if f := tree.Schema.Field(0); f.Name != x.field.Name || f.Nullable != x.field.Nullable || !arrow.TypeEqual(f.Type, x.back) {
			t.Errorf("%v comes back as %v", x.field, f)
		}
	}
}

// Names that collide once they are Avro names are told apart, and none is a word of Avro's.
func TestAvroOfNames(t *testing.T) {
	st := arrow.StructOf(field("x", arrow.Null, true))
	s, _, err := AvroOf(arrow.NewSchema([]arrow.Field{
		field("a-b", st, false), field("a_b", st, false), field("a.b", st, false), field("a_b", st, false), field("Row", st, false), field("string", st, false),
	}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if again := parseAvro(t, string(s.JSON())); !reflect.DeepEqual(s, again) {
		t.Errorf("%s reads as %s", s.JSON(), again.JSON())
	}
	for _, x := range []struct{ text, want string }{{"", "_"}, {"a", "a"}, {"9a", "_9a"}, {"é$", "__"}, {"a.b", "a_b"}} {
		if got := AvroName(x.text); got != x.want {
			t.Errorf("%q: %q", x.text, got)
		}
	}
}

func TestAvroOfRefused(t *testing.T) {
	for name, typ := range map[string]arrow.DataType{
		"interval": arrow.FixedWidthTypes.MonthInterval,
		"map":      arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
		"decimal":  &arrow.Decimal128Type{Precision: 5, Scale: -1},
		"union":    arrow.DenseUnionOf([]arrow.Field{field("a", arrow.PrimitiveTypes.Int32, false), field("b", arrow.PrimitiveTypes.Int16, false)}, []arrow.UnionTypeCode{0, 1}),
	} {
		_, _, err := AvroOf(arrow.NewSchema([]arrow.Field{field("ok", arrow.Null, true), field(name, typ, false)}, nil))
		if !errors.Is(err, errs.ErrSchema) || err != nil && (!strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "ok (")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
