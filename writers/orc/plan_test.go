package orc_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func optional(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func planOf(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	return writer.Plan(s, o)
}

func format() arrowio.OutputFormat { return writer.Format() }

func newWriter(st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	return arrowio.NewWriter(context.Background(), format(), st, p)
}

func readerOptions() reader.Options { return reader.Options{} }

// TestPlanTypes: what each type becomes, how it is stored, and what reading back would not show.
func TestPlanTypes(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	const strings = "dictionary or direct, zlib"
	for _, c := range []struct {
		t                      arrow.DataType
		stored, encoding, loss string
	}{
		{arrow.FixedWidthTypes.Boolean, "boolean", "direct, zlib", ""},
		{arrow.PrimitiveTypes.Int8, "tinyint", "direct, zlib", ""},
		{arrow.PrimitiveTypes.Uint8, "smallint", "direct, zlib", "comes back as int16"},
		{arrow.PrimitiveTypes.Uint32, "bigint", "direct, zlib", "comes back as int64"},
		{arrow.PrimitiveTypes.Uint64, "bigint", "direct, zlib", "comes back as int64"},
		{arrow.FixedWidthTypes.Float16, "float", "direct, zlib", "comes back as float32"},
		{str, "string", strings, ""},
		{arrow.BinaryTypes.LargeString, "string", strings, "comes back as utf8"},
		{arrow.BinaryTypes.Binary, "binary", "direct, zlib", ""},
		{arrow.FixedWidthTypes.Date64, "date", "direct, zlib", "comes back as date32"},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, "timestamp", "direct, zlib", ""},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, "timestamp with local time zone", "direct, zlib", "comes back as timestamp[ns, tz=UTC], or as timestamp[us, tz=UTC] if there are times before 1677 or after 2262 (Go, Flight and Python: with --timestamp-unit=us), and times beyond the years -290308 to 294247 need --timestamp-unit=s"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, "decimal(9,2)", "direct, zlib", ""},
		{&arrow.DictionaryType{IndexType: i32, ValueType: str}, "string", strings, "comes back as utf8 unless --dictionary is given"},
		{arrow.ListOf(i32), "array", "direct, zlib", ""},
		{arrow.StructOf(optional("y", i32)), "struct", "", ""},
		{arrow.LargeListOf(i32), "array", "direct, zlib", "comes back as list"},
	} {
		p, err := writer.Plan(schemaOf(optional("x", c.t)), arrowio.WriteOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.t, err)
			continue
		}
		got := p.Columns[0]
		if got.Path != "x" || got.Stored != c.stored || got.Encoding != c.encoding || got.Loss != c.loss {
			t.Errorf("%s: %+v\nwant %+v", c.t, got, c)
		}
	}
}

// TestPlanEncodings: the plan says what the options make of columns.
func TestPlanEncodings(t *testing.T) {
	s := schemaOf(optional("x", arrow.BinaryTypes.String))
	for _, c := range []struct {
		o    arrowio.WriteOptions
		want string
	}{
		{arrowio.WriteOptions{}, "dictionary or direct, zlib"},
		{arrowio.WriteOptions{Compression: "zstd:9"}, "dictionary or direct, zstd"},
		{arrowio.WriteOptions{Compression: "none", Options: map[string]string{"orc-dictionary": "0"}}, "direct, none"},
	} {
		p, err := writer.Plan(s, c.o)
		if err != nil || p.Columns[0].Encoding != c.want {
			t.Errorf("%+v: %+v, %v; want %q", c.o, p, err, c.want)
		}
	}
}

// TestPlanRefuses: every column in the way is named, those that are not are not, and nothing is created.
func TestPlanRefuses(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	codes := make([]arrow.UnionTypeCode, 0)
	s := schemaOf(
		field("fine", i32),
		field("span", arrow.FixedWidthTypes.DayTimeInterval),
		field("s", arrow.StructOf(field("inner", arrow.FixedWidthTypes.MonthDayNanoInterval), field("good", i32))),
		field("l", arrow.ListOf(&arrow.Decimal256Type{Precision: 39, Scale: 2})),
		field("m", arrow.MapOf(arrow.BinaryTypes.String, arrow.FixedWidthTypes.DayTimeInterval)),
		field("d", &arrow.Decimal128Type{Precision: 5, Scale: -2}),
		field("u", arrow.DenseUnionOf(nil, codes)),
		field("dict", &arrow.DictionaryType{IndexType: i32, ValueType: arrow.FixedWidthTypes.MonthDayNanoInterval}),
		field("ree", arrow.RunEndEncodedOf(i32, arrow.FixedWidthTypes.DayTimeInterval)),
		field("bad\xff", i32),
	)
	_, err := writer.Plan(s, arrowio.WriteOptions{})
	wantError(t, err, errs.ErrSchema, "span (", "s.inner (", "l.item (", "m.value (", "d (", "u (", "dict (", "ree (", "UTF-8")
	for _, word := range []string{"fine", "good"} {
		if err != nil && strings.Contains(err.Error(), word) {
			t.Errorf("names %s, which is in no way: %v", word, err)
		}
	}
}

