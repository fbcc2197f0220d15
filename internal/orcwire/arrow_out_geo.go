package orcwire

import "github.com/arrowio/arrowio/internal/geoarrow"

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
