package orcwire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// geoType makes t the geometry or geography that the metadata of GeoArrow's WKB describes, the reverse of geoMetadata.
// Where edges are of a kind that ORC does not know, t stays what it is.
func geoType(t *Type, metadata string) {
	var md struct {
		CRS   json.RawMessage `json:"crs"`
		Edges string          `json:"edges"`
	}
	if metadata != "" && json.Unmarshal([]byte(metadata), &md) != nil {
		return
	}
	kind, edges := Geometry, 0
	if md.Edges != "" && md.Edges != "planar" {
		kind, edges = Geography, slices.Index(edgeNames[:], strings.ToUpper(md.Edges))
	}
	if edges < 0 {
		return
	}
	t.Kind, t.EdgeAlgorithm = kind, uint8(edges)
	var text string
	if json.Unmarshal(md.CRS, &text) == nil { // null leaves it empty, which is ORC's default
		t.CRS = text
	} else if md.CRS != nil {
		var b bytes.Buffer
		if json.Compact(&b, md.CRS) == nil {
			t.CRS = b.String()
		}
	}
}

// sameJSON reports whether two texts are the same JSON, written in whatever way.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
