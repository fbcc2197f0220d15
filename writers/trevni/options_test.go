package trevni_test

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

func one(t testing.TB, objects map[string][]byte) []byte {
	t.Helper()
	if len(objects) != 1 {
		t.Fatalf("%d files", len(objects))
	}
	for _, b := range objects {
		return b
	}
	return nil
}

// TestColumnCodecs: columns have the codecs that were asked for, and keep them when the file is written again, in both views.
func TestColumnCodecs(t *testing.T) {
	rec := events(3_000)
	defer rec.Release()
	o := arrowio.WriteOptions{Options: map[string]string{"trevni-codec": "id=deflate:9,pts=none,tags[]=deflate,note=none,kind=snappy"}}
	want := "id deflate, ts snappy, kind snappy, score snappy, ratio snappy, name snappy, flag snappy, tags[] deflate, note/string null, pts[] null, pts[]#x null, pts[]#ok null"
	codecs := func(b []byte) string {
		h, _ := layout(t, b)
		var list []string
		for _, c := range h.Columns {
			list = append(list, c.Name+" "+trevniwire.CodecName(c.Codec))
		}
		return strings.Join(list, ", ")
	}
	file := one(t, write(t, rec.Schema(), []arrow.Record{rec}, o))
	if got := codecs(file); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	verify(t, "file", file)
	for _, view := range []string{"records", "columns"} {
		schema, recs := scan(t, file, view, memory.DefaultAllocator, 1000)
		again := one(t, write(t, schema, recs, arrowio.WriteOptions{}))
		kept := strings.Replace(want, "pts[] null", "pts[] snappy", 1) // no field of records stands for the lengths
		if view == "columns" {
			kept = want
		}
		if got := codecs(again); got != kept {
			t.Errorf("%s: written again %s\nwant %s", view, got, kept)
		}
		other := one(t, write(t, schema, recs, arrowio.WriteOptions{Compression: "deflate", Options: map[string]string{"trevni-codec": "id=none"}}))
		if got := codecs(other); !strings.HasPrefix(got, "id null, ts deflate") || strings.Count(got, "deflate") != 11 {
			t.Errorf("%s: written with another codec %s", view, got)
		}
		release(recs)
	}
	for given, says := range map[string]string{"id": "COLUMN=NAME", "nobody=snappy": `no column "nobody"`, "id=bzip2": "none, snappy, or deflate", "id=": "none, snappy, or deflate", "id=snappy,id=none": `column "id" is there twice`} {
		wantError(t, tryWrite(t, rec.Schema(), arrowio.WriteOptions{Options: map[string]string{"trevni-codec": given}}), errs.ErrOption, says)
	}
}

// TestNotNull: fields without nulls become plain columns, which are checked, and have first values.
func TestNotNull(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	s := fieldsOf("id?", arrow.PrimitiveTypes.Int64, "in", inner, "name?", arrow.BinaryTypes.String)
	make := func(null int) arrow.Record {
		return build(memory.DefaultAllocator, s, 40_000, func(b *array.RecordBuilder, i int) {
			b.Field(0).(*array.Int64Builder).Append(int64(i) << 20)
			b.Field(1).(*array.StructBuilder).Append(true)
			if i == null {
				b.Field(1).(*array.StructBuilder).FieldBuilder(0).AppendNull()
			} else {
				b.Field(1).(*array.StructBuilder).FieldBuilder(0).(*array.Int64Builder).Append(int64(-i))
			}
			if i%5 == 0 {
				b.Field(2).AppendNull()
			} else {
				b.Field(2).(*array.StringBuilder).Append("n")
			}
		})
	}
	rec, bad := make(-1), make(31_234)
	defer rec.Release()
	defer bad.Release()
	o := arrowio.WriteOptions{Options: map[string]string{"trevni-not-null": "id,in.x"}}
	file := one(t, write(t, s, []arrow.Record{rec}, o))
	h, _ := layout(t, file)
	if c := h.Columns; c[0].Name != "id" || c[0].Array || !c[0].Values || c[1].Name != "in#x" || c[1].Array || !c[2].Array {
		t.Errorf("%+v", c)
	}
	verify(t, "file", file)
	err := tryWrite(t, s, o, bad)
	wantError(t, err, errs.ErrSchema, "row 31234: a null, and --trevni-not-null says that there is none")
	for given, says := range map[string]string{"nobody": "nobody", "in.y": "y"} {
		wantError(t, tryWrite(t, s, arrowio.WriteOptions{Options: map[string]string{"trevni-not-null": given}}), errs.ErrOption, says)
	}
}

