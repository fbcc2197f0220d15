package parquetwire

import "testing"

func TestGeo(t *testing.T) {
	for _, g := range []Geo{
		{},
		{Edges: true},
		{HasCRS: true},
		{CRS: "OGC:CRS84", HasCRS: true},
		{CRS: `{"type": "x(y), algorithm=KARNEY"})`, HasCRS: true},
		{Edges: true, CRS: "algorithm=KARNEY, crs=b", HasCRS: true, HasAlgorithm: true},
		{Edges: true, Algorithm: 4, HasAlgorithm: true},
		{Edges: true, Algorithm: -7, HasAlgorithm: true},
		{Edges: true, Algorithm: 99, HasAlgorithm: true, HasCRS: true, CRS: "srid:0"},
	} {
		if got, ok := ParseGeo(g.String()); !ok || got != g {
			t.Errorf("%s: %+v, %t; want %+v", g, got, ok, g)
		}
	}
	if s := (Geo{Edges: true, CRS: "EPSG:4326", HasCRS: true, Algorithm: 1, HasAlgorithm: true}).String(); s != "GEOGRAPHY(algorithm=VINCENTY, crs=EPSG:4326)" {
		t.Error(s)
	}
	for _, s := range []string{"", "GEO", "GEOMETRY()", "GEOMETRY(x)", "GEOMETRY(crs=a", "GEOMETRY(algorithm=KARNEY)", "GEOGRAPHY(algorithm=?)", "GEOGRAPHY(algorithm=KARNEY, x)"} {
		if g, ok := ParseGeo(s); ok {
			t.Errorf("%q is %+v", s, g)
		}
	}
}
