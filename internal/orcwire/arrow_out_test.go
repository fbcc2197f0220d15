package orcwire

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func field(typ arrow.DataType, kv ...string) arrow.Field {
	return arrow.Field{Name: "x", Type: typ, Nullable: true, Metadata: md(kv...)}
}

// typesOf maps one field, which must be possible.
func typesOf(t *testing.T, f arrow.Field) (*Type, []OutColumn) {
	t.Helper()
	types, columns, _, err := TypesFromArrow(arrow.NewSchema([]arrow.Field{f}, nil), OutOptions{})
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	for i, typ := range types {
		if typ.ID != i || typ.Last < i {
			t.Errorf("%s: type %d is %+v", f, i, typ)
		}
	}
	return types[0].Children[0], columns
}

// wkb is a registered extension type.
type wkb struct {
	arrow.ExtensionBase
	name, data string
}

func (e *wkb) ArrayType() reflect.Type                  { return reflect.TypeFor[array.ExtensionArrayBase]() }
func (e *wkb) ExtensionName() string                    { return e.name }
func (e *wkb) Serialize() string                        { return e.data }
func (e *wkb) ExtensionEquals(arrow.ExtensionType) bool { return false }
func (e *wkb) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return e, nil
}

func TestTypesFromArrow(t *testing.T) {
	utf8, bin, i32 := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.PrimitiveTypes.Int32
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: v}
	}
	ext := func(storage arrow.DataType, name, data string) arrow.DataType {
		return &wkb{arrow.ExtensionBase{Storage: storage}, name, data}
	}
	geo := func(data string) arrow.Field {
		return field(bin, "ARROW:extension:name", "geoarrow.wkb", "ARROW:extension:metadata", data)
	}
	for _, c := range []struct {
		f    arrow.Field
		want string
		loss string
	}{
		{field(arrow.Null), "boolean", "comes back as bool"},
		{field(arrow.FixedWidthTypes.Boolean), "boolean", ""},
		{field(arrow.PrimitiveTypes.Int8), "tinyint", ""},
		{field(arrow.PrimitiveTypes.Int16), "smallint", ""},
		{field(i32), "int", ""},
		{field(arrow.PrimitiveTypes.Int64), "bigint", ""},
		{field(arrow.PrimitiveTypes.Uint8), "smallint", "comes back as int16"},
		{field(arrow.PrimitiveTypes.Uint16), "int", "comes back as int32"},
		{field(arrow.PrimitiveTypes.Uint32), "bigint", "comes back as int64"},
		{field(arrow.PrimitiveTypes.Uint64), "bigint", "comes back as int64"},
		{field(arrow.FixedWidthTypes.Float16), "float", "comes back as float32"},
		{field(arrow.PrimitiveTypes.Float32), "float", ""},
		{field(arrow.PrimitiveTypes.Float64), "double", ""},
		{field(utf8), "string", ""},
		{field(arrow.BinaryTypes.LargeString), "string", "comes back as utf8"},
		{field(arrow.BinaryTypes.StringView), "string", "comes back as utf8"},
		{field(bin), "binary", ""},
		{field(arrow.BinaryTypes.LargeBinary), "binary", "comes back as binary"},
		{field(arrow.BinaryTypes.BinaryView), "binary", "comes back as binary"},
		{field(&arrow.FixedSizeBinaryType{ByteWidth: 3}), "binary", "comes back as binary"},
		{field(arrow.FixedWidthTypes.Date32), "date", ""},
		{field(arrow.FixedWidthTypes.Date64), "date", "comes back as date32"},
		{field(&arrow.TimestampType{Unit: arrow.Nanosecond}), "timestamp", ""},
		{field(&arrow.TimestampType{Unit: arrow.Microsecond}), "timestamp", "comes back as timestamp[ns], or as timestamp[us] if there are times before 1677 or after 2262 (Go, Flight and Python: with --timestamp-unit=us)"},
		{field(&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}), "timestamp with local time zone", ""},
		{
			field(&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Tokyo"}), "timestamp with local time zone",
			"comes back as timestamp[ns, tz=UTC]; the same instants, zone UTC instead of Asia/Tokyo",
		},
		{
			field(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "+01:00"}), "timestamp with local time zone",
			"comes back as timestamp[ns, tz=UTC], or as timestamp[us, tz=UTC] if there are times before 1677 or after 2262 (Go, Flight and Python: with --timestamp-unit=us), and times beyond the years -290308 to 294247 need --timestamp-unit=s; the same instants, zone UTC instead of +01:00",
		},
		{field(arrow.FixedWidthTypes.Time32s), "int", "comes back as int32, the seconds since midnight"},
		{field(arrow.FixedWidthTypes.Time32ms), "int", "comes back as int32, the milliseconds since midnight"},
		{field(arrow.FixedWidthTypes.Time64us), "bigint", "comes back as int64, the microseconds since midnight"},
		{field(arrow.FixedWidthTypes.Time64ns), "bigint", "comes back as int64, the nanoseconds since midnight"},
		{field(arrow.FixedWidthTypes.Duration_ms), "bigint", "comes back as int64, the number of milliseconds"},
		{field(arrow.FixedWidthTypes.MonthInterval), "int", "comes back as int32, the number of months"},
		{field(&arrow.Decimal128Type{Precision: 38, Scale: 0}), "decimal(38,0)", ""},
		{field(&arrow.Decimal128Type{Precision: 2, Scale: 5}), "decimal(5,5)", "comes back as decimal(5, 5)"},
		{field(&arrow.Decimal256Type{Precision: 38, Scale: 38}), "decimal(38,38)", "comes back as decimal(38, 38)"},
		{field(arrow.ListOf(i32)), "array<int>", ""},
		{field(arrow.LargeListOf(i32)), "array<int>", "comes back as list"},
		{field(arrow.ListViewOf(i32)), "array<int>", "comes back as list"},
		{field(arrow.FixedSizeListOf(3, i32)), "array<int>", "comes back as list"},
		{field(arrow.MapOf(utf8, i32)), "map<string,int>", ""},
		{field(arrow.StructOf(field(i32), field(utf8))), "struct<x:int,x:string>", ""},
		{field(arrow.StructOf()), "struct<>", ""},
		{field(dict(utf8)), "string", "comes back as utf8 unless --dictionary is given"},
		{field(dict(i32)), "int", "comes back as int32"},
		{field(dict(arrow.StructOf(field(i32)))), "struct<x:int>", "comes back as struct"},
		{field(arrow.RunEndEncodedOf(i32, bin)), "binary", "comes back as binary"},
		{field(arrow.RunEndEncodedOf(i32, dict(arrow.ListOf(utf8)))), "array<string>", "comes back as list"},
		{field(ext(arrow.PrimitiveTypes.Int16, "money", "")), "smallint", ""},
		{field(i32, "ARROW:extension:name", "money", "ARROW:extension:metadata", "x"), "int", ""},

		// types that metadata tells
		{field(utf8, MetaType, "varchar(7)"), "varchar(7)", ""},
		{field(utf8, MetaType, "char(255)"), "char(255)", ""},
		{field(utf8, MetaType, "varchar"), "varchar", ""},
		{field(utf8, MetaType, "string"), "string", "comes back without metadata orc.type"},
		{field(utf8, MetaType, "binary"), "binary", "comes back as binary; comes back without metadata orc.type"},
		{field(dict(arrow.BinaryTypes.LargeString), MetaType, "char(3)"), "char(3)", "comes back as utf8 unless --dictionary is given"},
		{field(bin, MetaType, "string"), "string", "comes back as utf8 unless --orc-strings=binary is given; comes back without metadata orc.type"},
		{field(bin, MetaType, "varchar(2147483647)"), "varchar(2147483647)", "comes back as utf8 unless --orc-strings=binary is given"},
		{field(utf8, MetaType, "varchar(2147483648)"), "string", "comes back without metadata orc.type"},
		{field(utf8, MetaType, "varchar(0)"), "string", "comes back without metadata orc.type"},
		{field(utf8, MetaType, "varchar(7"), "string", "comes back without metadata orc.type"},
		{field(utf8, MetaType, "string(7)"), "string", "comes back without metadata orc.type"},
		{field(utf8, MetaType, "geometry(x)"), "string", "comes back without metadata orc.type"},
		{field(i32, MetaType, "varchar(7)"), "int", "comes back without metadata orc.type"},
		{field(i32, MetaType, "int"), "int", "comes back without metadata orc.type"},
		{field(bin, MetaType, "geography(x,ROUND)"), "binary", "comes back without metadata orc.type"},
		{field(bin, MetaType, "geography(x)"), "binary", "comes back without metadata orc.type"},
		{field(bin, MetaType, "geometry(a(b),c)"), "geometry(a(b),c)", ""},
		{field(bin, MetaType, "geography(a,b,KARNEY)"), "geography(a,b,KARNEY)", ""},
		{field(bin, MetaType, "geography"), "geography(OGC:CRS84,SPHERICAL)", "comes back without metadata orc.type"},
		{field(arrow.LargeListOf(arrow.StructOf(field(utf8), field(i32))), MetaType, "map"), "map<string,int>", "comes back as map; comes back without metadata orc.type"},
		{field(arrow.ListOf(arrow.StructOf(field(utf8), field(i32))), MetaType, "map"), "map<string,int>", "comes back as map unless --orc-null-keys=list is given; comes back without metadata orc.type"},
		{field(arrow.ListOf(arrow.StructOf(field(utf8))), MetaType, "map"), "array<struct<x:string>>", "comes back without metadata orc.type"},

		// geometries of GeoArrow
		{geo(`{"crs":"EPSG:4326","crs_type":"authority_code"}`), "geometry(EPSG:4326)", ""},
		{geo(`{"crs_type":"authority_code", "crs":"EPSG:4326", "edges":"vincenty"}`), "geography(EPSG:4326,VINCENTY)", ""},
		{geo(`{"crs": {"id": 1}, "crs_type": "projjson"}`), `geometry({"id":1})`, ""},
		{geo(`{"crs":"3857","crs_type":"srid"}`), "geometry(srid:3857)", ""},
		{geo(""), "geometry(OGC:CRS84)", "its extension's metadata comes back with the coordinate reference system OGC:CRS84"},
		{geo(`{"crs":null}`), "geometry(OGC:CRS84)", "its extension's metadata comes back with the coordinate reference system OGC:CRS84"},
		{geo(`{"crs":"OGC:CRS84","by":"` + strings.Repeat("x", 99) + `"}`), "geometry(OGC:CRS84)", `its extension's metadata comes back as {"crs":"OGC:CRS84","crs_type":"authority_code"}`},
		{geo(`{"crs":{"name":"` + strings.Repeat("ä", 99) + `"},"by":1}`), `geometry({"name":"` + strings.Repeat("ä", 99) + `"})`, `its extension's metadata comes back as {"crs":{"name":"` + strings.Repeat("ä", 64) + "…"},
		{geo(`{"crs":`), "binary", ""},
		{geo(`{"edges":"rhumb"}`), "binary", ""},
		{field(ext(bin, "geoarrow.wkb", `{"crs":"EPSG:4326","crs_type":"authority_code"}`)), "geometry(EPSG:4326)", ""},
		{field(ext(arrow.BinaryTypes.LargeBinary, "geoarrow.wkb", `{"crs":"EPSG:4326","crs_type":"authority_code"}`)), "geometry(EPSG:4326)", "comes back as binary"},
	} {
		typ, columns := typesOf(t, c.f)
		if typ.String() != c.want || columns[0].Loss != c.loss || columns[0].Refusal != "" || columns[0].Path != "x" || columns[0].ID != 1 {
			t.Errorf("%s: %s, %+v; want %s, %q", c.f, typ, columns[0], c.want, c.loss)
		}
	}
}

