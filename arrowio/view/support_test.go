package view

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

var (
	tI8, tI16, tI32, tI64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	tU8, tU16, tU32, tU64 = arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64
	tF32, tF64            = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	tStr, tBin            = arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
)

func dec(p, s int32) arrow.DataType    { return &arrow.Decimal128Type{Precision: p, Scale: s} }
func dec256(p, s int32) arrow.DataType { return &arrow.Decimal256Type{Precision: p, Scale: s} }
func stamp(u arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: zone}
}

func opt(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}
func req(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

// columnsOf makes optional columns: "a", int32, "b", utf8.
func columnsOf(t ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(t); i += 2 {
		fields = append(fields, opt(t[i].(string), t[i+1].(arrow.DataType)))
	}
	return schemaOf(fields...)
}

// fromJSON makes a record in Go memory.
func fromJSON(t testing.TB, s *arrow.Schema, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), s, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// joinTwo joins two types of one column.
func joinTwo(a, b arrow.DataType) (arrow.DataType, *clash) {
	return joinTypes([]part{{arrow.Field{Type: a}, 0}, {arrow.Field{Type: b}, 1}})
}
