package trevni_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func optional(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

// TestPlanTypes: what each type becomes, and what reading back would not show.
func TestPlanTypes(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: v}
	}
	for _, c := range []struct {
		t            arrow.DataType
		stored, loss string
	}{
		{arrow.Null, "null", ""},
		{arrow.FixedWidthTypes.Boolean, "boolean", ""},
		{arrow.PrimitiveTypes.Int8, "int", "comes back as int32"},
		{arrow.PrimitiveTypes.Uint16, "int", "comes back as int32"},
		{i32, "int", ""},
		{arrow.PrimitiveTypes.Uint32, "long", "comes back as int64"},
		{arrow.PrimitiveTypes.Int64, "long", ""},
		{arrow.PrimitiveTypes.Uint64, "long", "comes back as int64"},
		{arrow.FixedWidthTypes.Float16, "float", "comes back as float32"},
		{arrow.PrimitiveTypes.Float32, "float", ""},
		{arrow.PrimitiveTypes.Float64, "double", ""},
		{str, "string", ""},
		{arrow.BinaryTypes.LargeString, "string", "comes back as utf8"},
		{arrow.BinaryTypes.StringView, "string", "comes back as utf8"},
		{arrow.BinaryTypes.Binary, "bytes", ""},
		{arrow.BinaryTypes.LargeBinary, "bytes", "comes back as binary"},
		{arrow.BinaryTypes.BinaryView, "bytes", "comes back as binary"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 7}, "fixed(7)", ""},
		{arrow.FixedWidthTypes.Date32, "int (date)", ""},
		{arrow.FixedWidthTypes.Date64, "int (date)", "comes back as date32"},
		{arrow.FixedWidthTypes.Time32s, "int (time-millis)", "comes back as time32[ms]"},
		{arrow.FixedWidthTypes.Time32ms, "int (time-millis)", ""},
		{arrow.FixedWidthTypes.Time64us, "long (time-micros)", ""},
		{arrow.FixedWidthTypes.Time64ns, "long (time-micros)", "comes back as time64[us]"},
		{arrow.FixedWidthTypes.Timestamp_ms, "long (timestamp-millis)", ""},
		{arrow.FixedWidthTypes.Timestamp_us, "long (timestamp-micros)", ""},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, "long (local-timestamp-micros)", ""},
		{&arrow.TimestampType{Unit: arrow.Second}, "long (local-timestamp-millis)", "comes back in milliseconds"},
		{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Asia/Tokyo"}, "long (timestamp-millis)", "the same instants, zone UTC instead of Asia/Tokyo"},
		{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Tokyo"}, "long (timestamp-nanos)", "the same instants, zone UTC instead of Asia/Tokyo"},
		{arrow.FixedWidthTypes.Duration_s, "long", "comes back as int64 s"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, "bytes (decimal 9,2)", ""},
		{&arrow.Decimal256Type{Precision: 60, Scale: 0}, "bytes (decimal 60,0)", ""},
		{dict(str), "string", "comes back as utf8"},
		{dict(arrow.PrimitiveTypes.Int16), "int", "comes back as int32"},
		{arrow.RunEndEncodedOf(i32, arrow.PrimitiveTypes.Float64), "double", "comes back as float64"},
		{conformance.LabelOf(str), "string", ""},
		{arrow.LargeListOf(i32), "array", "comes back as list"},
		{arrow.FixedSizeListOf(3, i32), "array", "comes back as list"},
		{arrow.ListViewOf(i32), "array", "comes back as list"},
		{arrow.MapOf(arrow.BinaryTypes.LargeString, i32), "map", "keys come back as utf8"},
		{conformance.LabelOf(arrow.ListOf(i32)), "array", ""},
		{arrow.DenseUnionOf([]arrow.Field{optional("int", i32), optional("string", str), optional("null", arrow.Null)}, []arrow.UnionTypeCode{0, 1, 2}), "int", ""},
		{arrow.DenseUnionOf([]arrow.Field{field("a", i32), field("b", str)}, []arrow.UnionTypeCode{0, 1}), "union", "comes back as dense_union, its children named by their types"},
		{arrow.SparseUnionOf([]arrow.Field{field("int", i32), field("string", str)}, []arrow.UnionTypeCode{0, 1}), "union", "comes back as dense_union, its children named by their types"},
		{arrow.DenseUnionOf([]arrow.Field{optional("int", i32), field("string", str)}, []arrow.UnionTypeCode{0, 1}), "union", "comes back as dense_union, with a child null for nulls"},
		{arrow.DenseUnionOf([]arrow.Field{optional("a", i32), field("b", str)}, []arrow.UnionTypeCode{0, 1}), "union", "comes back as dense_union, its children named by their types, with a child null for nulls"},
		{dict(arrow.DenseUnionOf([]arrow.Field{field("a", i32), field("b", str)}, []arrow.UnionTypeCode{0, 1})), "union", "comes back as dense_union, its children named by their types, with a child null for nulls; comes back as never null"},
		{dict(arrow.DenseUnionOf([]arrow.Field{field("int", i32), field("string", str)}, []arrow.UnionTypeCode{0, 1})), "union", "comes back as dense_union, with a child null for nulls; comes back as never null"},
		{arrow.DenseUnionOf([]arrow.Field{optional("int", i32)}, []arrow.UnionTypeCode{0}), "union", "comes back as a nullable field of the one type; comes back as nullable"},
	} {
		f := optional("x", c.t)
		if _, ok := c.t.(arrow.UnionType); ok {
			f.Nullable = false // unions have no nulls of their own
		}
		p, err := writer.Plan(schemaOf(f), arrowio.WriteOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.t, err)
			continue
		}
		got := p.Columns[0]
		if got.Path == "x" && got.Type != c.t.String() || got.Stored != c.stored || got.Loss != c.loss || got.Encoding != "snappy" {
			t.Errorf("%s: %+v\nwant stored %q, loss %q", c.t, got, c.stored, c.loss)
		}
	}
}

