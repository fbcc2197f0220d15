package writers_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/writers"
)

var rewrite = flag.Bool("rewrite", false, "write the table of docs/losses.md anew")

const lossesDoc = "../docs/losses.md"

// lossFeatures are what schemas can have, a schema each, in the order of the table.
func lossFeatures() (names []string, schemas []*arrow.Schema) {
	add := func(name string, md *arrow.Metadata, fields ...arrow.Field) {
		names, schemas = append(names, name), append(schemas, arrow.NewSchema(fields, md))
	}
	one := func(name string, t arrow.DataType) {
		add(name, nil, arrow.Field{Name: "x", Type: t, Nullable: t.ID() != arrow.DENSE_UNION})
	}
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	one("null", arrow.Null)
	one("bool", arrow.FixedWidthTypes.Boolean)
	one("int8, int16", arrow.PrimitiveTypes.Int8)
	one("int32", arrow.PrimitiveTypes.Int32)
	one("int64", i64)
	one("uint8, uint16, uint32", arrow.PrimitiveTypes.Uint32)
	one("uint64", arrow.PrimitiveTypes.Uint64)
	one("float16", arrow.FixedWidthTypes.Float16)
	one("float32", arrow.PrimitiveTypes.Float32)
	one("float64", arrow.PrimitiveTypes.Float64)
	one("utf8", str)
	one("large_utf8, utf8 views", arrow.BinaryTypes.LargeString)
	one("binary", arrow.BinaryTypes.Binary)
	one("fixed_size_binary", &arrow.FixedSizeBinaryType{ByteWidth: 3})
	one("date32", arrow.FixedWidthTypes.Date32)
	one("date64", arrow.FixedWidthTypes.Date64)
	one("time32[ms]", arrow.FixedWidthTypes.Time32ms)
	one("time64[ns]", arrow.FixedWidthTypes.Time64ns)
	one("timestamp[us]", &arrow.TimestampType{Unit: arrow.Microsecond})
	one("timestamp[ns]", &arrow.TimestampType{Unit: arrow.Nanosecond})
	one("timestamp[us, UTC]", arrow.FixedWidthTypes.Timestamp_us)
	one("timestamp[us, another zone]", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Asia/Tokyo"})
	one("duration", arrow.FixedWidthTypes.Duration_us)
	one("interval of months", arrow.FixedWidthTypes.MonthInterval)
	one("other intervals", arrow.FixedWidthTypes.MonthDayNanoInterval)
	one("decimal, to 38 digits", &arrow.Decimal128Type{Precision: 20, Scale: 2})
	one("decimal, to 76 digits", &arrow.Decimal256Type{Precision: 60, Scale: 2})
	one("list", arrow.ListOf(i64))
	one("large_list, list views", arrow.LargeListOf(i64))
	one("fixed_size_list", arrow.FixedSizeListOf(2, i64))
	one("struct", arrow.StructOf(arrow.Field{Name: "y", Type: i64, Nullable: true}))
	one("map of text", arrow.MapOf(str, i64))
	one("map of other keys", arrow.MapOf(i64, i64))
	one("union", arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: i64, Nullable: true}, {Name: "b", Type: str, Nullable: true}}, []arrow.UnionTypeCode{0, 1}))
	one("dictionary of text", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str})
	one("dictionary of numbers", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: i64})
	one("run ends", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, i64))
	one("extension type", conformance.LabelOf(str))
	add("never null", nil, arrow.Field{Name: "x", Type: i64})
	add("metadata of a field", nil, arrow.Field{Name: "x", Type: i64, Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})})
	text := arrow.NewMetadata([]string{"k"}, []string{"v"})
	add("metadata of the schema", &text, arrow.Field{Name: "x", Type: i64, Nullable: true})
	bytes := arrow.NewMetadata([]string{"k"}, []string{"\xff"})
	add("the same, not UTF-8", &bytes, arrow.Field{Name: "x", Type: i64, Nullable: true})
	add("rows without columns", nil)
	return names, schemas
}

// docFormats are the columns of the table; an IPC stream is as an IPC file.
var docFormats = []string{"ipc", "parquet", "orc", "trevni", "avro", "cfile", "kudu", "csv", "jsonl"}

// lossTable makes the table of docs/losses.md of what the plans say.
func lossTable(t *testing.T) string {
	t.Helper()
	names, schemas := lossFeatures()
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(docFormats, " | "), strings.Repeat("---|", len(docFormats)))
	for i, s := range schemas {
		fmt.Fprintf(&b, "| %s |", names[i])
		for _, format := range docFormats {
			fmt.Fprintf(&b, " %s |", lossCell(must(writers.Lookup(format)), s))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lossCell says what a format makes of a schema.
func lossCell(f arrowio.OutputFormat, s *arrow.Schema) string {
	o := lossOptions(f.Name)
	if f.Name == "kudu" {
		key := arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"kudu.key"}, []string{"true"})}
		md := s.Metadata()
		if s.NumFields() > 0 {
			s = arrow.NewSchema(append([]arrow.Field{key}, s.Fields()...), &md)
		}
	}
	p, err := f.Plan(s, o)
	if err != nil {
		return "refused"
	}
	var parts []string
	for _, l := range p.Losses() {
		text := l.Text
		switch {
		case l.Of == arrowio.LossOfFile && untyped(f.Name) && !strings.Contains(strings.Join(columnNulls(s), ""), "x"):
			continue // it is so of every file
		case l.Of == arrowio.LossOfFile:
			text = "nullable"
		case l.Of == arrowio.LossOfMetadata || strings.Contains(text, "without metadata"):
			text = "lost"
		}
		text = firstClause(strings.TrimPrefix(text, "comes back "))
		switch {
		case strings.Contains(l.Text, "same instants"):
			text = "in zone UTC"
		case strings.HasPrefix(text, "as utf8 where"):
			text = "kept, or as utf8"
		case strings.HasPrefix(text, "without its extension type"):
			text = "without it"
		case strings.HasPrefix(text, "without"):
			text = "as its values"
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "kept"
	}
	return strings.Join(parts, ", ")
}

// firstClause returns a text up to its first comma, semicolon or colon that is not in brackets, or "unless".
func firstClause(text string) string {
	text, _, _ = strings.Cut(text, " unless ")
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '(', '<':
			depth++
		case ']', ')', '>':
			depth--
		case ',', ';', ':':
			if depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

// columnNulls returns the names of the columns that are never null.
func columnNulls(s *arrow.Schema) (names []string) {
	for _, f := range s.Fields() {
		if !f.Nullable && f.Type.ID() != arrow.DENSE_UNION {
			names = append(names, f.Name)
		}
	}
	return names
}

// The table of docs/losses.md is what the plans say.
func TestLossesDocument(t *testing.T) {
	const begin, end = "<!-- table -->\n", "<!-- end -->"
	b, err := os.ReadFile(lossesDoc)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	i, j := strings.Index(text, begin), strings.Index(text, end)
	if i < 0 || j < i {
		t.Fatal("the document has no place for the table")
	}
	want := text[:i+len(begin)] + lossTable(t) + text[j:]
	if text == want {
		return
	}
	if !*rewrite {
		t.Fatalf("%s is not what the plans say; go test ./writers -run LossesDocument -rewrite writes it anew", lossesDoc)
	}
	if err := os.WriteFile(lossesDoc, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
