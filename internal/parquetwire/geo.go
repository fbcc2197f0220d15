package parquetwire

import (
	"fmt"
	"strconv"
	"strings"
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

// algorithms are the names of edge algorithms, by number.
var algorithms = [...]string{"SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY"}

const (
	algorithmKey = "algorithm="
	crsKey       = "crs="
)

// String returns the text of g.
func (g Geo) String() string {
	name, parts := "GEOMETRY", []string(nil)
	if g.Edges {
		name = "GEOGRAPHY"
	}
	if g.HasAlgorithm && g.Edges {
		a := strconv.Itoa(int(g.Algorithm))
		if g.Algorithm >= 0 && int(g.Algorithm) < len(algorithms) {
			a = algorithms[g.Algorithm]
		}
		parts = append(parts, algorithmKey+a)
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
	for i, a := range algorithms {
		if a == name {
			return int32(i), true
		}
	}
	n, err := strconv.ParseInt(name, 10, 32)
	return int32(n), err == nil
}