// TestSpecChecksum: the specification's checksum has its name and its order of bytes.
func TestSpecChecksum(t *testing.T) {
	s := fieldsOf("n", arrow.PrimitiveTypes.Int64)
	rec := build(memory.DefaultAllocator, s, 100, func(b *array.RecordBuilder, i int) { b.Field(0).(*array.Int64Builder).Append(int64(i)) })
	defer rec.Release()
	for _, codec := range []string{"none", "deflate"} {
		file := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: codec, Options: map[string]string{"trevni-checksum": "crc-32"}}))
		h, blocks := layout(t, file)
		if h.Meta.Text("trevni.checksum") != "crc-32" {
			t.Error(h.Meta)
		}
		b := blocks[0][0]
		if got, want := binary.LittleEndian.Uint32(file[b.Off+b.Packed:]), crc32.ChecksumIEEE(unpack(t, file, &h.Columns[0], b)); got != want {
			t.Errorf("%s: checksum %08x, want %08x", codec, got, want)
		}
		verify(t, codec, file)
	}
}

// TestFixedIntegers: integers in a fixed width are read as the same, also where avro.schema says int and long.
func TestFixedIntegers(t *testing.T) {
	rec := events(20_000)
	defer rec.Release()
	for _, schema := range []string{"avro", ""} {
		file := one(t, write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"trevni-integers": "fixed", "trevni-schema": schema}}))
		h, _ := layout(t, file)
		if h.Columns[0].Type != trevniwire.Fixed64 || h.Columns[2].Type != trevniwire.Fixed32 || h.Columns[3].Type != trevniwire.Double {
			t.Errorf("%+v", h.Columns)
		}
		verify(t, "file", file)
		_, recs := scan(t, file, "records", memory.DefaultAllocator, 20_000)
		if !array.RecordEqual(recs[0], rec) {
			t.Error("other rows")
		}
		release(recs)
	}
}

// TestBlockBytes: blocks end with the row that reaches their size.
func TestBlockBytes(t *testing.T) {
	s := fieldsOf("n", arrow.PrimitiveTypes.Float64)
	rec := build(memory.DefaultAllocator, s, 1_000, func(b *array.RecordBuilder, i int) { b.Field(0).(*array.Float64Builder).Append(float64(i)) })
	defer rec.Release()
	for given, rows := range map[string]int64{"1KiB": 128, "1025": 129, "4096": 512, "": 1000} {
		file := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"trevni-block-bytes": given}}))
		if _, blocks := layout(t, file); blocks[0][0].Rows != rows {
			t.Errorf("%q: a block of %d rows, want %d", given, blocks[0][0].Rows, rows)
		}
	}
	for _, given := range []string{"1", "1GiB", "many"} {
		wantError(t, tryWrite(t, s, arrowio.WriteOptions{Options: map[string]string{"trevni-block-bytes": given}}), errs.ErrOption, "1KiB to 64MiB")
	}
}

// TestNanoseconds: timestamps in nanoseconds come back as they were, with and without a zone.
func TestNanoseconds(t *testing.T) {
	s := fieldsOf("z?", arrow.FixedWidthTypes.Timestamp_ns, "l", &arrow.TimestampType{Unit: arrow.Nanosecond})
	rec := build(memory.DefaultAllocator, s, 10, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(i*1_000_000_007 - 5))
		b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(-i))
	})
	defer rec.Release()
	file := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{}))
	h, _ := layout(t, file)
	want := `{"type":"record","name":"Row","fields":[{"name":"z","type":["null",{"type":"long","logicalType":"timestamp-nanos"}]},{"name":"l","type":{"type":"long","logicalType":"local-timestamp-nanos"}}]}`
	if got := h.Meta.Text("avro.schema"); got != want {
		t.Error(got)
	}
	back, recs := scan(t, file, "", memory.DefaultAllocator, 100)
	defer release(recs)
	if !array.RecordEqual(recs[0], rec) || !back.Equal(s) {
		t.Errorf("%s", back)
	}
	for _, schema := range []string{"avro", "columns"} {
		o := map[string]string{"trevni-timestamps": "cut", "trevni-not-null": "z", "trevni-codec": "l=none", "trevni-schema": schema}
		b := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Options: o}))
		_, blocks := layout(t, b)
		if got := b[blocks[1][0].Off]; got != 0 || b[blocks[1][0].Off+1] != 1 { // 0 ns, then -1 ns, which is -1 us as a zig-zag number
			t.Errorf("%s: %d %d", schema, got, b[blocks[1][0].Off+1])
		}
	}
	wantError(t, tryWrite(t, s, arrowio.WriteOptions{Options: map[string]string{"trevni-timestamps": "micros"}}, rec), errs.ErrSchema, "-5 ns is no whole number of microseconds")
	plain := arrowio.WriteOptions{Options: map[string]string{"trevni-schema": "columns", "trevni-not-null": "z"}}
	wantError(t, tryWrite(t, s, plain, rec), errs.ErrSchema, "-5 ns is no whole number of microseconds")
}
