package parquet

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Geometries and geographies of files without an Arrow schema are GeoArrow's well-known binary.
func TestGeoArrow(t *testing.T) {
	file := []decode.KeyValue{{Key: "local", Value: `{"type": "EngineeringCRS"}`}, {Key: "broken", Value: `{`}}
	for _, c := range []struct {
		elem      decode.Element
		extension string // "" = plain bytes
	}{
		{decode.Element{Kind: decode.Geometry}, `{"crs":"OGC:CRS84","crs_type":"authority_code"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true}, `{"crs":"OGC:CRS84","crs_type":"authority_code"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "EPSG:3857"}, `{"crs":"EPSG:3857","crs_type":"authority_code"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "srid:3857"}, `{"crs":"3857","crs_type":"srid"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "projjson:local"}, `{"crs":{"type":"EngineeringCRS"},"crs_type":"projjson"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "projjson:gone"}, `{"crs":"projjson:gone"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "projjson:broken"}, `{"crs":"projjson:broken"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: `{"id": 1}`}, `{"crs":{"id":1},"crs_type":"projjson"}`},
		{decode.Element{Kind: decode.Geometry, HasCRS: true, CRS: "some place"}, `{"crs":"some place"}`},
		{decode.Element{Kind: decode.Geography}, `{"crs":"OGC:CRS84","crs_type":"authority_code","edges":"spherical"}`},
		{decode.Element{Kind: decode.Geography, HasAlgorithm: true, Algorithm: 4}, `{"crs":"OGC:CRS84","crs_type":"authority_code","edges":"karney"}`},
		{decode.Element{Kind: decode.Geography, HasAlgorithm: true, Algorithm: 5}, ""},
		{decode.Element{Kind: decode.Geography, HasAlgorithm: true, Algorithm: -1}, ""},
		{decode.Element{Kind: decode.BSON}, ""},
	} {
		c.elem.Name, c.elem.Type = "g", decode.ByteArray
		for _, stored := range []bool{false, true} { // an Arrow schema says itself what is an extension type
			b := treeBuilder{
				elems: []decode.Element{{Name: "schema", Children: 1}, c.elem}, limits: arrowio.Limits{}.WithDefaults(),
				file: file, stored: stored, int96: func(int) int96Way { return int96Nanos },
			}
			nodes, err := b.build()
			if err != nil {
				t.Fatal(err)
			}
			f := nodes[0].field
			name, _ := f.Metadata.GetValue("ARROW:extension:name")
			data, _ := f.Metadata.GetValue("ARROW:extension:metadata")
			want := c.extension
			if stored {
				want = ""
			}
			if f.Type.ID() != arrow.BINARY || (name == "geoarrow.wkb") != (want != "") || data != want {
				t.Errorf("%s: %s, %q %s, want %s", geoOf(&c.elem), f.Type, name, data, want)
			}
		}
	}
}

// A file of many columns that all name one large text does not become as many texts.
func TestProjJSONIsBounded(t *testing.T) {
	const columns = 1000
	b := treeBuilder{
		elems: []decode.Element{{Name: "schema", Children: columns}}, limits: arrowio.Limits{}.WithDefaults(), int96: func(int) int96Way { return int96Nanos },
		file: []decode.KeyValue{{Key: "large", Value: `"` + strings.Repeat("x", 1<<20) + `"`}},
	}
	for range columns {
		b.elems = append(b.elems, decode.Element{Name: "g", Type: decode.ByteArray, Kind: decode.Geometry, HasCRS: true, CRS: "projjson:large"})
	}
	nodes, err := b.build()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range nodes {
		data, _ := n.field.Metadata.GetValue("ARROW:extension:metadata")
		total += len(data)
	}
	if total > 2*mostProjJSON {
		t.Errorf("%d bytes", total)
	}
	if data, _ := nodes[columns-1].field.Metadata.GetValue("ARROW:extension:metadata"); data != `{"crs":"projjson:large"}` {
		t.Errorf("%.100s", data)
	}
}
