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

// geoComesBack says how metadata of GeoArrow's WKB come back that are others than they were: PROJJSON may have thousands of bytes.
func geoComesBack(back, were string) string {
	b, _ := geoarrow.Parse(back)
	if w, ok := geoarrow.Parse(were); ok && (w.CRS != b.CRS || w.Unknown) {
		return "with the coordinate reference system " + geoarrow.ShortCRS(b.CRS)
	}
	const most = 80
	if r := []rune(back); len(r) > most {
		back = string(r[:most]) + "…"
	}
	return "as " + back
}
