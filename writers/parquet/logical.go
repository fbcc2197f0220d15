package parquet

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/parquetwire"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// metaLogical is the key of a field's metadata that names a logical type of Parquet which Arrow types do not tell. The
// reader of Parquet sets it.
const metaLogical = "PARQUET:logical_type"

// extension gives the column the logical type that Parquet has for the extension type of its field, which need not be registered. file is
// the metadata of the file. It returns what other readers do not find; "" = nothing.
func (l *leaf) extension(f arrow.Field, file arrow.Metadata) (loss string) {
	md := arrowmeta.OfField(f)
	switch name, _ := md.GetValue(schemadiff.ExtensionName); name {
	case parquetwire.ExtensionUUID:
		l.annotate("UUID")
	case parquetwire.ExtensionJSON:
		l.annotate("JSON")
	case geoarrow.Name:
		data, _ := md.GetValue(schemadiff.ExtensionMetadata)
		return l.geoArrow(data, file)
	}
	return ""
}

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
		if g, ok := parquetwire.ParseGeo(name); ok {
			l.geo(g)
		}
	case name == "TIME(isAdjustedToUTC=true)" && w.Logical.Kind == encode.Time:
		w.Logical.UTC = true
	}
}

// geo makes the column a geometry or a geography.
func (l *leaf) geo(g parquetwire.Geo) {
	l.wire.Logical = encode.Logical{Kind: encode.Geometry, CRS: g.CRS, HasCRS: g.HasCRS, Algorithm: g.Algorithm, HasAlgorithm: g.HasAlgorithm}
	if l.order = noOrder; g.Edges {
		l.wire.Logical.Kind = encode.Geography
	}
}

// geoArrow makes a column of GeoArrow's well-known binary the geometry or geography that the metadata of its extension type
// describes. file is the metadata of the file. It returns what other readers do not find; "" = nothing. Where Parquet does not know
// how edges run, the column stays plain bytes.
func (l *leaf) geoArrow(metadata string, file arrow.Metadata) (loss string) {
	t, ok := geoarrow.Parse(metadata)
	if !ok || l.wire.Type != encode.ByteArray || l.wire.Logical.Kind != encode.NoKind {
		return ""
	}
	l.geo(parquetwire.GeoOf(t))
	if t.Unknown {
		return "names no coordinate reference system, which Parquet takes for " + geoarrow.DefaultCRS
	}
	if key, ok := geoarrow.Property(t.CRS); ok && file.FindKey(key) < 0 {
		return fmt.Sprintf("its coordinate reference system is in the metadata %q, which the file does not have", key)
	}
	return ""
}
