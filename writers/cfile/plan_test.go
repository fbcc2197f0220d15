package cfile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// TestMapping plans a column of each type in both formats: what it becomes, and what is lost.
func TestMapping(t *testing.T) {
	times := func(unit arrow.TimeUnit, zone string) arrow.DataType {
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}
	}
	dec := func(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }
	dec256 := func(p, s int32) arrow.DataType { return &arrow.Decimal256Type{Precision: p, Scale: s} }
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: v}
	}
	str, bin := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	const refused = "refused"
	for _, c := range []struct {
		f             arrow.Field
		lone, table   string // stored; "" = as lone
		loss, inTable string // a part of it; "" = none; inTable "" = as loss
	}{
		{f: field("x", arrow.FixedWidthTypes.Boolean), lone: "bool"},
		{f: field("x", arrow.PrimitiveTypes.Int8), lone: "int8"},
		{f: field("x", arrow.PrimitiveTypes.Int64), lone: "int64"},
		{f: field("x", arrow.PrimitiveTypes.Uint8), lone: "uint8", table: "int16", inTable: "comes back as int16"},
		{f: field("x", arrow.PrimitiveTypes.Uint16), lone: "uint16", table: "int32", inTable: "comes back as int32"},
		{f: field("x", arrow.PrimitiveTypes.Uint32), lone: "uint32", table: "int64", inTable: "comes back as int64"},
		{f: field("x", arrow.PrimitiveTypes.Uint64), lone: "uint64", table: "int64", inTable: "comes back as int64; refused: values above 9223372036854775807"},
		{f: field("x", arrow.FixedWidthTypes.Float16), lone: "float", loss: "comes back as float32"},
		{f: field("x", arrow.PrimitiveTypes.Float32), lone: "float"},
		{f: field("x", arrow.PrimitiveTypes.Float64), lone: "double"},
		{f: field("x", str), lone: "string"},
		{f: field("x", arrow.BinaryTypes.LargeString), lone: "string", loss: "comes back as utf8"},
		{f: field("x", arrow.BinaryTypes.StringView), lone: "string", loss: "comes back as utf8"},
		{f: field("x", bin), lone: "binary"},
		{f: field("x", &arrow.FixedSizeBinaryType{ByteWidth: 3}), lone: "binary", loss: "comes back as binary"},
		{f: withMeta(field("x", str), "kudu.type", "varchar(7)"), lone: "varchar(7)"},
		{f: withMeta(field("x", str), "kudu.type", "varchar"), lone: "varchar", table: "varchar(65535)", inTable: "comes back as varchar(65535)"},
		{f: withMeta(field("x", str), "kudu.type", "varchar(70000)"), lone: "string", loss: "without metadata kudu.type"},
		{f: withMeta(field("x", str), "kudu.type", "string"), lone: "string"},
		{f: withMeta(field("x", bin), "kudu.type", "string"), lone: "string", loss: "comes back as utf8 unless --cfile-strings=binary", inTable: "--kudu-strings=binary"},
		{f: withMeta(field("x", bin), "kudu.type", "varchar(9)"), lone: "varchar(9)", loss: "comes back as utf8 unless"},
		{f: field("x", times(arrow.Microsecond, "UTC")), lone: "unixtime_micros"},
		{f: field("x", times(arrow.Microsecond, "")), lone: "unixtime_micros", loss: "comes back as timestamp[us, tz=UTC], the same wall clock in UTC"},
		{f: field("x", times(arrow.Second, "Europe/Paris")), lone: "unixtime_micros", loss: "the same instants"},
		{f: field("x", times(arrow.Nanosecond, "UTC")), lone: "unixtime_micros", loss: "; refused: values that are no whole number of microseconds, unless --cfile-timestamps=truncate", inTable: "refused: values that are no whole number of microseconds, unless --kudu-timestamps=truncate"},
		{f: field("x", arrow.FixedWidthTypes.Date32), lone: "date"},
		{f: field("x", arrow.FixedWidthTypes.Date64), lone: "date", loss: "; refused: values that are not midnight, or beyond date32", inTable: "comes back as date32; refused: values that are not midnight, or beyond date32"},
		{f: field("x", arrow.FixedWidthTypes.Time32ms), lone: "int32", loss: "the milliseconds since midnight"},
		{f: field("x", arrow.FixedWidthTypes.Time64ns), lone: "int64", loss: "the nanoseconds since midnight"},
		{f: field("x", arrow.FixedWidthTypes.Duration_us), lone: "int64", loss: "the number of microseconds"},
		{f: field("x", arrow.FixedWidthTypes.MonthInterval), lone: "int32", loss: "the number of months"},
		{f: field("x", dec(9, 2)), lone: "decimal32(9,2)"},
		{f: field("x", dec(10, 2)), lone: "decimal64(10,2)"},
		{f: field("x", dec(19, 0)), lone: "decimal128(19,0)"},
		{f: field("x", dec(3, 5)), lone: "decimal32(5,5)", loss: "comes back as decimal(5, 5)"},
		{f: field("x", dec256(38, 2)), lone: "decimal128(38,2)", loss: "comes back as decimal(38, 2)"},
		{f: withMeta(field("x", dec(5, 2)), "kudu.type", "decimal64"), lone: "decimal64(5,2)"},
		{f: withMeta(field("x", dec(5, 2)), "kudu.type", "decimal128"), lone: "decimal128(5,2)"},
		{f: withMeta(field("x", dec(38, 0)), "kudu.type", "int128"), lone: "int128", table: "decimal128(38,0)", inTable: "without metadata kudu.type"},
		{f: withMeta(field("x", &arrow.FixedSizeBinaryType{ByteWidth: 16}), "kudu.type", "int128"), lone: "int128", loss: "comes back as decimal(38, 0)", table: "binary", inTable: "comes back as binary"},
		{f: field("x", dict(str)), lone: "string", loss: "comes back as utf8"},
		{f: field("x", dict(dec(5, 1))), lone: "decimal32(5,1)", loss: "comes back as decimal(5, 1)"},
		{f: field("x", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int16)), lone: "int16", loss: "comes back as int16"},
		{f: field("x", conformance.LabelOf(str)), lone: "string"},
		{f: optional("x", arrow.Null), lone: "bool", loss: "comes back as bool"},
		{f: withMeta(field("x", str), "kudu.comment", "what it is"), lone: "string"},
		{f: withMeta(field("x", str), "a", "b", "c", "d"), lone: "string"},
		{f: withMeta(field("x", str), "kudu.key", "true"), lone: "string"},
		{f: field("x", dec256(39, 2)), lone: refused},
		{f: field("x", dec(9, -2)), lone: refused},
		{f: field("x", arrow.FixedWidthTypes.DayTimeInterval), lone: refused},
		{f: field("x", arrow.FixedWidthTypes.MonthDayNanoInterval), lone: refused},
		{f: field("x", arrow.ListOf(str)), lone: refused},
		{f: field("x", arrow.MapOf(str, str)), lone: refused},
		{f: field("x", arrow.StructOf(field("y", str))), lone: refused},
		{f: field("x", dict(arrow.ListOf(str))), lone: refused},
		{f: field("x", arrow.DenseUnionOf([]arrow.Field{field("a", str)}, []arrow.UnionTypeCode{0})), lone: refused},
		{f: field("x", arrow.FixedSizeListOf(2, str)), lone: refused},
	} {
		for _, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
			stored, loss, o := c.lone, c.loss, arrowio.WriteOptions{}
			key := withMeta(field("k", arrow.PrimitiveTypes.Int32), "kudu.key", "true")
			s := schemaOf(c.f)
			if f.Name == "kudu" {
				s = schemaOf(key, c.f)
				if c.table != "" {
					stored = c.table
				}
				if c.inTable == "none" {
					loss = ""
				} else if c.inTable != "" {
					loss = c.inTable
				}
			}
			p, err := f.Plan(s, o)
			if stored == refused {
				if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "x ("+c.f.Type.String()) {
					t.Errorf("%s: %s: %v", f.Name, c.f, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, c.f, err)
				continue
			}
			got := p.Columns[len(p.Columns)-1]
			told := got.Loss
			if got.Refused != "" && strings.Contains(loss, "refused: ") {
				told += "; refused: " + got.Refused
			}
			if got.Path != "x" || got.Stored != stored || (told == "") != (loss == "") || !strings.Contains(told, loss) {
				t.Errorf("%s: %s becomes %+v; want %s, loss %q", f.Name, c.f, got, stored, loss)
			}
		}
	}
}

