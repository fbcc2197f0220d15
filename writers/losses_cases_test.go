package writers_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/writers"
)

// Lists nested to any depth are written and read, or refused by the plan.
func TestDeepListsAreReadOrRefused(t *testing.T) {
	for _, f := range writers.All() {
		for _, depth := range []int{1, 15, 16, 20, 30, 31, 32, 33, 60, 63, 64, 65, 130} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			typ := arrow.PrimitiveTypes.Int64
			for range depth {
				typ = arrow.ListOf(typ)
			}
			s := arrow.NewSchema([]arrow.Field{{Name: "l", Type: typ, Nullable: true}}, nil)
			b := array.NewRecordBuilder(mem, s)
			nested := b.Field(0)
			for range depth {
				nested.(*array.ListBuilder).Append(true)
				nested = nested.(*array.ListBuilder).ValueBuilder()
			}
			nested.(*array.Int64Builder).Append(7)
			rec := b.NewRecord()
			b.Release()
			c := lossCheck{t: t, mem: mem, format: f, name: typ.Name(), o: lossOptions("")}
			c.run(s, []arrow.Record{rec})
			rec.Release()
			mem.AssertSize(t, 0)
		}
	}
}

// Rows without columns keep their number, or the plan refuses them.
func TestRowsWithoutColumns(t *testing.T) {
	for _, f := range writers.All() {
		for _, md := range []arrow.Metadata{{}, arrow.NewMetadata([]string{"a"}, []string{"b"})} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			s := arrow.NewSchema(nil, &md)
			rec := array.NewRecord(s, nil, 17)
			c := lossCheck{t: t, mem: mem, format: f, name: "no columns"}
			c.run(s, []arrow.Record{rec})
			rec.Release()
			mem.AssertSize(t, 0)
		}
	}
}

// Types that only ORC or Kudu have, extension types and ids of Iceberg come back after a way through another format.
func TestTypesSurviveOtherFormats(t *testing.T) {
	field := func(name string, typ arrow.DataType, kv ...string) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true, Metadata: arrow.MetadataFrom(asMap(kv))}
	}
	str := arrow.BinaryTypes.String
	md := arrow.NewMetadata([]string{"orc.owner", "plain", "orc.raw"}, []string{"ops", "text", "\xff\x00"})
	s := arrow.NewSchema([]arrow.Field{
		field("c", str, "orc.type", "char(9)"), field("v", str, "orc.type", "varchar(40)"),
		field("id", arrow.PrimitiveTypes.Int64, "orc.iceberg.id", "3", "PARQUET:field_id", "3", "orc.iceberg.required", "false"),
		field("g", arrow.BinaryTypes.Binary, "orc.type", "geometry(EPSG:4326)", "ARROW:extension:name", "geoarrow.wkb",
			"ARROW:extension:metadata", `{"crs":"EPSG:4326","crs_type":"authority_code"}`),
		field("l", arrow.ListOfField(field("item", str, "orc.type", "varchar(7)"))),
		field("s", arrow.StructOf(field("x", str, "orc.type", "char(3)"))),
	}, &md)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for _, f := range b.Fields() {
		f.AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, by := range []string{"trevni", "avro", "ipc", "orc", "parquet"} {
		from := s
		if by == "parquet" { // it has no place for bytes that are no text
			var err error
			if _, err = must(writers.Lookup(by)).Plan(s, arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), `"orc.raw"`) || !strings.Contains(err.Error(), "--drop-metadata") {
				t.Errorf("parquet takes metadata that is not UTF-8: %v", err)
			}
			if from, err = (convert.MetadataEdit{Drop: []string{"orc.raw"}}).Apply(s); err != nil {
				t.Fatal(err)
			}
		}
		_, back, recs := through(t, mem, by, from, []arrow.Record{rec})
		plan, again, more := through(t, mem, "orc", back, recs)
		if l := plan.Losses(); len(l) != 0 {
			t.Errorf("by %s: the plan says %v", by, l)
		}
		for _, d := range schemadiff.Fields(from.Fields(), again.Fields()) {
			t.Errorf("by %s: %s %s", by, d.Path, d.Text)
		}
		if lost := schemadiff.Keys(from.Metadata(), again.Metadata()); len(lost) != 0 {
			t.Errorf("by %s: metadata %v is lost", by, lost)
		}
		releaseAll(recs)
		releaseAll(more)
	}
}

