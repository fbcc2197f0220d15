package parquet

import (
	"strings"

	"github.com/arrowio/arrowio/internal/parquetwire"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

// metaLogical is the key of a field's metadata that names a logical type of Parquet which Arrow types do not tell. The
// reader of Parquet sets it.
const metaLogical = "PARQUET:logical_type"

// annotate gives the column the logical type that metadata names, if the column is stored as that type has to be.
func (l *leaf) annotate(name string) {
	w := &l.wire
	text, plain := w.Logical.Kind == encode.String, w.Logical.Kind == encode.NoKind
	switch {
	case name == "UUID" && plain && w.Type == encode.Fixed && w.Width == 16:
		w.Logical.Kind = encode.UUID
	case name == "INTERVAL" && plain && w.Type == encode.Fixed && w.Width == 12:
		w.Logical.Kind, l.order = encode.Interval, noOrder
	case name == "JSON" && text:
		w.Logical.Kind = encode.JSON
	case name == "ENUM" && text:
		w.Logical.Kind = encode.Enum
	case name == "BSON" && plain && w.Type == encode.ByteArray:
		w.Logical.Kind = encode.BSON
	case strings.HasPrefix(name, "GEO") && plain && w.Type == encode.ByteArray:
		g, ok := parquetwire.ParseGeo(name)
		if !ok {
			return
		}
		w.Logical = encode.Logical{Kind: encode.Geometry, CRS: g.CRS, HasCRS: g.HasCRS, Algorithm: g.Algorithm, HasAlgorithm: g.HasAlgorithm}
		if l.order = noOrder; g.Edges {
			w.Logical.Kind = encode.Geography
		}
	case name == "TIME(isAdjustedToUTC=true)" && w.Logical.Kind == encode.Time:
		w.Logical.UTC = true
	}
}
