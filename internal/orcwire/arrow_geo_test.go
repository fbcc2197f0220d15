package orcwire

import (
	"strings"
	"testing"
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