// TestRefusals: all columns that are in the way are named at once.
func TestRefusals(t *testing.T) {
	str := arrow.BinaryTypes.String
	list := arrow.ListOf(str)
	for _, c := range []struct {
		what string
		s    *arrow.Schema
		o    map[string]string
		says []string
	}{
		{"types", schemaOf(field("a", list), field("k", str), field("b", list)), nil, []string{"a (", "b ("}},
		{"no name", schemaOf(field("", str), field("k", str)), nil, []string{"it has no name"}},
		{"two of a name", schemaOf(field("k", str), field("a", str), field("a", str)), nil, []string{"a (utf8: 2 columns have this name"}},
		{"not UTF-8", schemaOf(field("k", str), field("a\xff", str)), nil, []string{"not UTF-8"}},
		{"zero byte", schemaOf(field("k", str), field("a\x00", str)), nil, []string{"zero byte"}},
		{"keys", schemaOf(field("k", arrow.FixedWidthTypes.Boolean), field("f", arrow.PrimitiveTypes.Float64)), map[string]string{"kudu-key": "k,f"}, []string{"k (bool: bool is not for keys)", "f ("}},
		{"encodings", schemaOf(field("k", str), field("i", arrow.PrimitiveTypes.Int32)), map[string]string{"kudu-encoding": "rle"}, []string{"--kudu-encoding", "k (utf8: rle is no encoding of string, which takes auto, plain, prefix, dict)"}},
		{"encoding of one", schemaOf(field("k", str), field("i", arrow.PrimitiveTypes.Int32)), map[string]string{"kudu-encoding": "i=dict"}, []string{"--kudu-encoding", "i (int32: dict is no encoding of int32, which takes auto, plain, rle, bitshuffle)"}},
		{"length of a number", schemaOf(field("k", str), field("i", arrow.PrimitiveTypes.Int32)), map[string]string{"kudu-varchar": "i=10"}, []string{"--kudu-varchar", "i (int32: a VARCHAR is a string)"}},
	} {
		o := arrowio.WriteOptions{Options: map[string]string{"kudu-key": "k"}}
		for k, v := range c.o {
			o.Options[k] = v
		}
		_, err := writer.KuduFormat().Plan(c.s, o)
		kind := errs.ErrSchema
		if strings.HasPrefix(c.says[0], "--") { // an option asks for what cannot be
			kind = errs.ErrOption
		}
		if !errors.Is(err, kind) {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v does not say %q", c.what, err, says)
			}
		}
	}
	if _, err := writer.Format().Plan(schemaOf(), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("no columns: %v", err)
	}
	var wide []arrow.Field
	for i := range 3000 {
		wide = append(wide, withMeta(field(fmt.Sprint("k", i), &arrow.Decimal128Type{Precision: 38}), "kudu.key", "true"))
	}
	if _, err := writer.KuduFormat().Plan(schemaOf(wide...), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "48000 bytes") {
		t.Errorf("a wide key: %v", err)
	}
	var many []arrow.Field
	for i := range (arrowio.Limits{}).WithDefaults().Columns + 1 {
		many = append(many, field(fmt.Sprint("c", i), str))
	}
	if _, err := writer.Format().Plan(schemaOf(many...), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("too many columns: %v", err)
	}
}