// TestEveryTypeHasAnAnswer: a type is planned and written, or refused by name; nothing panics.
func TestEveryTypeHasAnAnswer(t *testing.T) {
	for _, dt := range append(conformance.Types(), conformance.FlatTypes()...) {
		s := schemaOf(optional("x", dt))
		_, err := writer.Plan(s, arrowio.WriteOptions{})
		if err != nil {
			wantError(t, err, errs.ErrSchema, "x")
		}
	}
}

// TestOptions: what cannot be is refused before anything is written.
func TestOptions(t *testing.T) {
	s := schemaOf(field("id", arrow.PrimitiveTypes.Int64), field("b", arrow.BinaryTypes.Binary), field("st", arrow.StructOf(field("y", arrow.BinaryTypes.String))))
	for _, c := range []struct {
		compression string
		options     map[string]string
		kind        error
		says        string
	}{
		{"", map[string]string{"orc-version": "2.0"}, errs.ErrOption, "0.12, 0.11"},
		{"", map[string]string{"orc-row-index-stride": "-1"}, errs.ErrOption, "no number of rows"},
		{"", map[string]string{"orc-row-index-stride": "99999999999"}, errs.ErrOption, "no number of rows"},
		{"", map[string]string{"orc-stripe-rows": "x"}, errs.ErrOption, "orc-stripe-rows"},
		{"", map[string]string{"orc-block-size": "1023"}, errs.ErrOption, "1024 to 8388607"},
		{"", map[string]string{"orc-block-size": "8388608"}, errs.ErrOption, "1024 to 8388607"},
		{"", map[string]string{"orc-bloom": "b"}, errs.ErrOption, `"b"`},
		{"", map[string]string{"orc-bloom": "id,nobody"}, errs.ErrOption, `"nobody"`},
		{"", map[string]string{"orc-bloom": "id", "orc-row-index-stride": "0"}, errs.ErrOption, "row groups"},
		{"", map[string]string{"orc-bloom-fpp": "0.1"}, errs.ErrOption, "--orc-bloom names no column that gets one"},
		{"zlib:99", nil, errs.ErrOption, `"zlib:99": the levels of zlib are 0 to 9`},
		{"deflate:99", nil, errs.ErrOption, `"deflate:99": the levels of deflate are 0 to 9`},
		{"bzip2", nil, errs.ErrOption, `"bzip2" is not one of none, zlib, snappy, lz4, zstd, brotli`},
		{"", map[string]string{"orc-bloom-fpp": "1"}, errs.ErrOption, "between 0 and 1"},
		{"", map[string]string{"orc-bloom-fpp": "NaN"}, errs.ErrOption, "between 0 and 1"},
		{"", map[string]string{"orc-dictionary": "1.5"}, errs.ErrOption, "from 0 to 1"},
		{"", map[string]string{"orc-last-second": "lose"}, errs.ErrOption, "refuse, shift"},
		{"", map[string]string{"orc-encoding-strategy": "size"}, errs.ErrOption, "speed, compression"},
		{"lzo", nil, errs.ErrOption, "lzo is read, not written"},
		{"zlib:10", nil, errs.ErrOption, "0 to 9"},
		{"none:1", nil, errs.ErrOption, "no level"},
		{"bzip2", nil, errs.ErrOption, "bzip2"},
		{"middle-out", nil, errs.ErrOption, "middle-out"},
	} {
		_, err := writer.Plan(s, arrowio.WriteOptions{Compression: c.compression, Options: c.options})
		wantError(t, err, c.kind, c.says)
	}
	for _, c := range []string{"", "none", "null", "uncompressed", "zlib", "zlib:9", "deflate", "deflate:1", "snappy", "lz4", "zstd", "zstd:3", "brotli", "brotli:5"} {
		if _, err := writer.Plan(s, arrowio.WriteOptions{Compression: c, Options: map[string]string{"orc-bloom": "id,st.y"}}); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	if n := len(format().Options); n != len(slices.CompactFunc(format().Options, func(a, b arrowio.Option) bool { return a.Name == b.Name })) {
		t.Error("an option twice")
	}
}