// A name of an extension type stays only where what is stored comes back as the same type: pyarrow refuses a file with arrow.uuid
// over anything but 16 bytes, as https://arrow.apache.org/docs/format/CanonicalExtensions.html has it. The plan says what is lost.
func TestExtensionsNeedTheirStorage(t *testing.T) {
	extension := func(field, name string, typ arrow.DataType, data string) arrow.Field {
		return arrow.Field{Name: field, Type: typ, Nullable: true, Metadata: arrow.NewMetadata(
			[]string{"unit", schemadiff.ExtensionName, schemadiff.ExtensionMetadata}, []string{"m", name, data})}
	}
	uuid := extension("uuid", "arrow.uuid", &arrow.FixedSizeBinaryType{ByteWidth: 16}, "")
	bool8 := extension("bool8", "arrow.bool8", arrow.PrimitiveTypes.Int8, "")
	json := extension("json", "arrow.json", arrow.BinaryTypes.String, "{}")
	large := extension("large", "arrow.json", arrow.BinaryTypes.LargeString, "{}")
	tensor := extension("tensor", "arrow.fixed_shape_tensor", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `{"shape":[2]}`)
	deep := arrow.Field{Name: "deep", Type: arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.StructOf(uuid, json), Nullable: true}), Nullable: true}
	stored := map[string]arrow.DataType{"arrow.uuid": uuid.Type, "arrow.bool8": bool8.Type, "arrow.fixed_shape_tensor": tensor.Type}
	flat := []arrow.Field{uuid, bool8, json, large}
	dictionary := extension("dictionary", "some.thing", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.FixedWidthTypes.Date32}, "")
	seconds := extension("seconds", "some.time", arrow.FixedWidthTypes.Timestamp_s, "")
	stored["some.thing"], stored["some.time"] = dictionary.Type, seconds.Type
	inside := arrow.Field{Name: "deep", Type: arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.StructOf(uuid, dictionary, seconds), Nullable: true}), Nullable: true}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for format, fields := range map[string][]arrow.Field{
		"ipc": append(flat, tensor, deep, dictionary, seconds), "parquet": append(flat, tensor, inside, dictionary, seconds), "orc": append(flat, tensor, deep), "trevni": append(flat, tensor, deep), "avro": append(flat, tensor, deep), "cfile": flat,
	} {
		s := arrow.NewSchema(fields, nil)
		b := array.NewRecordBuilder(mem, s)
		for _, f := range b.Fields() {
			f.AppendNull()
		}
		rec := b.NewRecord()
		plan, back, recs := through(t, mem, format, s, []arrow.Record{rec})
		rec.Release()
		b.Release()
		releaseAll(recs)
		losses := fmt.Sprint(plan.Losses())
		var look func(path string, want, got []arrow.Field)
		look = func(path string, want, got []arrow.Field) {
			for i, w := range want {
				if l, ok := w.Type.(*arrow.ListType); ok {
					look(path+"deep.item.", l.Elem().(*arrow.StructType).Fields(), got[i].Type.(*arrow.ListType).Elem().(*arrow.StructType).Fields())
					continue
				}
				had, _ := w.Metadata.GetValue(schemadiff.ExtensionName)
				name, kept := got[i].Metadata.GetValue(schemadiff.ExtensionName)
				right := stored[had] == nil || arrow.TypeEqual(stored[had], got[i].Type)
				if kept != right || kept && name != had {
					t.Errorf("%s: %s%s comes back as %s with the name %q", format, path, w.Name, got[i].Type, name)
				}
				if lost := strings.Contains(losses, path+w.Name+": comes back without its extension type "+had); lost == right {
					t.Errorf("%s: %s%s: the plan says %s", format, path, w.Name, losses)
				}
				if unit, _ := got[i].Metadata.GetValue("unit"); unit != "m" {
					t.Errorf("%s: %s%s loses other metadata", format, path, w.Name)
				}
			}
		}
		look("", fields, back.Fields())
	}
}