func TestOptions(t *testing.T) {
	s := schemaOf(field("a", arrow.PrimitiveTypes.Int32), field("b", arrow.BinaryTypes.String), field("c=d", arrow.BinaryTypes.String))
	for what, o := range map[string]arrowio.WriteOptions{
		"unknown":             {Options: map[string]string{"kudu-x": "1"}},
		"other format's":      {Options: map[string]string{"cfile-encoding": "auto"}},
		"no key":              {},
		"no such key":         {Options: map[string]string{"kudu-key": "a,x"}},
		"a key twice":         {Options: map[string]string{"kudu-key": "a,a"}},
		"encoding":            {Options: map[string]string{"kudu-key": "a", "kudu-encoding": "delta"}},
		"removed encoding":    {Options: map[string]string{"kudu-key": "a", "kudu-encoding": "group_varint"}},
		"two encodings":       {Options: map[string]string{"kudu-key": "a", "kudu-encoding": "plain,auto"}},
		"column twice":        {Options: map[string]string{"kudu-key": "a", "kudu-encoding": "b=plain,b=dict"}},
		"no such column":      {Options: map[string]string{"kudu-key": "a", "kudu-encoding": "x=plain"}},
		"small blocks":        {Options: map[string]string{"kudu-key": "a", "kudu-block-size": "511"}},
		"large blocks":        {Options: map[string]string{"kudu-key": "a", "kudu-block-size": "8388609"}},
		"no size":             {Options: map[string]string{"kudu-key": "a", "kudu-block-size": "a="}},
		"codec":               {Compression: "zstd", Options: map[string]string{"kudu-key": "a"}},
		"level":               {Compression: "zlib:9", Options: map[string]string{"kudu-key": "a"}},
		"default is no codec": {Compression: "default", Options: map[string]string{"kudu-key": "a"}},
		"column's codec":      {Options: map[string]string{"kudu-key": "a", "kudu-compression": "a="}},
		"timestamps":          {Options: map[string]string{"kudu-key": "a", "kudu-timestamps": "round"}},
	} {
		if _, err := writer.KuduFormat().Plan(s, o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", what, err)
		}
	}
	p, err := writer.KuduFormat().Plan(s, arrowio.WriteOptions{Compression: "lz4", Options: map[string]string{
		"kudu-key": "b,a", "kudu-encoding": "plain,c=d=PREFIX,a=bit_shuffle", "kudu-block-size": "4096,b=1000", "kudu-compression": "a=none,b=zlib",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []arrowio.PlannedColumn{
		{Path: "b", Type: "utf8", Stored: "string", Encoding: "plain, 1000 B blocks, zlib", Loss: "comes back as column 1 instead of 2: those of the key come first", Refused: "rows whose key (b, a) does not come after that of the row before"},
		{Path: "a", Type: "int32", Stored: "int32", Encoding: "bitshuffle, 4 KiB blocks, none", Loss: "comes back as column 2 instead of 1: those of the key come first"},
		{Path: "c=d", Type: "utf8", Stored: "string", Encoding: "prefix, 4 KiB blocks, lz4"},
	}
	if !slices.Equal(p.Columns, want) || !slices.Equal(p.Key, []string{"b", "a"}) || p.Format != "kudu" || p.Schema != s {
		t.Errorf("%+v, key %v", p.Columns, p.Key)
	}
	p, err = writer.Format().Plan(s, arrowio.WriteOptions{})
	if err != nil || p.Key != nil || p.Format != "cfile" || p.Columns[0].Encoding != "bitshuffle, 256 KiB blocks, none" || p.Columns[1].Encoding != "dict, 256 KiB blocks, none" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestSchemaJSON: what the set says of its columns, from options and from what a reader of Kudu makes of a table.
func TestSchemaJSON(t *testing.T) {
	md := arrow.NewMetadata([]string{"kudu.table", "other"}, []string{"metrics", "x"})
	s := arrow.NewSchema([]arrow.Field{
		optional("v", arrow.PrimitiveTypes.Float64),
		withMeta(field("host", arrow.BinaryTypes.String), "kudu.type", "varchar(20)", "kudu.key", "true", "kudu.comment", "who"),
		withMeta(optional("at", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}), "kudu.key", "true"),
		field("d", &arrow.Decimal128Type{Precision: 15, Scale: 2}),
	}, &md)
	rec := build(s, 3, func(b *array.RecordBuilder, i int) {
		b.Field(0).AppendNull()
		b.Field(1).(*array.StringBuilder).Append("a")
		b.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(i))
		b.Field(3).AppendEmptyValue()
	})
	defer rec.Release()
	o := arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"kudu-block-size": "d=4096"}}
	p, err := writer.KuduFormat().Plan(s, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Metadata) != 2 || p.Metadata[1] != (arrowio.PlannedKey{Key: "other", Stored: "schema.json"}) || p.Columns[0].Path != "host" || !strings.Contains(p.Columns[1].Loss, "comes back as not nullable") || p.Columns[1].Refused != "nulls" {
		t.Errorf("%+v, %+v", p.Metadata, p.Columns)
	}
	got := write(t, writer.KuduFormat(), s, []arrow.Record{rec}, o)
	readBack(t, got, s, []arrow.Record{rec})
	const want = `{
  "format": "kudu-set",
  "version": 1,
  "writer": "arrowio",
  "table": "metrics",
  "columns": [
    {
      "id": 0,
      "name": "host",
      "type": "varchar",
      "length": 20,
      "key": true,
      "encoding": "dict",
      "compression": "snappy",
      "comment": "who"
    },
    {
      "id": 1,
      "name": "at",
      "type": "unixtime_micros",
      "key": true,
      "encoding": "bitshuffle",
      "compression": "snappy"
    },
    {
      "id": 2,
      "name": "v",
      "type": "double",
      "nullable": true,
      "encoding": "bitshuffle",
      "compression": "snappy"
    },
    {
      "id": 3,
      "name": "d",
      "type": "decimal64",
      "precision": 15,
      "scale": 2,
      "encoding": "bitshuffle",
      "compression": "snappy",
      "block_size": 4096
    }
  ],
  "rowsets": [
    {
      "rows": 3,
      "columns": [`
	if text := string(got["schema.json"]); !strings.HasPrefix(text, want) || !strings.Contains(text, `"min_key": "6100008000000000000000",
      "max_key": "6100008000000000000002"`) {
		t.Errorf("%s", text)
	}
	o.Options["kudu-table"] = "other"
	if set := setOf(t, write(t, writer.KuduFormat(), s, nil, o)); set.Table != "other" || len(set.RowSets) != 0 {
		t.Errorf("%+v", set)
	}
}

