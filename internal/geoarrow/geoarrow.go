package geoarrow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Name is the name of the extension type.
const Name = "geoarrow.wkb"

// DefaultCRS is the coordinate reference system of geometries and geographies that name none, in ORC as in Parquet.
const DefaultCRS = "OGC:CRS84"

// Algorithms are the ways in which the edges of a geography run between its points, by their numbers in ORC and in Parquet.
var Algorithms = [...]string{"SPHERICAL", "VINCENTY", "THOMAS", "ANDOYER", "KARNEY"}

// Type is a geometry or a geography.
type Type struct {
	CRS       string // as in files; "" = DefaultCRS
	Unknown   bool   // GeoArrow's metadata names no coordinate reference system: it is not known
	Geography bool   // edges are no straight lines
	Algorithm int    // of a geography: index of Algorithms
}

// sridPrefix is in front of the numbers of coordinate reference systems in ORC and Parquet. GeoArrow says it beside them.
const sridPrefix = "srid:"

// document is the metadata of the extension type.
type document struct {
	CRS   any    `json:"crs"`
	Kind  string `json:"crs_type,omitempty"`
	Edges string `json:"edges,omitempty"`
}

// Parse reads the metadata of the extension type; "" stands for {}. It is false for what is no such metadata, and for edges that
// files do not know.
func Parse(metadata string) (t Type, ok bool) {
	var crs json.RawMessage
	d := document{CRS: &crs}
	if metadata != "" && json.Unmarshal([]byte(metadata), &d) != nil {
		return t, false
	}
	if d.Edges != "" && d.Edges != "planar" {
		t.Geography, t.Algorithm = true, slices.Index(Algorithms[:], strings.ToUpper(d.Edges))
	}
	if t.Algorithm < 0 {
		return Type{}, false
	}
	switch {
	case d.CRS == nil || crs == nil || string(crs) == "null":
		t.Unknown = true
	case json.Unmarshal(crs, &t.CRS) == nil:
		if d.Kind == "srid" {
			t.CRS = sridPrefix + t.CRS
		}
	default:
		var b bytes.Buffer
		_ = json.Compact(&b, crs) // it was parsed
		t.CRS = b.String()
	}
	return t, true
}

// Metadata returns the metadata of the extension type: the coordinate reference system, of which kind its text is where that is
// plain, and how edges run where that is not straight.
func (t Type) Metadata() string {
	var d document
	crs := t.CRS
	if crs == "" {
		crs = DefaultCRS
	}
	authority, code, ok := strings.Cut(crs, ":")
	switch {
	case t.Unknown:
	case strings.HasPrefix(crs, "{") && json.Valid([]byte(crs)):
		d.CRS, d.Kind = json.RawMessage(crs), "projjson"
	case strings.HasPrefix(crs, sridPrefix) && isWord(code):
		d.CRS, d.Kind = code, "srid"
	case ok && isWord(authority) && isWord(code) && authority != "projjson":
		d.CRS, d.Kind = crs, "authority_code"
	default:
		d.CRS = crs
	}
	if t.Geography {
		d.Edges = t.Edges()
	}
	b, err := json.Marshal(d)
	if err != nil {
		return "{}" // a struct of strings and valid JSON
	}
	return string(b)
}

// AlgorithmName returns the name of an algorithm, in capitals; one that is not known is its number.
func AlgorithmName(n int) string {
	if n >= 0 && n < len(Algorithms) {
		return Algorithms[n]
	}
	return strconv.Itoa(n)
}

// Edges says how the edges between points run, in the words of GeoArrow.
func (t Type) Edges() string {
	if !t.Geography {
		return "planar"
	}
	return strings.ToLower(AlgorithmName(t.Algorithm))
}

// isWord reports whether s is letters and digits, at least one.
func isWord(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Property returns the key of a file's metadata that holds the PROJJSON of a coordinate reference system "projjson:KEY".
func Property(crs string) (key string, ok bool) { return strings.CutPrefix(crs, "projjson:") }