// A column "a.b" is not the field b of the column a.
func TestExtensionsOfAlikePaths(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	md := arrow.NewMetadata([]string{schemadiff.ExtensionName}, []string{"some.time"})
	b := arrow.Field{Name: "b", Type: arrow.FixedWidthTypes.Time32s, Nullable: true}
	for _, lost := range []string{`"a.b"`, "a.b"} {
		dotted, child := b, b
		dotted.Name = "a.b"
		if lost == "a.b" {
			child.Metadata = md
		} else {
			dotted.Metadata = md
		}
		s := arrow.NewSchema([]arrow.Field{dotted, {Name: "a", Type: arrow.StructOf(child), Nullable: true}}, nil)
		rb := array.NewRecordBuilder(mem, s)
		for _, f := range rb.Fields() {
			f.AppendNull()
		}
		rec := rb.NewRecord()
		for _, format := range []string{"orc", "trevni", "avro", "parquet"} {
			plan, _, recs := through(t, mem, format, s, []arrow.Record{rec})
			releaseAll(recs)
			var told []string
			for _, l := range plan.Losses() {
				if strings.Contains(l.Text, "without its extension type some.time") {
					told = append(told, l.Path)
				}
			}
			if len(told) != 1 || told[0] != lost {
				t.Errorf("%s: %s loses its extension type, and the plan says %s", format, lost, told)
			}
		}
		rec.Release()
		rb.Release()
	}
}

