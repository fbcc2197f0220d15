package parquet

import (
	"encoding/json"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/parquetwire"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/schemadiff"
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

// isGeo reports whether a column is a geometry or a geography.
func isGeo(e *decode.Element) bool {
	return e.Type == decode.ByteArray && (e.Kind == decode.Geometry || e.Kind == decode.Geography)
}

// geoArrow returns the metadata of GeoArrow's extension type for a geometry or a geography. PROJJSON that the file has under a key of
// its metadata is put in its place: other files do not have the key.
func (b *treeBuilder) geoArrow(e *decode.Element) (metadata string, ok bool) {
	if !isGeo(e) {
		return "", false
	}
	t, ok := geoOf(e).GeoArrow()
	if key, named := geoarrow.Property(t.CRS); named {
		if text, found := b.projJSON(key); found {
			t.CRS = text
		}
	}
	return t.Metadata(), ok
}

// mostProjJSON is how many bytes of PROJJSON all columns together may have: many columns may name one key.
const mostProjJSON = 16 << 20

// projJSON returns the JSON under a key of the file's metadata.
func (b *treeBuilder) projJSON(key string) (text string, ok bool) {
	if b.properties == nil {
		b.properties = make(map[string]string, len(b.file))
		for _, kv := range b.file {
			b.properties[kv.Key] = kv.Value
		}
	}
	text, ok = b.properties[key]
	if !ok || len(text) > mostProjJSON-b.projected {
		return "", false
	}
	b.projected += len(text)
	return text, json.Valid([]byte(text))
}

// tellsLogicalType reports whether the extension type of a field in the stored Arrow schema tells all that the column's logical type
// does.
func tellsLogicalType(stored arrow.Field, e *decode.Element) bool {
	md := arrowmeta.OfField(stored)
	switch name, _ := md.GetValue(schemadiff.ExtensionName); name {
	case parquetwire.ExtensionUUID:
		return e.Kind == decode.UUID
	case parquetwire.ExtensionJSON:
		return e.Kind == decode.JSON
	case geoarrow.Name:
		data, _ := md.GetValue(schemadiff.ExtensionMetadata)
		said, ok := geoarrow.Parse(data)
		is, known := geoOf(e).GeoArrow()
		return isGeo(e) && ok && known && parquetwire.GeoOf(said) == parquetwire.GeoOf(is)
	}
	return false
}
