package orcwire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

var nanos = ArrowOptions{TimestampUnit: arrow.Nanosecond}

func md(kv ...string) arrow.Metadata {
	var keys, values []string
	for i := 0; i < len(kv); i += 2 {
		keys, values = append(keys, kv[i]), append(values, kv[i+1])
	}
	return arrow.NewMetadata(keys, values)
}

// same reports whether fields are alike, metadata of all levels included.
func same(a, b arrow.Field) bool {
	if a.Name != b.Name || a.Nullable != b.Nullable || !reflect.DeepEqual(a.Metadata.Keys(), b.Metadata.Keys()) ||
		!reflect.DeepEqual(a.Metadata.Values(), b.Metadata.Values()) {
		return false
	}
	n, ok := a.Type.(arrow.NestedType)
	if !ok {
		return arrow.TypeEqual(a.Type, b.Type)
	}
	o, ok := b.Type.(arrow.NestedType)
	if !ok || n.ID() != o.ID() || len(n.Fields()) != len(o.Fields()) {
		return false
	}
	for i, f := range n.Fields() {
		if !same(f, o.Fields()[i]) {
			return false
		}
	}
	if u, ok := a.Type.(arrow.UnionType); ok && !reflect.DeepEqual(u.TypeCodes(), b.Type.(arrow.UnionType).TypeCodes()) {
		return false
	}
	return true
}

