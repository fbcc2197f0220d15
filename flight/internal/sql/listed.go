package sql

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// listedSchema is the schema of a table as GetTables tells it: with each column's name of its type, its precision and scale in
// the metadata that drivers read. Types that the JDBC driver does not know are told as the next wider one that it does know,
// since one such column makes it fail for all tables.
func listedSchema(s *arrow.Schema, catalog string) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		f.Type = listedType(f.Type)
		b := flightsql.NewColumnMetadataBuilder()
		b.CatalogName(catalog).SchemaName(Schema).TypeName(typeName(f.Type)).IsAutoIncrement(false).IsReadOnly(catalog == Catalog)
		if p, scale, ok := precision(f.Type); ok {
			b.Precision(p).Scale(scale)
		}
		md := b.Metadata()
		keys, values := append(f.Metadata.Keys(), md.Keys()...), append(f.Metadata.Values(), md.Values()...)
		f.Metadata = arrow.NewMetadata(keys, values)
		fields[i] = f
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

func listedType(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.FLOAT16:
		return arrow.PrimitiveTypes.Float32
	case arrow.STRING_VIEW:
		return arrow.BinaryTypes.String
	case arrow.BINARY_VIEW:
		return arrow.BinaryTypes.Binary
	}
	switch t.(type) {
	case *arrow.MapType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.StructType:
		return arrowtype.Inside(t, listedType)
	}
	return t
}

// typeName is a type's name in SQL.
func typeName(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return typeName(t.ValueType)
	case arrow.ExtensionType:
		return typeName(t.StorageType())
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE"
		}
		return "TIMESTAMP"
	case *arrow.MapType:
		return "MAP(" + typeName(t.KeyType()) + ", " + typeName(t.ItemType()) + ")"
	case arrow.ListLikeType:
		return typeName(t.Elem()) + "[]"
	case *arrow.StructType:
		parts := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			parts[i] = `"` + strings.ReplaceAll(f.Name, `"`, `""`) + `" ` + typeName(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	if name := flatNames[t.ID()]; name != "" {
		return name
	}
	return strings.ToUpper(t.Name())
}

var flatNames = map[arrow.Type]string{
	arrow.BOOL: "BOOLEAN", arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "REAL", arrow.FLOAT32: "REAL", arrow.FLOAT64: "DOUBLE", arrow.DECIMAL128: "DECIMAL", arrow.DECIMAL256: "DECIMAL",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.BINARY: "VARBINARY", arrow.LARGE_BINARY: "VARBINARY",
	arrow.FIXED_SIZE_BINARY: "VARBINARY", arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME", arrow.TIME64: "TIME",
	arrow.DURATION: "INTERVAL", arrow.INTERVAL_MONTHS: "INTERVAL", arrow.INTERVAL_DAY_TIME: "INTERVAL", arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL",
}

// precision returns how many digits values have, and how many of them are behind the point.
func precision(t arrow.DataType) (digits, scale int32, ok bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return precision(t.ValueType)
	case arrow.DecimalType:
		return t.GetPrecision(), t.GetScale(), true
	case *arrow.TimestampType:
		return 20 + 3*int32(t.Unit), 3 * int32(t.Unit), true
	}
	n, ok := map[arrow.Type]int32{
		arrow.INT8: 3, arrow.UINT8: 3, arrow.INT16: 5, arrow.UINT16: 5, arrow.INT32: 10, arrow.UINT32: 10, arrow.INT64: 19, arrow.UINT64: 20,
		arrow.FLOAT32: 7, arrow.FLOAT64: 15, arrow.DATE32: 10, arrow.DATE64: 10,
	}[t.ID()]
	return n, 0, ok
}
