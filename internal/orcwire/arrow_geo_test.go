package orcwire

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/schemadiff"
)

// A coordinate reference system that is user metadata of the file takes the place of its key, as far as there is memory.
func TestSystemsInUserMetadata(t *testing.T) {
	large := `{"name":"` + strings.Repeat("x", mostProjJSON/2) + `"}`
	for _, c := range []struct{ crs, value, want string }{
		{"projjson:utm", `{"id": {"authority": "EPSG", "code": 25832}}`, `{"crs":{"id":{"authority":"EPSG","code":25832}},"crs_type":"projjson"}`},
		{"projjson:other", `{}`, `{"crs":"projjson:other"}`},
		{"projjson:utm", `no JSON`, `{"crs":"projjson:utm"}`},
		{"projjson:utm", `"EPSG:25832"`, `{"crs":"projjson:utm"}`},
		{"projjson:utm", large, `{"crs":"projjson:utm"}`},
	} {
		f := mustFooter(t, footerOf(names(typeMsg(Struct, 1, 2), "x", "y"), typeMsg(Geometry).Text(8, c.crs), typeMsg(Geography).Text(8, c.crs).Uint(9, 4)))
		f.Metadata = []KeyValue{{"utm", []byte(c.value)}}
		s, err := Schema(f, nanos)
		if err != nil {
			t.Fatal(err)
		}
		md := s.Field(1).Metadata
		got, _ := md.GetValue("ARROW:extension:metadata")
		if want := strings.TrimSuffix(c.want, "}") + `,"edges":"karney"}`; got != want {
			t.Errorf("%s: %.100s, want %s", c.crs, got, want)
		}
		orcType, _ := md.GetValue(MetaType)
		if text, inline := strings.CutPrefix(orcType, "geography("+c.value); inline != strings.HasPrefix(c.want, `{"crs":{`) || inline && text != ",KARNEY)" {
			t.Errorf("%.100s", orcType)
		}
		if f.Types[2].CRS != c.crs {
			t.Errorf("the type has become %.100s", f.Types[2].CRS)
		}
	}
}

// A coordinate reference system whose PROJJSON will be user metadata of the file comes back in full, and the plan says so.
func TestSystemsInUserMetadataArePlanned(t *testing.T) {
	utm := `{"id":{"authority":"EPSG","code":25832},"scope":"` + strings.Repeat("x", 5000) + `"}`
	for _, c := range []struct{ metadata, orcType, want string }{
		{`{"crs":"projjson:utm"}`, "", "its extension's metadata comes back with the coordinate reference system EPSG:25832"},
		{`{"crs":"projjson:utm"}`, "geometry(projjson:utm)", "its extension's metadata comes back with the coordinate reference system EPSG:25832; comes back without metadata orc.type"},
		{`{"crs":"projjson:none"}`, "", ""},
		{`{"crs":"projjson:text"}`, "", ""},
		{`{"crs":"projjson:mine"}`, "", ""}, // the file has it without orc., but that is an attribute of the root
		{`{"crs":"projjson:orc"}`, "", "its extension's metadata comes back with the coordinate reference system \"own\""},
		{`{"crs":` + utm + `,"crs_type":"projjson"}`, "", ""},
		{`{"crs":` + utm + `,"crs_type":"projjson"}`, "geometry(EPSG:4326)", "its extension's metadata comes back with the coordinate reference system EPSG:4326"},
	} {
		kv := []string{metaExtension, "geoarrow.wkb", metaExtensionData, c.metadata}
		if c.orcType != "" {
			kv = append(kv, MetaType, c.orcType)
		}
		file := md("utm", utm, "text", "EPSG:4326", MetaAttribute+"mine", "{}", MetaPrefix+"orc", `{"name":"own"}`)
		s := arrow.NewSchema([]arrow.Field{field(arrow.BinaryTypes.Binary, kv...)}, &file)
		types, columns, user, err := TypesFromArrow(s, OutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if columns[0].Loss != c.want {
			t.Errorf("%.80s: %.200s, want %s", c.metadata, columns[0].Loss, c.want)
		}
		back, err := Schema(&Footer{Types: types, Metadata: user}, nanos)
		if err != nil {
			t.Fatal(err)
		}
		if lost := schemadiff.Fields(s.Fields(), back.Fields()); (len(lost) > 0) != (c.want != "") {
			t.Errorf("%.80s: the plan says %q, and what is lost is %v", c.metadata, c.want, lost)
		}
	}
}