func TestUnionsFromArrow(t *testing.T) {
	a := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	}
	const renamed = "comes back as dense_union, its children named by their positions"
	for _, c := range []struct {
		typ  arrow.DataType
		loss string
	}{
		{arrow.DenseUnionOf([]arrow.Field{a("_0"), a("_1")}, []arrow.UnionTypeCode{0, 1}), ""},
		{arrow.DenseUnionOf([]arrow.Field{a("_0"), a("b")}, []arrow.UnionTypeCode{0, 1}), renamed},
		{arrow.DenseUnionOf([]arrow.Field{a("_0"), a("_1")}, []arrow.UnionTypeCode{0, 5}), renamed},
		{arrow.SparseUnionOf([]arrow.Field{a("_0"), a("_1")}, []arrow.UnionTypeCode{0, 1}), renamed},
	} {
		for _, nullable := range []bool{false, true} {
			f := field(c.typ)
			f.Nullable = nullable
			typ, columns := typesOf(t, f)
			if typ.String() != "uniontype<int,int>" || columns[0].Loss != c.loss || columns[0].Stored != "uniontype" || columns[2].Path != "x._1" {
				t.Errorf("%s: %s, %+v", c.typ, typ, columns)
			}
		}
	}
}

func TestAttributesFromArrow(t *testing.T) {
	for _, c := range []struct {
		kv   []string
		want []Attribute
		loss string
	}{
		{[]string{"orc.b", "2", "orc.", "", "orc.iceberg.id", "17", "PARQUET:field_id", "17"}, []Attribute{{"b", "2"}, {"", ""}, {"iceberg.id", "17"}}, ""},
		{[]string{"orc-attribute.type", "t", "orc-attribute.root", "r"}, []Attribute{{"type", "t"}, {"root", "r"}}, ""},
		{[]string{"PARQUET:field_id", "17", "orc.a", "b"}, []Attribute{{"a", "b"}, {"iceberg.id", "17"}}, ""},
		{[]string{"PARQUET:field_id", "seventeen"}, []Attribute{{"arrowio.field.PARQUET:field_id", "seventeen"}}, ""},
		{[]string{"orc.iceberg.id", "17", "PARQUET:field_id", "18"}, []Attribute{{"iceberg.id", "17"}}, "comes back without metadata PARQUET:field_id"},
		{[]string{"unit", "m", "kudu.type", "int32", "orc.root", "true"}, []Attribute{{"arrowio.field.unit", "m"}, {"arrowio.field.kudu.type", "int32"}}, "comes back without metadata orc.root"},
		{[]string{"raw", "\xff\x00", "\xff", "no key", "orc.raw", "\xff"}, []Attribute{{"arrowio.field-hex.raw", "ff00"}, {"arrowio.field-hex.orc.raw", "ff"}}, "comes back without metadata \xff"},
	} {
		// A second field, so that orc.root does not hold.
		s := arrow.NewSchema([]arrow.Field{field(arrow.PrimitiveTypes.Int32, c.kv...), field(arrow.PrimitiveTypes.Int32)}, nil)
		types, columns, _, err := TypesFromArrow(s, OutOptions{})
		if err != nil || !reflect.DeepEqual(types[1].Attributes, c.want) || columns[0].Loss != c.loss {
			t.Errorf("%q: %v, %+v, %v; want %v, %q", c.kv, types[1].Attributes, columns[0], err, c.want, c.loss)
		}
	}
}

