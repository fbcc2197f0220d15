package orctext

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// A record of every kind of value, and its text written by hand.
func TestRows(t *testing.T) {
	point := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	union := arrow.DenseUnionOf([]arrow.Field{{Name: "_0", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "_1", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{0, 1})
	var fields []arrow.Field
	for _, f := range []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Nanosecond},
		&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, &arrow.Decimal128Type{Precision: 9, Scale: 3},
		arrow.ListOf(arrow.PrimitiveTypes.Int16), arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), point, union,
	} {
		fields = append(fields, arrow.Field{Name: "c", Type: f, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	b.Field(0).(*array.BooleanBuilder).Append(true)
	b.Field(1).(*array.Int64Builder).Append(math.MinInt64)
	b.Field(2).(*array.Float32Builder).Append(1.5)
	b.Field(3).(*array.Float64Builder).Append(math.Copysign(0, -1))
	b.Field(4).(*array.StringBuilder).Append("a\"\\\n\x7fé\U0001F600")
	b.Field(5).(*array.BinaryBuilder).Append([]byte{0, 0xff})
	b.Field(6).(*array.Date32Builder).Append(-7)
	b.Field(7).(*array.TimestampBuilder).Append(-1)
	b.Field(8).(*array.TimestampBuilder).Append(1500)
	b.Field(9).(*array.Decimal128Builder).Append(decimal128.FromI64(-5))
	l := b.Field(10).(*array.ListBuilder)
	l.Append(true)
	l.ValueBuilder().(*array.Int16Builder).AppendValues([]int16{1, 2}, []bool{true, false})
	m := b.Field(11).(*array.MapBuilder)
	m.Append(true)
	m.KeyBuilder().(*array.StringBuilder).Append("k")
	m.ItemBuilder().(*array.Int32Builder).AppendNull()
	s := b.Field(12).(*array.StructBuilder)
	s.Append(true)
	s.FieldBuilder(0).(*array.Int8Builder).Append(-3)
	u := b.Field(13).(*array.DenseUnionBuilder)
	u.Append(1)
	u.Child(1).(*array.StringBuilder).Append("u")
	for _, f := range b.Fields()[:13] {
		f.AppendNull()
	}
	u.Append(1)
	u.Child(1).AppendNull()
	rec := b.NewRecord()
	defer rec.Release()
	want := []string{
		`[true,-9223372036854775808,"f3fc00000","d8000000000000000","a\"\\\u000a\u007f\u00e9\ud83d\ude00","00ff",-7,[-1,999999999],[1,500000000],"-0.005",[1,null],[["k",null]],[-3],{"tag":1,"value":"u"}]`,
		`[` + strings.Repeat("null,", 13) + `null]`,
	}
	if got := Rows(rec); !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	part := rec.NewSlice(1, 2)
	defer part.Release()
	if got := Rows(part); !reflect.DeepEqual(got, want[1:]) {
		t.Errorf("a slice: %s", got)
	}
}

// A root that is no struct is printed as it is; long values and broken strings by what they are known by.
func TestRoot(t *testing.T) {
	md := arrow.NewMetadata([]string{orcwire.MetaRoot}, []string{"true"})
	schema := arrow.NewSchema([]arrow.Field{{Name: orcwire.RootName, Type: arrow.BinaryTypes.String, Metadata: md}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	v := b.Field(0).(*array.StringBuilder)
	v.Append("\xff")
	v.Append(strings.Repeat("a", 4097))
	rec := b.NewRecord()
	defer rec.Release()
	want := []string{`{"badutf8":"ff"}`, `{"len":4097,"sha256":"4e369b5618643c3abddd027b650bfa54810be3b418028a7c9d82299a59d008e8"}`}
	if got := Rows(rec); !reflect.DeepEqual(got, want) {
		t.Errorf("%s", got)
	}
}

func TestExpect(t *testing.T) {
	for line, want := range map[string]string{
		`[{"tag":0,"value":null},1]`:                        `[null,1]`,
		`{"tag":1,"value":{"tag":12,"value":null}}`:         `null`,
		`[{"tag":1,"value":[null]},"{\"tag\":0,\"value\""]`: `[{"tag":1,"value":[null]},"{\"tag\":0,\"value\""]`,
	} {
		if got := Expect(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
