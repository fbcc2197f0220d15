package orc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/readers/orc"
)

func icebergOptions(word string) arrowio.WriteOptions {
	return arrowio.WriteOptions{Options: map[string]string{"orc-iceberg": word}}
}

// fromJSON makes a batch.
func fromJSON(t *testing.T, s *arrow.Schema, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestIcebergAttributes writes what Iceberg's own writer attaches to types: the specification's Appendix A.
func TestIcebergAttributes(t *testing.T) {
	st := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.FixedWidthTypes.Time64us}, arrow.Field{Name: "y", Type: arrow.ListOf(arrow.BinaryTypes.Binary), Nullable: true})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: st, Nullable: true},
		{Name: "u", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid", "PARQUET:field_id": "20"})},
		{Name: "f", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
		{Name: "z", Type: &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, Nullable: true},
	}, nil)
	rec := fromJSON(t, s, `[{"a": 1, "s": {"x": "00:00:01", "y": []}}]`)
	defer rec.Release()
	files, err := writeRecords(s, []arrow.Record{rec}, icebergOptions("schema"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		f := open(t, name, b, reader.Options{})
		defer f.Close()
		in := f.(*reader.File)
		info, err := f.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range info.Columns[1:] { // behind the root
			got = append(got, fmt.Sprintf("%s %s", c.Path, c.Metadata))
		}
		want := []string{
			"a map[iceberg.id:21 iceberg.long-type:LONG iceberg.required:true]", "s map[iceberg.id:22 iceberg.required:false]",
			"s.x map[iceberg.id:26 iceberg.long-type:TIME iceberg.required:true]", "s.y map[iceberg.id:27 iceberg.required:false]",
			"s.y.item map[iceberg.binary-type:BINARY iceberg.id:28 iceberg.required:false]",
			"u map[iceberg.binary-type:UUID iceberg.id:20 iceberg.required:false]",
			"f map[iceberg.binary-type:FIXED iceberg.id:23 iceberg.length:3 iceberg.required:false]",
			"t map[iceberg.id:24 iceberg.required:false iceberg.timestamp-unit:NANOS]", "z map[iceberg.id:25 iceberg.required:false iceberg.timestamp-unit:MICROS]",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, part := range []string{`"element-id":28`, `{"id":20,"name":"u","required":false,"type":"uuid"}`, `"type":"timestamp_ns"`, `"type":"timestamptz"`} {
			if text := string(in.UserMetadata("iceberg.schema")); !strings.Contains(text, part) {
				t.Errorf("%s is not in %s", part, text)
			}
		}
	}
}

// TestIcebergDays keeps days of before 1582, under a footer that calls them Julian.
func TestIcebergDays(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true}}, nil)
	rec := fromJSON(t, s, `[{"d": -180000}, {"d": -719162}, {"d": null}, {"d": 0}]`)
	defer rec.Release()
	files, err := writeRecords(s, []arrow.Record{rec}, icebergOptions("ids"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range files {
		recs := scan(t, b, reader.Options{}, arrowio.ScanOptions{})
		if got := fmt.Sprint(recs[0].Column(0).(*array.Date32).Date32Values()[:2]); got != "[-180000 -719162]" {
			t.Error(got)
		}
		release(recs)
	}
}

func TestIcebergRefusals(t *testing.T) {
	one := func(typ arrow.DataType, md ...string) *arrow.Schema {
		m := map[string]string{}
		for i := 0; i < len(md); i += 2 {
			m[md[i]] = md[i+1]
		}
		return arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ, Nullable: true, Metadata: arrow.MetadataFrom(m)}}, nil)
	}
	id := arrow.MetadataFrom(map[string]string{"PARQUET:field_id": "1"})
	for i, s := range []*arrow.Schema{
		one(arrow.FixedWidthTypes.Time32ms), one(arrow.FixedWidthTypes.Time64ns), one(arrow.FixedWidthTypes.Duration_us), one(arrow.FixedWidthTypes.MonthInterval),
		one(arrow.DenseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []arrow.UnionTypeCode{0})),
		one(arrow.StructOf()), one(arrow.PrimitiveTypes.Int32, "orc.root", "true"), one(arrow.BinaryTypes.Binary, "orc.type", "geometry"),
		one(arrow.PrimitiveTypes.Int32, "orc.iceberg.id", "x"), one(arrow.BinaryTypes.Binary, "orc.iceberg.binary-type", "FIXED"),
		arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Metadata: id}, {Name: "b", Type: arrow.PrimitiveTypes.Int32, Metadata: id}}, nil),
		arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil),
	} {
		if _, err := writeRecords(s, nil, icebergOptions("ids")); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%d: %s: %v", i, s, err)
		}
	}
	for _, c := range []struct {
		s    *arrow.Schema
		text string
	}{
		{one(arrow.PrimitiveTypes.Int32, "orc.iceberg.required", "true"), `[{"a": null}]`},
		{one(arrow.BinaryTypes.Binary, "orc.iceberg.binary-type", "UUID"), `[{"a": "AAE="}]`},
	} {
		rec := fromJSON(t, c.s, c.text)
		if _, err := writeRecords(c.s, []arrow.Record{rec}, icebergOptions("ids")); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%s: %v", c.text, err)
		}
		rec.Release()
	}
	o := icebergOptions("ids")
	o.Compression = "brotli"
	if _, err := writeRecords(one(arrow.PrimitiveTypes.Int32), nil, o); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}
