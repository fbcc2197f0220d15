package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// What files say in different ways is lost, and told once for each column and key.
func TestLost(t *testing.T) {
	keyed := func(f arrow.Field, kv ...string) arrow.Field {
		keys, values := slices.Clone(f.Metadata.Keys()), slices.Clone(f.Metadata.Values())
		for i := 0; i < len(kv); i += 2 {
			keys, values = append(keys, kv[i]), append(values, kv[i+1])
		}
		f.Metadata = arrow.NewMetadata(keys, values)
		return f
	}
	schema := func(fields []arrow.Field, kv ...string) *arrow.Schema {
		md := keyed(arrow.Field{}, kv...).Metadata
		return arrow.NewSchema(fields, &md)
	}
	in := func(f arrow.Field) arrow.Field { return opt("s", arrow.ListOf(arrow.StructOf(f))) }
	one := func(f ...arrow.Field) *arrow.Schema { return schema(f) }
	uuid := &arrow.FixedSizeBinaryType{ByteWidth: 16}
	dict := func(index, values arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: values}
	}
	const pandas, indexed = `{"index_columns": [{"kind": "range", "stop": 1}]}`, `{"index_columns": ["i"]}`
	for _, c := range []struct {
		name    string
		schemas []*arrow.Schema
		want    []string
	}{
		{"nothing", []*arrow.Schema{one(keyed(opt("a", tI8), "k", "v")), one(keyed(opt("a", tI16), "k", "v"), opt("b", tI8))}, nil},
		{
			"extension there",
			[]*arrow.Schema{one(ext("a", uuid, "", "")), one(ext("a", uuid, "arrow.uuid", "")), one(ext("a", uuid, "arrow.uuid", ""))},
			[]string{"a: it is fixed_size_binary[16] in 0 and fixed_size_binary[16] of the extension type arrow.uuid in 1, so the extension type is left out"},
		},
		{
			"extension below",
			[]*arrow.Schema{one(in(ext("a", tStr, "x", `{"n":1}`))), one(in(ext("a", tStr, "x", `{"n":2}`)))},
			[]string{`s.item.a: it is utf8 of the extension type x with the metadata {"n":1} in 0 and utf8 of the extension type x with the metadata {"n":2} in 1, so the extension type is left out`},
		},
		{
			"reference system not known",
			[]*arrow.Schema{one(ext("a", tBin, "geoarrow.wkb", "{}")), one(ext("a", tBin, "geoarrow.wkb", `{"crs":"EPSG:1"}`))},
			[]string{`a: it is binary of the extension type geoarrow.wkb with the metadata {} in 0 and binary of the extension type geoarrow.wkb with the metadata {"crs":"EPSG:1"} in 1, so the extension type is left out`},
		},
		{
			"dictionary and text",
			[]*arrow.Schema{one(in(opt("a", dict(tI8, tStr)))), one(in(opt("a", tStr))), one(in(opt("a", dict(tI8, tStr))))},
			[]string{"s.item.a: it is dictionary<values=utf8, indices=int8, ordered=false> in 0 and utf8 in 1, so it has plain values and no dictionary"},
		},
		{"dictionaries", []*arrow.Schema{one(opt("a", dict(tI8, tStr))), one(opt("a", dict(tI32, tStr))), one(opt("a", arrow.Null))}, nil},
		{
			"ordered",
			[]*arrow.Schema{one(opt("a", dict(tI8, tStr))), one(opt("a", &arrow.DictionaryType{IndexType: tI8, ValueType: tStr, Ordered: true})), one(opt("a", dict(tI8, tStr)))},
			[]string{"a: its dictionary is ordered in 1 and not in 0, so it is not ordered"},
		},
		{"no values", []*arrow.Schema{one(opt("a", arrow.Null)), one(keyed(ext("a", uuid, "arrow.uuid", ""), "k", "v"))}, nil},
		{"not everywhere", []*arrow.Schema{one(opt("b", tI8)), one(ext("a", uuid, "arrow.uuid", ""))}, nil},
		{
			"metadata of columns",
			[]*arrow.Schema{one(keyed(opt("a", tI8), "k", "1", "l", "1")), one(opt("a", tI8)), one(keyed(opt("a", tI8), "k", "2", "m", "2"))},
			[]string{
				"a: metadata k differs between the files and is left out", "a: metadata l differs between the files and is left out",
				"a: metadata m differs between the files and is left out",
			},
		},
		{"how it is stored", []*arrow.Schema{one(keyed(opt("a", tI8), "trevni.type", "int")), one(keyed(opt("a", tI8), "trevni.type", "long"))}, nil},
		{"two of one name", []*arrow.Schema{
			one(opt("s", arrow.StructOf(keyed(opt("x", tI8), "k", "1"), keyed(opt("x", tI8), "k", "2")))),
			one(opt("s", arrow.StructOf(keyed(opt("x", tI8), "k", "1"), keyed(opt("x", tI8), "k", "2"))), opt("y", tI8)),
		}, nil},
		{"metadata", []*arrow.Schema{schema(nil, "k", "1", "l", "1"), schema(nil, "k", "2", "m", "1"), schema(nil)}, []string{"metadata k: differs between the files and is left out"}},
		{"metadata of one file", []*arrow.Schema{
			schema(nil, "org.apache.spark.version", "1", "orc.hive.acid.stats", "1", "pandas", pandas),
			schema(nil, "org.apache.spark.version", "2", "orc.hive.acid.stats", "2", "pandas", strings.Replace(pandas, "1", "2", 1)),
		}, nil},
		{"index", []*arrow.Schema{schema(nil, "pandas", pandas), schema(nil, "pandas", indexed)}, []string{"metadata pandas: differs between the files and is left out"}},
	} {
		u, err := Join(c.schemas, func(k int) Source { return Source{Name: string(rune('0' + k))} }, ByName)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range u.Lost() {
			got = append(got, l.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// What describes one file alone is not said of all.
func TestMetadataOfOneFile(t *testing.T) {
	schema := func(kv ...string) *arrow.Schema {
		md := arrow.MetadataFrom(map[string]string{})
		for i := 0; i < len(kv); i += 2 {
			md = arrow.NewMetadata(append(slices.Clone(md.Keys()), kv[i]), append(slices.Clone(md.Values()), kv[i+1]))
		}
		return arrow.NewSchema([]arrow.Field{opt("a", tI8)}, &md)
	}
	for _, c := range []struct{ second, want *arrow.Schema }{
		{schema(), schema("k", "v")},
		{schema("trevni.avro.schema", "2"), schema("k", "v")},
		{schema("trevni.avro.schema", "1", "l", "w"), schema("trevni.avro.schema", "1", "k", "v", "l", "w")},
	} {
		got, err := Unify([]*arrow.Schema{schema("trevni.avro.schema", "1", "k", "v"), c.second}, ByName)
		if err != nil || !slices.Equal(got.Metadata().Keys(), c.want.Metadata().Keys()) || !slices.Equal(got.Metadata().Values(), c.want.Metadata().Values()) {
			t.Errorf("%v: got %v, %v, want %v", c.second.Metadata(), got.Metadata(), err, c.want.Metadata())
		}
	}
}

// Two reference systems are two, also where a file between them names none.
func TestGeometriesApart(t *testing.T) {
	_, err := Unify([]*arrow.Schema{
		schemaOf(opt("s", arrow.StructOf(ext("g", tBin, "geoarrow.wkb", `{"crs":"EPSG:1"}`)))),
		schemaOf(opt("s", arrow.StructOf(ext("g", tBin, "", "")))),
		schemaOf(opt("s", arrow.StructOf(ext("g", tBin, "geoarrow.wkt", `{"crs":"EPSG:2"}`)))),
	}, ByName)
	if err == nil || !strings.Contains(err.Error(), "schema 2: column s.g: its coordinate reference system is EPSG:2 here and EPSG:1 in schema 0") {
		t.Error(err)
	}
}

// GeoParquet's metadata are joined where files differ in boxes and kinds of geometries, and left out where geometries differ.
func TestJoinGeoParquet(t *testing.T) {
	schema := func(geo string, columns ...string) *arrow.Schema {
		var fields []arrow.Field
		for _, c := range columns {
			fields = append(fields, opt(c, tBin))
		}
		md := arrow.NewMetadata([]string{"geo"}, []string{geo})
		if geo == "" {
			md = arrow.Metadata{}
		}
		return arrow.NewSchema(fields, &md)
	}
	geo := func(columns string) string {
		return `{"columns":{` + columns + `},"primary_column":"g","version":"1.0.0"}`
	}
	const (
		box1, box2 = `"g":{"bbox":[0,0,1,1],"encoding":"WKB","geometry_types":["Point"]}`, `"g":{"bbox":[1,1,2,2],"encoding":"WKB","geometry_types":["Point"]}`
		utm        = `"g":{"encoding":"WKB","geometry_types":[],"crs":{"id":{"authority":"EPSG","code":25832}}}`
		h          = `,"h":{"encoding":"WKB","geometry_types":[]}`
	)
	for _, c := range []struct {
		name string
		a, b *arrow.Schema
		want string
		lost int
		err  string
	}{
		{"boxes", schema(geo(box1), "g"), schema(geo(box2), "g"), geo(`"g":{"bbox":[0,0,2,2],"encoding":"WKB","geometry_types":["Point"]}`), 0, ""},
		{"not everywhere", schema(geo(box1), "g"), schema("", "g"), "", 1, ""},
		{"nothing to describe", schema("", "x"), schema(geo(box1), "g"), geo(box1), 0, ""},
		{"no GeoParquet", schema("1", "g"), schema("2", "g"), "", 1, ""},
		{"two systems", schema(geo(box1), "g"), schema(geo(utm), "g"), "", 0, "schema 1: column g: its coordinate reference system is EPSG:25832 here and OGC:CRS84 in schema 0"},
		{"two systems and a column", schema(geo(box1+h), "g", "h"), schema(geo(utm+h), "g", "h"), `{"columns":{` + h[1:] + `},"primary_column":"h","version":"1.0.0"}`, 0, "column g"},
	} {
		schemas := []*arrow.Schema{c.a, c.b}
		u, err := Join(schemas, func(int) Source { return Source{} }, ByName)
		if err != nil {
			t.Fatal(err)
		}
		md := u.Schema().Metadata()
		got, _ := md.GetValue("geo")
		_, err = Unify(schemas, ByName)
		if got != c.want || len(u.Lost()) != c.lost || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %s, %v, %v", c.name, got, u.Lost(), err)
		}
	}
	// GeoArrow in one file, GeoParquet in the other.
	u, err := Join([]*arrow.Schema{schemaOf(ext("g", tBin, "geoarrow.wkb", `{"crs":"OGC:CRS84"}`)), schema(geo(utm), "g")}, func(int) Source { return Source{} }, ByName)
	if err != nil || u.Clash(0) == nil {
		t.Error(err)
	}
}