// A name of an extension type is left out where an option shows text as something else: pyarrow refuses arrow.json that is no text.
func TestExtensionsUnderOptions(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	md := arrow.NewMetadata([]string{schemadiff.ExtensionName, schemadiff.ExtensionMetadata, "unit"}, []string{"arrow.json", "", "m"})
	s := arrow.NewSchema([]arrow.Field{{Name: "json", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: md}, {Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for _, f := range b.Fields() {
		f.AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, x := range []struct {
		format, option, value string
		kept                  bool
	}{
		{"orc", "", "", true},
		{"orc", "orc-strings", "binary", false},
		{"orc", "dictionary", "true", false},
		{"orc", "timestamp-unit", "us", true},
		{"cfile", "", "", true},
		{"cfile", "kudu-strings", "binary", false},
	} {
		c := lossCheck{t: t, format: must(writers.Lookup(x.format)), name: x.option}
		plan, err := c.format.Plan(s, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x"+c.format.Extensions[0])
		if err := c.write(path, plan, []arrow.Record{rec}); err != nil {
			t.Fatal(err)
		}
		options := map[string]string{}
		if x.option != "" {
			options[x.option] = x.value
		}
		back, got, err := readAll(path, options, mem)
		if err != nil {
			t.Fatal(err)
		}
		releaseAll(got)
		f := back.Field(0)
		unit, _ := f.Metadata.GetValue("unit")
		if name, _ := f.Metadata.GetValue(schemadiff.ExtensionName); (name != "") != x.kept || unit != "m" {
			c.errorf("%v", f)
		}
	}
}

func asMap(kv []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// through writes and reads back.
func through(t *testing.T, mem memory.Allocator, format string, s *arrow.Schema, recs []arrow.Record) (*arrowio.WritePlan, *arrow.Schema, []arrow.Record) {
	t.Helper()
	c := lossCheck{t: t, format: must(writers.Lookup(format)), name: "through"}
	plan, err := c.format.Plan(s, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x"+c.format.Extensions[0])
	if err := c.write(path, plan, recs); err != nil {
		t.Fatal(err)
	}
	back, got, err := readAll(path, nil, mem)
	if err != nil {
		t.Fatal(err)
	}
	return plan, back, got
}

// Floats that are no numbers come back from text.
func TestNotNumbersInText(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	s := arrow.NewSchema([]arrow.Field{
		{Name: "some", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "all", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "late", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	nan, inf := math.NaN(), math.Inf(1)
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{1.5, nan, inf, -inf, 0}, []bool{true, true, true, true, false})
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{nan, inf, -inf, nan, nan}, nil)
	b.Field(2).(*array.Float64Builder).AppendValues([]float64{-inf, nan, 0, 2, 3.25}, nil)
	b.Field(3).(*array.StringBuilder).AppendValues([]string{"NaN", "Infinity", "x", "-Infinity", ""}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	for _, format := range []string{"csv", "jsonl"} {
		_, back, recs := through(t, mem, format, s, []arrow.Record{rec})
		c := lossCheck{t: t, mem: mem, format: must(writers.Lookup(format)), name: "not numbers"}
		for _, d := range schemadiff.Fields(s.Fields(), back.Fields()) {
			t.Errorf("%s: %s %s", format, d.Path, d.Text)
		}
		c.values(s, []int{0, 1, 2, 3}, nil, []arrow.Record{rec}, recs)
		releaseAll(recs)
	}
}

// Stored columns of Trevni say of each type how it comes back.
func TestTrevniColumnsTellTypes(t *testing.T) {
	for seed := range 60 {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		r := newLossRandom(int64(seed), mem)
		r.Gen.Nulls = 0
		s := r.schema(true)
		rec := r.rows(s, 5)
		c := lossCheck{t: t, mem: mem, format: must(writers.Lookup("trevni")), name: "columns", retyped: true, o: arrowio.WriteOptions{Options: map[string]string{"trevni-schema": "columns"}}}
		c.run(s, []arrow.Record{rec})
		rec.Release()
		mem.AssertSize(t, 0)
	}
}

// Values that text has, and the types inferred from it have not, come back as the plan says: years of more than four digits or
// below zero, and integers beyond int64. Values are compared as text.
func TestPlansOfFarValues(t *testing.T) {
	const yearSeconds = 31556952
	stamp := func(u arrow.TimeUnit, zone string) *arrow.TimestampType {
		return &arrow.TimestampType{Unit: u, TimeZone: zone}
	}
	var fields []arrow.Field
	add := func(name string, t arrow.DataType) {
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	add("date32", arrow.FixedWidthTypes.Date32)
	add("date64", arrow.FixedWidthTypes.Date64)
	for _, zone := range []string{"", "UTC", "Asia/Tokyo"} {
		for _, u := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond} {
			add(u.String()+zone, stamp(u, zone))
		}
	}
	add("uint64", arrow.PrimitiveTypes.Uint64)
	for _, format := range []string{"csv", "jsonl"} {
		for _, f := range fields {
			for _, year := range []int64{-5, 10000, 20000} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				b := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{f}, nil))
				for _, seconds := range []int64{0, (year - 1970) * yearSeconds} {
					switch b := b.Field(0).(type) {
					case *array.Date32Builder:
						b.Append(arrow.Date32(seconds / 86400))
					case *array.Date64Builder:
						b.Append(arrow.Date64(seconds / 86400 * 86_400_000))
					case *array.TimestampBuilder:
						for range f.Type.(*arrow.TimestampType).Unit {
							seconds *= 1000
						}
						b.Append(arrow.Timestamp(seconds))
					case *array.Uint64Builder:
						b.Append(uint64(seconds&1) | 1<<63)
					}
				}
				rec := b.NewRecord()
				b.Release()
				c := lossCheck{t: t, mem: mem, format: must(writers.Lookup(format)), name: fmt.Sprintf("%s in the year %d", f.Name, year)}
				if c.run(rec.Schema(), []arrow.Record{rec}) != compared {
					t.Errorf("%s: %s is not written", format, c.name)
				}
				_, back, recs := through(t, mem, format, rec.Schema(), []arrow.Record{rec})
				want := "utf8"
				if format == "jsonl" && f.Name == "uint64" {
					want = "uint64"
				}
				if got := back.Field(0).Type.String(); got != want {
					t.Errorf("%s: %s comes back as %s", format, c.name, got)
				}
				releaseAll(recs)
				rec.Release()
				mem.AssertSize(t, 0)
			}
		}
	}
}