// TestFooterMetadata: a lone file keeps what its footer said, but not of which rows it was.
func TestFooterMetadata(t *testing.T) {
	md := arrow.NewMetadata([]string{"cfile.note", "cfile.min_key"}, []string{"\xff\x00", "x"})
	s := arrow.NewSchema([]arrow.Field{field("value", arrow.PrimitiveTypes.Int32)}, &md)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	rec := b.NewRecord()
	defer rec.Release()
	o := write(t, writer.Format(), s, []arrow.Record{rec}, arrowio.WriteOptions{})
	f := open(t, o, "value.cfile", &setOf(t, o).Schema.Columns[0])
	if v, ok := f.Footer().Lookup("note"); !ok || string(v) != "\xff\x00" || len(f.Footer().Meta) != 1 {
		t.Errorf("%+v", f.Footer().Meta)
	}
}

// TestNames: files have their columns' names where every file system takes them.
func TestNames(t *testing.T) {
	names := []string{
		"plain", "a/b", "..", "dot.ted", ".hidden", "Twin", "tWIN", "größe", strings.Repeat("x", 100), strings.Repeat("x", 101), "bloom", "Key-Index",
		"column-001", "CON", "nul.txt", "con2", "-x", "a b", "schema", "_1", "a\\b", "a:b",
	}
	var fields []arrow.Field
	for _, n := range names {
		fields = append(fields, field(n, arrow.PrimitiveTypes.Int32))
	}
	rec := build(schemaOf(fields...), 10, func(b *array.RecordBuilder, i int) {
		for k, f := range b.Fields() {
			f.(*array.Int32Builder).Append(int32(i + k))
		}
	})
	defer rec.Release()
	own := map[string]bool{"plain": true, "dot.ted": true, strings.Repeat("x", 100): true, "con2": true, "_1": true}
	for _, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
		opt := map[string]string{}
		if f.Name == "kudu" {
			opt["kudu-key"] = "größe,a/b"
		}
		set := readBack(t, write(t, f, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: opt}), rec.Schema(), []arrow.Record{rec})
		for i, c := range set.Schema.Columns {
			want := fmt.Sprintf("column-%03d.cfile", i)
			if own[c.Name] {
				want = c.Name + ".cfile"
			}
			if f.Name == "kudu" {
				want = "rowset-00000/" + want
			}
			if got := set.RowSets[0].Columns[i].Name; got != want {
				t.Errorf("%s: %q is in %s, want %s", f.Name, c.Name, got, want)
			}
		}
	}
}

// TestAdvice: a codec on top of bitshuffle is advised against; on dictionaries, and where the codec is none, nothing is said.
func TestAdvice(t *testing.T) {
	s := schemaOf(field("k", arrow.PrimitiveTypes.Int64), field("a", arrow.PrimitiveTypes.Int64), field("b", arrow.PrimitiveTypes.Int64), field("c", arrow.BinaryTypes.String))
	for _, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
		p, err := f.Plan(s, arrowio.WriteOptions{Compression: "zlib", Options: map[string]string{
			f.Name + "-compression": "b=none", f.Name + "-encoding": "k=plain", f.Name + "-key": "k",
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Columns {
			if said := strings.Contains(c.Advice, "LZ4 inside") && strings.Contains(c.Advice, "--"+f.Name+"-compression"); said != (c.Path == "a") {
				t.Errorf("%s: %s: %q", f.Name, c.Path, c.Advice)
			}
		}
	}
}
