package geoarrow

import (
	"slices"
	"strings"
	"testing"
)

// geo makes the value of GeoParquetKey of columns.
func geo(primary string, columns ...string) string {
	return `{"version":"1.1.0","primary_column":"` + primary + `","columns":{` + strings.Join(columns, ",") + `}}`
}

func TestGeoParquetOf(t *testing.T) {
	const a, b, utm = `"a":{"encoding":"WKB","geometry_types":["Point"],"bbox":[0,0,1,1]}`, `"b":{"encoding":"WKB","geometry_types":[],"covering":{"bbox":{"xmin":["box","xmin"],"ymin":["box","ymin"]}}}`,
		`"c":{"encoding":"WKB","geometry_types":[],"crs":{"id":{"authority":"EPSG","code":25832}}}`
	all := geo("a", a, b, utm)
	for _, c := range []struct {
		text    string
		columns []string
		want    string // "" = none
	}{
		{all, []string{"id", "a", "b", "box", "c"}, all},
		{all, []string{"id", "c", "a"}, geo("a", a, utm)},
		{all, []string{"id", "c"}, geo("c", utm)},
		{all, []string{"c", "b", "box"}, geo("c", b, utm)},
		{all, []string{"b"}, geo("b", `"b":{"encoding":"WKB","geometry_types":[]}`)},
		{all, []string{"id"}, ""},
		{"no JSON", nil, "no JSON"},
		{`{"columns":{}}`, nil, `{"columns":{}}`},
		{`{"columns":{"a":1}}`, nil, `{"columns":{"a":1}}`},
		{`{"columns":{"a":{}},"primary_column":1}`, nil, `{"columns":{"a":{}},"primary_column":1}`},
	} {
		got, ok := GeoParquetOf(c.text, c.columns)
		if ok != (c.want != "") || got != c.want && !SameJSON(got, c.want) {
			t.Errorf("%s of %s: %s", c.columns, c.text, got)
		}
	}
}