func TestSchemaMetadataFromArrow(t *testing.T) {
	meta := md("orc.type", "a", "orc.", "\xff\x00", "pandas", "{}", "orc-attribute.k", "v", "writer", "x")
	f := field(arrow.PrimitiveTypes.Int32)
	types, columns, kvs, err := TypesFromArrow(arrow.NewSchema([]arrow.Field{f}, &meta), OutOptions{})
	if err != nil || !reflect.DeepEqual(kvs, []KeyValue{{"type", []byte("a")}, {"", []byte("\xff\x00")}, {"pandas", []byte("{}")}, {"writer", []byte("x")}, {"arrowio.keys", []byte(`["pandas","writer"]`)}}) || !reflect.DeepEqual(types[0].Attributes, []Attribute{{"k", "v"}}) {
		t.Errorf("%+v, %+v, %v", types[0], kvs, err)
	}
	want := []OutColumn{
		{Path: "x", Type: "int32", Stored: "int", ID: 1},
	}
	if !reflect.DeepEqual(columns, want) {
		t.Errorf("%+v", columns)
	}

	// A root that is no struct has no place for attributes of the schema, and a name of its own.
	root := field(arrow.ListOf(arrow.PrimitiveTypes.Int32), MetaRoot, "true", "orc.k", "w")
	types, columns, kvs, err = TypesFromArrow(arrow.NewSchema([]arrow.Field{root}, &meta), OutOptions{})
	if err != nil || types[0].String() != "array<int>" || !reflect.DeepEqual(types[0].Attributes, []Attribute{{"k", "w"}}) || len(kvs) != 6 {
		t.Errorf("%v, %+v, %v", types, kvs, err)
	}
	want = []OutColumn{
		{Path: "_root", Type: "list", Stored: "array", Loss: "comes back with the name _root"},
		{Path: "_root.item", Type: "int32", Stored: "int", ID: 1},
	}
	if !reflect.DeepEqual(columns, want) {
		t.Errorf("%+v", columns)
	}
	// A struct is a column like others.
	root.Type = arrow.StructOf(f)
	types, columns, _, err = TypesFromArrow(arrow.NewSchema([]arrow.Field{root}, nil), OutOptions{})
	if err != nil || types[0].String() != "struct<x:struct<x:int>>" || columns[0].Loss != "comes back without metadata orc.root" {
		t.Errorf("%v, %+v, %v", types, columns, err)
	}
	if types, columns, _, err = TypesFromArrow(arrow.NewSchema(nil, nil), OutOptions{}); err != nil || len(types) != 1 || len(columns) != 0 || types[0].String() != "struct<>" {
		t.Error(types, columns, err)
	}
}

