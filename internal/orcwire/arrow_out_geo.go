package orcwire

import (
	"encoding/json"
	"reflect"

	"github.com/arrowio/arrowio/internal/geoarrow"
)

// geoType makes t the geometry or geography that the metadata of GeoArrow's WKB describes, the reverse of geoMetadata.
// Where edges are of a kind that ORC does not know, t stays what it is. A coordinate reference system that is not known
// becomes ORC's default.
func geoType(t *Type, metadata string) {
	g, ok := geoarrow.Parse(metadata)
	if !ok {
		return
	}
	t.Kind, t.CRS, t.EdgeAlgorithm = Geometry, g.CRS, uint8(g.Algorithm)
	if g.Geography {
		t.Kind = Geography
	}
}

// sameJSON reports whether two texts are the same JSON, written in whatever way.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