func TestJoinGeoParquet(t *testing.T) {
	column := func(name, rest string) string { return `"` + name + `":{"encoding":"WKB"` + rest + `}` }
	one := func(rest string) string { return geo("a", column("a", rest)) }
	for _, c := range []struct {
		name string
		a, b string
		has  [2]string // columns, one letter each
		want string    // "" = they do not go together
	}{
		{"equal", one(`,"geometry_types":["Point"]`), one(`,"geometry_types":["Point"]`), [2]string{"a", "a"}, one(`,"geometry_types":["Point"]`)},
		{"boxes and types", one(`,"geometry_types":["Point"],"bbox":[0,1,2,3]`), one(`,"geometry_types":["Polygon","Point"],"bbox":[-1,2,1.5,30]`), [2]string{"a", "a"}, one(`,"geometry_types":["Point","Polygon"],"bbox":[-1,1,2,30]`)},
		{"boxes with z", one(`,"geometry_types":[],"bbox":[0,0,0,1,1,1]`), one(`,"geometry_types":["Point Z"],"bbox":[1,1,1,2,2,2]`), [2]string{"a", "a"}, one(`,"geometry_types":[],"bbox":[0,0,0,2,2,2]`)},
		{"a box of one", one(`,"geometry_types":[],"bbox":[0,0,1,1]`), one(`,"geometry_types":[]`), [2]string{"a", "a"}, one(`,"geometry_types":[]`)},
		{"boxes of other dimensions", one(`,"geometry_types":[],"bbox":[0,0,1,1]`), one(`,"geometry_types":[],"bbox":[0,0,0,1,1,1]`), [2]string{"a", "a"}, one(`,"geometry_types":[]`)},
		{"across the antimeridian", one(`,"geometry_types":[],"bbox":[170,0,-170,1]`), one(`,"geometry_types":[],"bbox":[0,0,1,1]`), [2]string{"a", "a"}, one(`,"geometry_types":[]`)},
		{"promises of one", one(`,"geometry_types":[],"orientation":"counterclockwise","note":1`), one(`,"geometry_types":[],"note":2`), [2]string{"a", "a"}, one(`,"geometry_types":[]`)},
		{"one system", one(`,"geometry_types":[],"crs":{"id":{"authority":"OGC","code":"CRS84"}},"edges":"planar"`), one(`,"geometry_types":[]`), [2]string{"a", "a"}, one(`,"geometry_types":[],"crs":{"id":{"authority":"OGC","code":"CRS84"}},"edges":"planar"`)},
		{"systems", one(`,"crs":{"name":"x"}`), one(`,"crs":{"name":"y"}`), [2]string{"a", "a"}, ""},
		{"a system that is not known", one(`,"crs":null`), one(``), [2]string{"a", "a"}, ""},
		{"neither is known", one(`,"geometry_types":[],"crs":null`), one(`,"geometry_types":[],"crs":null,"bbox":[0,0,1,1]`), [2]string{"a", "a"}, one(`,"geometry_types":[],"crs":null`)},
		{"edges", one(`,"edges":"spherical"`), one(``), [2]string{"a", "a"}, ""},
		{"epochs", one(`,"epoch":2020`), one(`,"epoch":2021`), [2]string{"a", "a"}, ""},
		{"encodings", one(``), `{"version":"1.1.0","primary_column":"a","columns":{"a":{"encoding":"point"}}}`, [2]string{"a", "a"}, ""},
		{"versions", one(``), strings.Replace(one(``), "1.1.0", "1.0.0", 1), [2]string{"a", "a"}, ""},
		{"primary columns", geo("a", column("a", ""), column("b", "")), geo("b", column("a", ""), column("b", "")), [2]string{"ab", "ab"}, ""},
		{"a new column", one(``), geo("a", column("a", ""), column("b", "")), [2]string{"a", "ab"}, `{"version":"1.1.0","primary_column":"a","columns":{"a":{"encoding":"WKB","geometry_types":[]},"b":{"encoding":"WKB"}}}`},
		{"a column without a description", one(``), geo("a", column("a", ""), column("b", "")), [2]string{"ab", "ab"}, ""},
		{"a file without a description", one(``), "", [2]string{"a", "a"}, ""},
		{"a file without geometries", one(``), "", [2]string{"a", "x"}, one(``)},
		{"another thing", one(``), "1", [2]string{"a", "a"}, ""},
	} {
		files := []GeoParquetFile{{c.a, nil}, {c.b, nil}}
		for i := range files {
			files[i].Has = func(name string) bool { return strings.Contains(c.has[i], name) }
		}
		for range 2 {
			got, ok := JoinGeoParquet(files)
			if ok != (c.want != "") || ok && got != c.want && len(GeoParquetColumns(got)) != len(GeoParquetColumns(c.want)) {
				t.Errorf("%s: %s, %t", c.name, got, ok)
			}
			if files[0].Text == c.a && ok && !SameJSON(got, c.want) {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			slices.Reverse(files)
		}
	}
}

func TestGeoParquetColumns(t *testing.T) {
	got := GeoParquetColumns(geo("a", `"a":{}`, `"b":{"crs":null}`, `"c":{"crs":{"id":{"authority":"EPSG","code":25832}},"edges":"spherical"}`, `"d":{"edges":7}`, `"e":{"crs":"EPSG:4326","edges":"planar"}`))
	if len(got) != 4 || got["a"] != (Type{}) || got["b"] != (Type{Unknown: true}) || !got["c"].Geography || ShortCRS(got["c"].CRS) != "EPSG:25832" || got["e"] != (Type{CRS: "EPSG:4326"}) {
		t.Errorf("%+v", got)
	}
}

func FuzzGeoParquet(f *testing.F) {
	f.Add(geo("a", `"a":{"bbox":[0,0,1,1],"geometry_types":["Point"],"crs":null}`), geo("b", `"b":{"covering":{"bbox":{"xmin":["box"]}}}`))
	f.Add(`{"columns":{"a":null},"primary_column":""}`, `{"columns":{"a":{}},"primary_column":null}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		joined, ok := JoinGeoParquet([]GeoParquetFile{{a, func(string) bool { return true }}, {b, func(string) bool { return true }}})
		if _, is := parseGeoParquet(joined); ok && !is {
			t.Errorf("%q and %q: %q", a, b, joined)
		}
		if text, ok := GeoParquetOf(a, []string{"a"}); ok && text != a {
			if g, is := parseGeoParquet(text); !is || g.primary != "a" || len(g.columns) != 1 {
				t.Errorf("%q: %q", a, text)
			}
		}
		GeoParquetColumns(a)
	})
}