// What cannot be written is named, all of it; the rest of the plan is there too.
func TestRefusedFromArrow(t *testing.T) {
	named := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true}
	}
	codes, children := make([]arrow.UnionTypeCode, 129), make([]arrow.Field, 129)
	for i := range children {
		codes[i], children[i] = arrow.UnionTypeCode(i&127), named("k", arrow.PrimitiveTypes.Int8)
	}
	s := arrow.NewSchema([]arrow.Field{
		named("fine", arrow.PrimitiveTypes.Int32),
		named("wide", &arrow.Decimal256Type{Precision: 39, Scale: 2}),
		named("st", arrow.StructOf(named("a.b", &arrow.Decimal128Type{Precision: 5, Scale: -1}), named("ok", arrow.BinaryTypes.String))),
		named("l", arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)),
		named("i", arrow.FixedWidthTypes.MonthDayNanoInterval),
		named("none", arrow.DenseUnionOf(nil, nil)),
		named("a\xff", arrow.PrimitiveTypes.Int8),
	}, nil)
	types, columns, _, err := TypesFromArrow(s, OutOptions{})
	wantKind(t, "refused", err, errs.ErrSchema)
	if types != nil || err == nil {
		t.Fatal(types)
	}
	for _, want := range []string{
		"wide (decimal256(39, 2): more than 38 digits)", `st."a.b" (decimal(5, -1): the scale is negative)`, "l.item (day_time_interval: an interval in several units)",
		"i (month_day_nano_interval: an interval in several units)", "none (dense_union: a union of 0 children, not 1 to 128)", "a\xff (int8: the name is not UTF-8)",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	refused := 0
	for _, c := range columns {
		if c.Refusal != "" {
			refused++
		} else if c.Stored == "" {
			t.Errorf("%+v", c)
		}
	}
	if refused != 6 || len(columns) != 10 || strings.Contains(err.Error(), "ok (") {
		t.Errorf("%d of %d columns, %v", refused, len(columns), err)
	}

	if _, columns, _, err := TypesFromArrow(arrow.NewSchema([]arrow.Field{named("", arrow.PrimitiveTypes.Int8)}, nil), OutOptions{}); err != nil || columns[0].Loss != "Java's reader refuses the empty name" {
		t.Error(columns, err)
	}
}

