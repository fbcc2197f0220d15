package geoarrow

import "testing"

func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		metadata string
		want     Type
		back     string // "" = metadata
	}{
		{`{"crs":"OGC:CRS84","crs_type":"authority_code"}`, Type{CRS: "OGC:CRS84"}, ""},
		{`{"crs":"EPSG:4326","crs_type":"authority_code","edges":"vincenty"}`, Type{CRS: "EPSG:4326", Geography: true, Algorithm: 1}, ""},
		{`{"crs":"3857","crs_type":"srid"}`, Type{CRS: "srid:3857"}, ""},
		{`{"crs":{"id":1},"crs_type":"projjson","edges":"spherical"}`, Type{CRS: `{"id":1}`, Geography: true}, ""},
		{`{"crs":"some place"}`, Type{CRS: "some place"}, ""},
		{`{"crs":"projjson:key"}`, Type{CRS: "projjson:key"}, ""},
		{`{"crs":null}`, Type{Unknown: true}, ""},
		{`{"edges":"planar"}`, Type{Unknown: true}, `{"crs":null}`},
		{"", Type{Unknown: true}, `{"crs":null}`},
		{"{}", Type{Unknown: true}, `{"crs":null}`},
	} {
		got, ok := Parse(c.metadata)
		if !ok || got != c.want {
			t.Errorf("%s: %+v, %t", c.metadata, got, ok)
		}
		if c.back == "" {
			c.back = c.metadata
		}
		if back := got.Metadata(); back != c.back {
			t.Errorf("%s comes back as %s", c.metadata, back)
		}
	}
	for _, metadata := range []string{`{"crs":`, `[]`, `{"edges":1}`, `{"edges":"rhumb"}`} {
		if got, ok := Parse(metadata); ok || got != (Type{}) {
			t.Errorf("%s: %+v", metadata, got)
		}
	}
	if got, want := (Type{}).Metadata(), `{"crs":"OGC:CRS84","crs_type":"authority_code"}`; got != want {
		t.Error(got)
	}
}
