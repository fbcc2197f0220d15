package parquetwire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/internal/geoarrow"
)

// Geo is what a logical type GEOMETRY or GEOGRAPHY says besides its name. Its text is
// "GEOGRAPHY(algorithm=VINCENTY, crs=OGC:CRS84)", without what the file does not say.
type Geo struct {
	Edges        bool   // it is a GEOGRAPHY, whose edges are curves
	CRS          string // the coordinate reference system
	HasCRS       bool
	Algorithm    int32 // how edges run between points
	HasAlgorithm bool
}

const (
	algorithmKey = "algorithm="
	crsKey       = "crs="
)

// GeoOf returns the logical type of what Arrow has as GeoArrow's well-known binary.
func GeoOf(t geoarrow.Type) Geo {
	g := Geo{Edges: t.Geography, CRS: t.CRS, Algorithm: int32(t.Algorithm), HasAlgorithm: t.Algorithm != 0}
	if g.HasCRS = g.CRS != "" && g.CRS != geoarrow.DefaultCRS; !g.HasCRS {
		g.CRS = ""
	}
	return g
}

// GeoArrow is the reverse of GeoOf. It is false where edges run in a way that is not known.
func (g Geo) GeoArrow() (t geoarrow.Type, ok bool) {
	t = geoarrow.Type{Geography: g.Edges}
	if g.HasCRS {
		t.CRS = g.CRS
	}
	if g.HasAlgorithm && g.Edges {
		t.Algorithm = int(g.Algorithm)
	}
	return t, t.Algorithm >= 0 && t.Algorithm < len(geoarrow.Algorithms)
}

// String returns the text of g.
func (g Geo) String() string {
	name, parts := "GEOMETRY", []string(nil)
	if g.Edges {
		name = "GEOGRAPHY"
	}
	if g.HasAlgorithm && g.Edges {
		parts = append(parts, algorithmKey+geoarrow.AlgorithmName(int(g.Algorithm)))
	}
	if g.HasCRS {
		parts = append(parts, crsKey+g.CRS)
	}
	if parts == nil {
		return name
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(parts, ", "))
}

// ParseGeo reads what String makes. A crs runs to the last bracket, whatever it holds.
func ParseGeo(text string) (g Geo, ok bool) {
	name, rest, more := strings.Cut(text, "(")
	if name != "GEOMETRY" && name != "GEOGRAPHY" {
		return g, false
	}
	g.Edges = name == "GEOGRAPHY"
	if !more {
		return g, true
	}
	rest, ok = strings.CutSuffix(rest, ")")
	if a, found := strings.CutPrefix(rest, algorithmKey); found && ok && g.Edges {
		a, rest, more = strings.Cut(a, ", ")
		if g.Algorithm, ok = algorithm(a); !ok {
			return Geo{}, false
		}
		if g.HasAlgorithm = true; !more {
			return g, true
		}
	}
	g.CRS, g.HasCRS = strings.CutPrefix(rest, crsKey)
	if !ok || !g.HasCRS {
		return Geo{}, false
	}
	return g, true
}

func algorithm(name string) (int32, bool) {
	for i, a := range geoarrow.Algorithms {
		if a == name {
			return int32(i), true
		}
	}
	n, err := strconv.ParseInt(name, 10, 32)
	return int32(n), err == nil
}
