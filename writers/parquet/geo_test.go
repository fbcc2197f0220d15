package parquet

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	reader "github.com/arrowio/arrowio/readers/parquet"
)

// Columns of GeoArrow's well-known binary, which those of ORC's geometries and geographies are in Arrow, become Parquet's.
func TestGeoArrow(t *testing.T) {
	bin := arrow.DataType(arrow.BinaryTypes.Binary)
	for _, c := range []struct {
		typ      arrow.DataType
		metadata string
		written  string
		loss     string
	}{
		{bin, `{"crs":"OGC:CRS84","crs_type":"authority_code"}`, "BYTE_ARRAY GEOMETRY", ""},
		{bin, `{"crs":"EPSG:3857","crs_type":"authority_code","edges":"planar"}`, "BYTE_ARRAY GEOMETRY(crs=EPSG:3857)", ""},
		{bin, `{"crs":"3857","crs_type":"srid"}`, "BYTE_ARRAY GEOMETRY(crs=srid:3857)", ""},
		{bin, `{"crs": {"id": 1}, "crs_type": "projjson"}`, `BYTE_ARRAY GEOMETRY(crs={"id":1})`, ""},
		{bin, `{"crs":"projjson:there"}`, "BYTE_ARRAY GEOMETRY(crs=projjson:there)", ""},
		{bin, `{"crs":"projjson:gone"}`, "BYTE_ARRAY GEOMETRY(crs=projjson:gone)", `its coordinate reference system is in the metadata "gone", which the file does not have`},
		{bin, `{"crs":"OGC:CRS84","edges":"spherical"}`, "BYTE_ARRAY GEOGRAPHY", ""},
		{bin, `{"crs":"EPSG:4326","edges":"karney"}`, "BYTE_ARRAY GEOGRAPHY(algorithm=KARNEY, crs=EPSG:4326)", ""},
		{bin, `{"crs":"EPSG:4326","edges":"rhumb"}`, "BYTE_ARRAY", ""}, // no format knows such edges
		{bin, "", "BYTE_ARRAY GEOMETRY", "names no coordinate reference system, which Parquet takes for OGC:CRS84"},
		{bin, `{"crs":null}`, "BYTE_ARRAY GEOMETRY", "names no coordinate reference system, which Parquet takes for OGC:CRS84"},
		{bin, `{"crs":`, "BYTE_ARRAY", ""},
		{arrow.BinaryTypes.LargeBinary, `{"crs":"EPSG:4326"}`, "BYTE_ARRAY GEOMETRY(crs=EPSG:4326)", ""},
		{arrow.BinaryTypes.String, `{"crs":"EPSG:4326"}`, "BYTE_ARRAY STRING", ""},
		{&arrow.FixedSizeBinaryType{ByteWidth: 21}, `{"crs":"EPSG:4326"}`, "FIXED_LEN_BYTE_ARRAY(21)", ""},
	} {
		md := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"geoarrow.wkb", c.metadata})
		leaf := arrow.Field{Name: "x", Type: c.typ, Nullable: true, Metadata: md}
		item := leaf
		item.Name = "item"
		file := arrow.NewMetadata([]string{"there"}, []string{"{}"})
		schema := arrow.NewSchema([]arrow.Field{
			leaf,
			{Name: "s", Type: arrow.StructOf(leaf), Nullable: true},
			{Name: "l", Type: arrow.ListOfField(item), Nullable: true},
		}, &file)
		p, err := Format().Plan(schema, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Columns[0].Stored != c.written || p.Columns[0].Loss != c.loss {
			t.Errorf("%s of %s: stored as %s, want %s; lost %q, want %q", c.metadata, c.typ, p.Columns[0].Stored, c.written, p.Columns[0].Loss, c.loss)
		}
		if n := len(p.Losses()); (c.loss == "") != (n == 0) || c.loss != "" && n != 3 {
			t.Errorf("%s of %s: %v", c.metadata, c.typ, p.Losses())
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
			t.Errorf("%s of %s: %v, want %v", c.metadata, c.typ, got, rec)
		}
		got.Release()
		rec.Release()
		b.Release()
	}
}