// TestPlanPaths: one entry for each flat field, by its dotted path.
func TestPlanPaths(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	p, err := writer.Plan(schemaOf(
		field("s", arrow.StructOf(field("a", i32), field("b c", arrow.ListOf(str)))),
		field("m", arrow.MapOf(str, arrow.StructOf(field("v", i32)))),
	), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range p.Columns {
		paths = append(paths, c.Path)
	}
	if want := []string{"s.a", "s.b c.item", "m.value.v"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}

// TestPlanRefuses: every column in the way is named, and nothing is created.
func TestPlanRefuses(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	union := arrow.DenseUnionOf([]arrow.Field{field("a", i32), field("b", arrow.FixedWidthTypes.Date32)}, []arrow.UnionTypeCode{0, 1})
	_, err := writer.Plan(schemaOf(
		field("fine", i32),
		field("span", arrow.FixedWidthTypes.MonthInterval),
		field("s", arrow.StructOf(field("span", arrow.FixedWidthTypes.MonthDayNanoInterval))),
		field("m", arrow.MapOf(i32, i32)),
		field("u", union),
		field("uu", arrow.DenseUnionOf([]arrow.Field{field("x", arrow.DenseUnionOf([]arrow.Field{field("y", i32)}, []arrow.UnionTypeCode{0}))}, []arrow.UnionTypeCode{0})),
		field("d", &arrow.Decimal128Type{Precision: 5, Scale: -2}),
	), arrowio.WriteOptions{})
	wantError(t, err, errs.ErrSchema, "span (", "s.span (", "m (map<int32, int32, items_nullable>: keys are not text)", "u (", "two branches are int", "uu (", "a union within a union", "d (", "scale")
	if strings.Contains(err.Error(), "fine") {
		t.Errorf("names a column that is in no way: %v", err)
	}

	_, err = writer.Plan(schemaOf(
		field("fine", i32),
		field("s", arrow.StructOf(field("x", i32))),
		field("l", arrow.LargeListOf(i32)),
		field("fine", i32),
		field("d", &arrow.Decimal128Type{Precision: 5, Scale: 2}),
	), arrowio.WriteOptions{Options: map[string]string{"trevni-schema": "columns"}})
	wantError(t, err, errs.ErrSchema, "s (", "l (", "fine (two columns of one name)", "d (", "trevni-schema=avro")
}

// wantError checks an error's kind and that it says all of parts.
func wantError(t testing.TB, err error, kind error, parts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want one of kind %v", err, kind)
		return
	}
	for _, p := range append(parts, "trevni: ") {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

func TestOptions(t *testing.T) {
	s := schemaOf(field("id", arrow.PrimitiveTypes.Int64), field("flag", arrow.FixedWidthTypes.Boolean), optional("opt", arrow.PrimitiveTypes.Int32))
	for _, c := range []struct {
		o    arrowio.WriteOptions
		kind error
		says string
	}{
		{arrowio.WriteOptions{Options: map[string]string{"trevni-schema": "parquet"}}, errs.ErrOption, "avro or columns"},
		{arrowio.WriteOptions{Options: map[string]string{"trevni-checksum": "md5"}}, errs.ErrOption, "crc32, crc-32 or null"},
		{arrowio.WriteOptions{Options: map[string]string{"trevni-values": "id,flag"}}, errs.ErrOption, `"flag"`},
		{arrowio.WriteOptions{Options: map[string]string{"trevni-values": "opt"}}, errs.ErrOption, `"opt"`},
		{arrowio.WriteOptions{Options: map[string]string{"trevni-values": "nobody"}}, errs.ErrOption, `"nobody"`},
		{arrowio.WriteOptions{Compression: "zstd"}, errs.ErrOption, "none, deflate, snappy"},
		{arrowio.WriteOptions{Compression: "deflate:12"}, errs.ErrOption, "0 to 9"},
		{arrowio.WriteOptions{Compression: "none:1"}, errs.ErrOption, "no level"},
		{arrowio.WriteOptions{Compression: "bzip2"}, errs.ErrOption, "bzip2 is read, not written"},
	} {
		_, err := writer.Plan(s, c.o)
		wantError(t, err, c.kind, c.says)
	}
	if _, err := writer.Plan(s, arrowio.WriteOptions{Options: map[string]string{"trevni-values": "id"}}); err != nil {
		t.Error(err)
	}
}

// TestAvroSchemaKept: data that came with an avro.schema goes back under the same text if it still fits it.
func TestAvroSchemaKept(t *testing.T) {
	const text = `{"type":"record","name":"R","namespace":"n.s","doc":"kept","fields":[` +
		`{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]},"default":"A"},` +
		`{"name":"o","type":["long","null"]}]}`
	enum := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	md := arrow.NewMetadata([]string{"trevni.avro.schema"}, []string{text})
	e, o := field("e", enum), optional("o", arrow.PrimitiveTypes.Int64)
	for _, c := range []struct {
		name   string
		fields []arrow.Field
		kept   bool
	}{
		{"as it came", []arrow.Field{e, o}, true},
		{"fewer nulls", []arrow.Field{e, field("o", arrow.PrimitiveTypes.Int64)}, true},
		{"other order", []arrow.Field{o, e}, false},
		{"a column less", []arrow.Field{e}, false},
		{"other type", []arrow.Field{e, optional("o", arrow.PrimitiveTypes.Int32)}, false},
		{"other name", []arrow.Field{e, optional("p", arrow.PrimitiveTypes.Int64)}, false},
		{"nulls where there were none", []arrow.Field{optional("e", enum), o}, false},
	} {
		s := arrow.NewSchema(c.fields, &md)
		for _, b := range write(t, s, nil, arrowio.WriteOptions{}) {
			h, _ := layout(t, b)
			if got := h.Meta.Text("avro.schema"); (got == text) != c.kept {
				t.Errorf("%s: avro.schema is %s", c.name, got)
			}
		}
	}

	// A symbol that the schema does not have.
	s := arrow.NewSchema([]arrow.Field{e, o}, &md)
	rec := build(memory.DefaultAllocator, s, 3, func(b *array.RecordBuilder, i int) {
		if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(string(rune('A' + i))); err != nil {
			t.Fatal(err)
		}
		b.Field(1).AppendNull()
	})
	defer rec.Release()
	wantError(t, tryWrite(t, s, arrowio.WriteOptions{}, rec), errs.ErrSchema, "column e", "row 2", `"C" is no symbol`)
}

// TestNames: what Avro does not call a name is kept beside the one that stands in for it.
func TestNames(t *testing.T) {
	for _, names := range [][]string{{"a b", "a_b", "a-b", "a_b_2"}, {"", "_", "9", "ü", "Zoë", "int"}, {"x", "x", "x_2"}} {
		var fields []arrow.Field
		for _, n := range names {
			fields = append(fields, field(n, arrow.PrimitiveTypes.Int32), field(n+"!", arrow.StructOf(field(n, arrow.PrimitiveTypes.Int32))))
		}
		s := schemaOf(fields...)
		for _, b := range write(t, s, nil, arrowio.WriteOptions{}) {
			back, _ := scan(t, b, "records", memory.DefaultAllocator, 10)
			if err := conformance.EqualSchemas(s, back); err != nil {
				t.Errorf("%q: %v", names, err)
			}
			h, _ := layout(t, b)
			for _, c := range h.Columns {
				if strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_#") != "" {
					t.Errorf("%q: column %q", names, c.Name)
				}
			}
		}
	}
}

// TestMetadata: what users said of file and columns is kept; what the format says cannot be said by them.
func TestMetadata(t *testing.T) {
	md := arrow.NewMetadata([]string{"trevni.owner", "trevni.trevni.codec", "pandas"}, []string{"me", "lzma", "{}"})
	col := field("id", arrow.PrimitiveTypes.Int64)
	col.Metadata = arrow.NewMetadata(
		[]string{"trevni.meta.unit", "trevni.meta.trevni.values", "trevni.meta.arrowio.sorted", "trevni.meta-hex.raw", "other"},
		[]string{"ms", "", "ascending", "ff00", "x"})
	for _, b := range write(t, arrow.NewSchema([]arrow.Field{col}, &md), nil, arrowio.WriteOptions{Compression: "deflate"}) {
		h, _ := layout(t, b)
		file := map[string]string{
			"trevni.codec": "deflate", "trevni.checksum": "crc32", "owner": "me",
			"pandas": "{}", "arrowio.keys": `["pandas"]`,
			"avro.schema": `{"type":"record","name":"Row","fields":[{"name":"id","type":"long","arrow.metadata":["arrowio.field.other","x"]}]}`,
		}
		wantMeta(t, h.Meta, file)
		wantMeta(t, h.Columns[0].Meta, map[string]string{"trevni.name": "id", "trevni.type": "long", "unit": "ms", "raw": "\xff\x00"})
	}
}

func wantMeta(t *testing.T, m trevniwire.Meta, want map[string]string) {
	t.Helper()
	if len(m) != len(want) {
		t.Errorf("metadata %q, want %q", m, want)
	}
	for _, p := range m {
		if v, ok := want[p.Key]; !ok || v != string(p.Value) {
			t.Errorf("metadata %s=%q, want %q", p.Key, p.Value, v)
		}
	}
}

// Planning costs as much for each column whatever their number is.
func TestPlanOfManyColumns(t *testing.T) {
	allocs := func(n int) float64 {
		fields := make([]arrow.Field, n)
		for i := range fields {
			fields[i] = arrow.Field{Name: fmt.Sprintf("a_name_that_takes_memory_where_it_is_joined_%d", i), Type: arrow.PrimitiveTypes.Int32}
		}
		s := arrow.NewSchema(fields, nil)
		return testing.AllocsPerRun(1, func() {
			if _, err := writer.Format().Plan(s, arrowio.WriteOptions{Compression: "snappy"}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(200), allocs(1600); many > 10*few {
		t.Errorf("%.0f allocations for 200 columns, %.0f for 1600", few, many)
	}
}

// What the plan says of codecs is said of the column that a path is in, dots in names or not.
func TestPlanTellsCodecsByName(t *testing.T) {
	inside := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32})
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: inside}, {Name: "ab", Type: arrow.PrimitiveTypes.Int32}, {Name: "a.x", Type: arrow.PrimitiveTypes.Int32}}, nil)
	p, err := writer.Format().Plan(s, arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"trevni-codec": "a=deflate,ab=none"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range p.Columns {
		got[c.Path] = c.Encoding
	}
	if want := map[string]string{"a.x": "deflate", "ab": "null", `"a.x"`: "snappy"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