// What would be too deep or too wide to be read again is not written.
func TestLimitsFromArrow(t *testing.T) {
	lim := errs.Limits{Depth: 3, Columns: 4}
	for _, depth := range []int{3, 4, 50} {
		typ := arrow.PrimitiveTypes.Int32
		for range depth - 1 {
			typ = arrow.ListOf(typ)
		}
		types, _, _, err := TypesFromArrow(arrow.NewSchema([]arrow.Field{field(typ)}, nil), OutOptions{Limits: lim})
		if depth > lim.Depth {
			wantKind(t, typ.String(), err, errs.ErrSchema)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := ParseFooter(AppendFooter(nil, &Footer{Types: types}), lim)
		if err != nil || f.Types[0].String() != types[0].String() {
			t.Error(f, err)
		}
	}
	fields := make([]arrow.Field, 6)
	for i := range fields {
		fields[i] = field(arrow.PrimitiveTypes.Int32)
	}
	if _, _, _, err := TypesFromArrow(arrow.NewSchema(fields[:4], nil), OutOptions{Limits: lim}); err != nil {
		t.Error(err)
	}
	for n := 5; n <= 6; n++ {
		_, _, _, err := TypesFromArrow(arrow.NewSchema(fields[:n], nil), OutOptions{Limits: lim})
		wantKind(t, "columns", err, errs.ErrLimit)
	}
}
