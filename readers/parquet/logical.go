package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/parquetwire"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// metaLogical is the key of a field's metadata that names a logical type which the Arrow type does not tell. The writer of
// Parquet writes it back.
const metaLogical = "PARQUET:logical_type"

// logicalType names the logical type of a column if the Arrow type does not tell it; "" = it does.
func logicalType(e *decode.Element) string {
	switch e.Kind {
	case decode.UUID:
		if e.Type == decode.Fixed && e.Width == 16 {
			return "UUID"
		}
	case decode.Interval:
		if e.Type == decode.Fixed && e.Width == 12 {
			return "INTERVAL"
		}
	case decode.JSON, decode.Enum, decode.BSON:
		if e.Type == decode.ByteArray {
			return e.Kind.String()
		}
	case decode.Geometry, decode.Geography:
		if e.Type == decode.ByteArray {
			return geoOf(e).String()
		}
	case decode.Time:
		if e.UTC && (e.Type == decode.Int32 && e.Unit == decode.Millis || e.Type == decode.Int64 && (e.Unit == decode.Micros || e.Unit == decode.Nanos)) {
			return "TIME(isAdjustedToUTC=true)"
		}
	}
	return ""
}

func geoOf(e *decode.Element) parquetwire.Geo {
	return parquetwire.Geo{Edges: e.Kind == decode.Geography, CRS: e.CRS, HasCRS: e.HasCRS, Algorithm: e.Algorithm, HasAlgorithm: e.HasAlgorithm}
}

// tellsLogical reports whether metadata in a field of a type, or below it, names a logical type.
func tellsLogical(t arrow.DataType) bool {
	n, ok := t.(arrow.NestedType)
	if !ok {
		return false
	}
	for _, f := range n.Fields() {
		if f.Metadata.FindKey(metaLogical) >= 0 || tellsLogical(f.Type) {
			return true
		}
	}
	return false
}
