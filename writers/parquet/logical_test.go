package parquet

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	reader "github.com/arrowio/arrowio/readers/parquet"
)

// Arrow's UUIDs and JSON are those of Parquet, at any depth, and come back as extension types without more metadata. Of what is stored in
// another way the extension type alone tells.
func TestExtensionTypes(t *testing.T) {
	fixed := func(n int) arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: n} }
	for _, c := range []struct {
		typ           arrow.DataType
		name, written string
	}{
		{fixed(16), "arrow.uuid", "FIXED_LEN_BYTE_ARRAY(16) UUID"},
		{fixed(15), "arrow.uuid", "FIXED_LEN_BYTE_ARRAY(15)"},
		{fixed(16), "other.uuid", "FIXED_LEN_BYTE_ARRAY(16)"},
		{arrow.BinaryTypes.String, "arrow.json", "BYTE_ARRAY JSON"},
		{arrow.BinaryTypes.LargeString, "arrow.json", "BYTE_ARRAY JSON"},
		{arrow.BinaryTypes.StringView, "arrow.json", "BYTE_ARRAY JSON"},
		{arrow.BinaryTypes.Binary, "arrow.json", "BYTE_ARRAY"},
		{arrow.PrimitiveTypes.Int8, "arrow.bool8", "INT32 INT(8)"},
	} {
		md := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{c.name, ""})
		leaf := arrow.Field{Name: "x", Type: c.typ, Nullable: true, Metadata: md}
		item := leaf
		item.Name = "item"
		schema := arrow.NewSchema([]arrow.Field{
			leaf,
			{Name: "s", Type: arrow.StructOf(leaf), Nullable: true},
			{Name: "l", Type: arrow.ListOfField(item), Nullable: true},
			{Name: "m", Type: arrow.MapOfWithMetadata(arrow.BinaryTypes.String, arrow.Metadata{}, c.typ, md), Nullable: true},
		}, nil)
		p, err := Format().Plan(schema, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Columns[0].Stored != c.written || len(p.Losses()) > 0 {
			t.Errorf("%s as %s: stored as %s, want %s; lost %v", c.typ, c.name, p.Columns[0].Stored, c.written, p.Losses())
		}
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for _, col := range b.Fields() {
			col.AppendNull()
			col.AppendEmptyValue()
		}
		rec := b.NewRecord()
		objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, memory.NewGoAllocator())
		if !got.Schema().Equal(schema) || got.Schema().String() != schema.String() || !array.RecordEqual(rec, got) {
			t.Errorf("%s as %s: %v, want %v", c.typ, c.name, got, rec)
		}
		got.Release()
		rec.Release()
		b.Release()
	}
}

// A logical type that no Arrow type tells is written where the metadata of a field names it and the column is stored as the type
// has to be. What is read back names it, at any depth.
func TestLogicalTypes(t *testing.T) {
	fixed := func(n int) arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: n} }
	text, bin := arrow.DataType(arrow.BinaryTypes.String), arrow.DataType(arrow.BinaryTypes.Binary)
	for _, c := range []struct {
		typ           arrow.DataType
		name, written string
	}{
		{fixed(16), "UUID", "FIXED_LEN_BYTE_ARRAY(16) UUID"},
		{fixed(15), "UUID", "FIXED_LEN_BYTE_ARRAY(15)"},
		{fixed(12), "INTERVAL", "FIXED_LEN_BYTE_ARRAY(12) INTERVAL"},
		{text, "JSON", "BYTE_ARRAY JSON"},
		{text, "ENUM", "BYTE_ARRAY ENUM"},
		{text, "UUID", "BYTE_ARRAY STRING"},
		{bin, "BSON", "BYTE_ARRAY BSON"},
		{bin, "JSON", "BYTE_ARRAY"},
		{bin, "GEOMETRY", "BYTE_ARRAY GEOMETRY"},
		{bin, "GEOMETRY(crs=EPSG:3857)", "BYTE_ARRAY GEOMETRY(crs=EPSG:3857)"},
		{bin, "GEOGRAPHY(algorithm=KARNEY, crs=)", "BYTE_ARRAY GEOGRAPHY(algorithm=KARNEY, crs=)"},
		{bin, "GEOMETRY(what)", "BYTE_ARRAY"},
		{text, "GEOMETRY", "BYTE_ARRAY STRING"},
		{arrow.FixedWidthTypes.Time32ms, "TIME(isAdjustedToUTC=true)", "INT32 TIME(ms, UTC)"},
		{arrow.FixedWidthTypes.Time64us, "TIME(isAdjustedToUTC=true)", "INT64 TIME(us, UTC)"},
		{arrow.FixedWidthTypes.Time64ns, "TIME(isAdjustedToUTC=true)", "INT64 TIME(ns, UTC)"},
		{arrow.PrimitiveTypes.Int64, "TIME(isAdjustedToUTC=true)", "INT64"},
	} {
		md := arrow.NewMetadata([]string{metaLogical}, []string{c.name})
		leaf := arrow.Field{Name: "x", Type: c.typ, Nullable: true, Metadata: md}
		item := leaf
		item.Name = "item"
		schema := arrow.NewSchema([]arrow.Field{
			leaf,
			{Name: "s", Type: arrow.StructOf(leaf), Nullable: true},
			{Name: "l", Type: arrow.ListOfField(item), Nullable: true},
			{Name: "m", Type: arrow.MapOfWithMetadata(text, arrow.Metadata{}, c.typ, md), Nullable: true},
		}, nil)
		p, err := Format().Plan(schema, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Columns[0].Stored != c.written || len(p.Losses()) > 0 {
			t.Errorf("%s as %s: stored as %s, want %s; lost %v", c.typ, c.name, p.Columns[0].Stored, c.written, p.Losses())
		}
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for _, col := range b.Fields() {
			col.AppendNull()
			col.AppendEmptyValue()
		}
		rec := b.NewRecord()
		objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"parquet-page-index": "yes"}})
		if err != nil {
			t.Fatal(err)
		}
		got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, memory.NewGoAllocator())
		if !got.Schema().Equal(schema) || got.Schema().String() != schema.String() || !array.RecordEqual(rec, got) {
			t.Errorf("%s as %s: %v, want %v", c.typ, c.name, got, rec)
		}
		got.Release()
		rec.Release()
		b.Release()
	}
}