func TestScalarTypes(t *testing.T) {
	dict := func(v arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: v}
	}
	utf8, bin := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	binary := ArrowOptions{StringsAsBinary: true}
	dictionary := ArrowOptions{Dictionary: true}
	both := ArrowOptions{StringsAsBinary: true, Dictionary: true}
	json := typeMsg(String).Bytes(7, attribute("arrowio.field.ARROW:extension:name", "arrow.json")).
		Bytes(7, attribute("arrowio.field.ARROW:extension:metadata", "")).Bytes(7, attribute("arrowio.field.unit", "m"))
	for _, c := range []struct {
		typ  pbtest.Message
		o    ArrowOptions
		want arrow.DataType
		md   arrow.Metadata
	}{
		{typeMsg(Boolean), nanos, arrow.FixedWidthTypes.Boolean, md()},
		{typeMsg(Byte), nanos, arrow.PrimitiveTypes.Int8, md()},
		{typeMsg(Short), nanos, arrow.PrimitiveTypes.Int16, md()},
		{typeMsg(Int), nanos, arrow.PrimitiveTypes.Int32, md()},
		{typeMsg(Long), nanos, arrow.PrimitiveTypes.Int64, md()},
		{typeMsg(Float), nanos, arrow.PrimitiveTypes.Float32, md()},
		{typeMsg(Double), nanos, arrow.PrimitiveTypes.Float64, md()},
		{typeMsg(String), nanos, utf8, md()},
		{typeMsg(String), binary, bin, md(MetaType, "string")},
		{typeMsg(String), dictionary, dict(utf8), md()},
		{typeMsg(String), both, dict(bin), md(MetaType, "string")},
		{typeMsg(Varchar).Uint(4, 7), nanos, utf8, md(MetaType, "varchar(7)")},
		{typeMsg(Varchar).Uint(4, 7), binary, bin, md(MetaType, "varchar(7)")},
		{typeMsg(Char).Uint(4, 9), nanos, utf8, md(MetaType, "char(9)")},
		{typeMsg(Char).Uint(4, 9), dictionary, dict(utf8), md(MetaType, "char(9)")},
		{typeMsg(Binary), both, bin, md()},
		{typeMsg(Date), nanos, arrow.FixedWidthTypes.Date32, md()},
		{typeMsg(Timestamp), nanos, &arrow.TimestampType{Unit: arrow.Nanosecond}, md()},
		{typeMsg(Timestamp), ArrowOptions{TimestampUnit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Microsecond}, md()},
		{typeMsg(TimestampInstant), nanos, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, md()},
		{typeMsg(TimestampInstant), ArrowOptions{TimestampUnit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, md()},
		{typeMsg(Decimal).Uint(5, 10).Uint(6, 2), nanos, &arrow.Decimal128Type{Precision: 10, Scale: 2}, md()},
		{typeMsg(Decimal), nanos, &arrow.Decimal128Type{Precision: 38, Scale: 10}, md()},
		{
			typeMsg(Geometry), nanos, bin,
			md(MetaType, "geometry(OGC:CRS84)", "ARROW:extension:name", "geoarrow.wkb", "ARROW:extension:metadata", `{"crs":"OGC:CRS84","crs_type":"authority_code"}`),
		},
		{
			typeMsg(Geometry).Text(8, `{"name": "<here>"}`), nanos, bin,
			md(MetaType, `geometry({"name": "<here>"})`, "ARROW:extension:name", "geoarrow.wkb",
				"ARROW:extension:metadata", `{"crs":{"name":"\u003chere\u003e"},"crs_type":"projjson"}`),
		},
		{
			typeMsg(Geography).Text(8, "some \"place\"").Uint(9, 4), nanos, bin,
			md(MetaType, `geography(some "place",KARNEY)`, "ARROW:extension:name", "geoarrow.wkb",
				"ARROW:extension:metadata", `{"crs":"some \"place\"","edges":"karney"}`),
		},
		{
			typeMsg(Char).Uint(4, 9).Bytes(7, attribute("b", "2")).Bytes(7, attribute("iceberg.id", "17")).Bytes(7, attribute("", "")), nanos, utf8,
			md(MetaType, "char(9)", "orc.b", "2", "orc.iceberg.id", "17", "PARQUET:field_id", "17", "orc.", ""),
		},
		{json, nanos, utf8, md("ARROW:extension:name", "arrow.json", "ARROW:extension:metadata", "", "unit", "m")},
		{json, binary, bin, md(MetaType, "string", "unit", "m")}, // pyarrow refuses arrow.json that is no text, and the whole file with it
		{json, dictionary, dict(utf8), md("unit", "m")},
		{
			typeMsg(Int).Bytes(7, attribute("type", "char(1)")).Bytes(7, attribute("root", "x")).Bytes(7, attribute("iceberg.id", "much")), nanos, arrow.PrimitiveTypes.Int32,
			md("orc-attribute.type", "char(1)", "orc-attribute.root", "x", "orc.iceberg.id", "much"),
		},
	} {
		f := mustFooter(t, footerOf(names(typeMsg(Struct, 1), "x"), c.typ))
		s, err := Schema(f, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want := arrow.Field{Name: "x", Type: c.want, Nullable: true, Metadata: c.md}
		if s.NumFields() != 1 || !same(s.Field(0), want) {
			t.Errorf("%s: %s, want %s", f.Types[1], s.Field(0), want)
		}
		// The same as a root.
		f = mustFooter(t, footerOf(c.typ))
		s, err = Schema(f, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want.Name = "_root"
		want.Metadata = arrow.NewMetadata(append([]string{"orc.root"}, c.md.Keys()...), append([]string{"true"}, c.md.Values()...))
		if s.NumFields() != 1 || !same(s.Field(0), want) {
			t.Errorf("root %s: %s, want %s", f.Types[0], s.Field(0), want)
		}
	}
}

func TestNestedTypes(t *testing.T) {
	i32, utf8 := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	id := func(n string) arrow.Metadata { return md("orc.iceberg.id", n, "PARQUET:field_id", n) }
	withID := func(w pbtest.Message, n string) pbtest.Message { return w.Bytes(7, attribute("iceberg.id", n)) }
	mapType := func() *arrow.MapType { return arrow.MapOfWithMetadata(utf8, id("3"), i32, id("4")) }
	union := func() *arrow.DenseUnionType {
		return arrow.DenseUnionOf([]arrow.Field{{Name: "_0", Type: i32, Nullable: true}, {Name: "_1", Type: utf8, Nullable: true, Metadata: md(MetaType, "char(3)")}}, []arrow.UnionTypeCode{0, 1})
	}
	ofUnions := arrow.MapOf(utf8, union())
	ofUnions.SetItemNullable(false)
	for _, c := range []struct {
		name string
		b    pbtest.Message
		o    ArrowOptions
		want arrow.Field
	}{
		{
			"list", footerOf(names(typeMsg(Struct, 1), "x"), withID(typeMsg(List, 2), "2"), withID(typeMsg(Int), "3")), nanos,
			arrow.Field{Name: "x", Nullable: true, Metadata: id("2"), Type: arrow.ListOfField(arrow.Field{Name: "item", Type: i32, Nullable: true, Metadata: id("3")})},
		},
		{
			"map", footerOf(names(typeMsg(Struct, 1), "x"), withID(typeMsg(Map, 2, 3), "2"), withID(typeMsg(String), "3"), withID(typeMsg(Int), "4")), nanos,
			arrow.Field{Name: "x", Nullable: true, Metadata: id("2"), Type: mapType()},
		},
		{
			"map as list", footerOf(names(typeMsg(Struct, 1), "x"), withID(typeMsg(Map, 2, 3), "2"), typeMsg(String), withID(typeMsg(Int), "4")),
			ArrowOptions{NullKeysAsList: true},
			arrow.Field{
				Name: "x", Nullable: true, Metadata: md(MetaType, "map", "orc.iceberg.id", "2", "PARQUET:field_id", "2"),
				Type: arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.StructOf(
					arrow.Field{Name: "key", Type: utf8, Nullable: true},
					arrow.Field{Name: "value", Type: i32, Nullable: true, Metadata: id("4")},
				)}),
			},
		},
		{
			"struct", footerOf(names(typeMsg(Struct, 1), ""), names(typeMsg(Struct, 2, 3, 4), "a", "a", ""), typeMsg(Int), typeMsg(String), typeMsg(Struct)), nanos,
			arrow.Field{Name: "", Nullable: true, Type: arrow.StructOf(
				arrow.Field{Name: "a", Type: i32, Nullable: true},
				arrow.Field{Name: "a", Type: utf8, Nullable: true},
				arrow.Field{Name: "", Type: arrow.StructOf(), Nullable: true},
			)},
		},
		{
			"union", footerOf(names(typeMsg(Struct, 1), "x"), typeMsg(Union, 2, 3), typeMsg(Int), typeMsg(Char).Uint(4, 3)), nanos,
			arrow.Field{Name: "x", Type: union()},
		},
		{
			"list of unions", footerOf(names(typeMsg(Struct, 1), "x"), typeMsg(List, 2), typeMsg(Union, 3, 4), typeMsg(Int), typeMsg(Char).Uint(4, 3)), nanos,
			arrow.Field{Name: "x", Nullable: true, Type: arrow.ListOfField(arrow.Field{Name: "item", Type: union()})},
		},
		{
			"map of unions", footerOf(names(typeMsg(Struct, 1), "x"), typeMsg(Map, 2, 3), typeMsg(String), typeMsg(Union, 4, 5), typeMsg(Int), typeMsg(Char).Uint(4, 3)), nanos,
			arrow.Field{Name: "x", Nullable: true, Type: ofUnions},
		},
	} {
		f := mustFooter(t, c.b)
		s, err := Schema(f, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if s.NumFields() != 1 || !same(s.Field(0), c.want) {
			t.Errorf("%s: %s, want %s", c.name, s.Field(0), c.want)
		}
	}
	// Keys of maps are never null, and the tree's maps say so.
	f := mustFooter(t, footerOf(typeMsg(Map, 1, 2), typeMsg(Int), typeMsg(Int)))
	s, err := Schema(f, nanos)
	if err != nil || s.Field(0).Type.(*arrow.MapType).KeyField().Nullable || !s.Field(0).Type.(*arrow.MapType).ItemField().Nullable {
		t.Error(s, err)
	}
}

func TestSchemaOfFile(t *testing.T) {
	b := footerOf(names(typeMsg(Struct, 1, 2, 3), "a", "A", "a").Bytes(7, attribute("k", "v")), typeMsg(Int), typeMsg(Int), typeMsg(Int)).
		Bytes(5, pbtest.Message(nil).Text(1, "hive.acid.version").Text(2, "2")).
		Bytes(5, pbtest.Message(nil).Text(1, "").Bytes(2, []byte{0xff, 0}))
	s, err := Schema(mustFooter(t, b), nanos)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Metadata()
	if want := md("orc.hive.acid.version", "2", "orc.", "\xff\x00", "orc-attribute.k", "v"); !reflect.DeepEqual(got.Keys(), want.Keys()) || !reflect.DeepEqual(got.Values(), want.Values()) {
		t.Errorf("%v", got)
	}
	if !reflect.DeepEqual(s.FieldIndices("a"), []int{0, 2}) {
		t.Error(s)
	}
	if s, err := Schema(mustFooter(t, footerOf(typeMsg(Struct))), nanos); err != nil || s.NumFields() != 0 {
		t.Error(s, err)
	}

	wide := func(n int) pbtest.Message {
		ids := make([]uint64, n)
		for i := range ids {
			ids[i] = uint64(i + 2)
		}
		types := []pbtest.Message{names(typeMsg(Struct, 1), "u.v"), typeMsg(Union, ids...)}
		for range n {
			types = append(types, typeMsg(Int))
		}
		return footerOf(types...)
	}
	if s, err := Schema(mustFooter(t, wide(128)), nanos); err != nil || s.Field(0).Type.(*arrow.DenseUnionType).MaxTypeCode() != 127 {
		t.Error(s, err)
	}
	_, err = Schema(mustFooter(t, wide(129)), nanos)
	wantKind(t, "129 branches", err, errs.ErrUnsupported)
	if err != nil && !strings.Contains(err.Error(), `column "u.v"`) {
		t.Error(err)
	}
}

// Names that are not UTF-8 are others in Arrow, and faults.
func TestSchemaNotUTF8(t *testing.T) {
	for column, types := range map[string][]pbtest.Message{
		`a\xff`:           {names(typeMsg(Struct, 1), "a\xff"), typeMsg(Int)},
		`_root.item.\x80`: {typeMsg(List, 1), names(typeMsg(Struct, 2), "\x80"), typeMsg(Int)},
	} {
		f := mustFooter(t, footerOf(types...))
		if _, err := Schema(f, ArrowOptions{}); err != nil {
			t.Error(err)
		}
		faults := f.BadNames.Errors(errs.At{})
		var e *errs.Error
		if len(faults) != 1 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Column != column {
			t.Errorf("%s: %v", column, faults)
		}
	}
}
