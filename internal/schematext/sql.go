package schematext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// SQL returns the statement that makes a table. Types are those of the SQL standard where it has them, and otherwise those of DuckDB.
// Columns that have no type in SQL make an errs.ErrSchema that names them.
func SQL(s *arrow.Schema, table string) (string, error) {
	if err := checkNames(s, "SQL"); err != nil {
		return "", err
	}
	var b strings.Builder
	var refused []string
	b.WriteString("CREATE TABLE " + quoted(table, '"') + " (")
	for i, f := range s.Fields() {
		t, ok := sqlType(f.Type)
		if !ok {
			refused = append(refused, f.Name+" ("+f.Type.String()+")")
			continue
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + quoted(f.Name, '"') + " " + t)
		if !f.Nullable {
			b.WriteString(" NOT NULL")
		}
	}
	if len(refused) > 0 {
		return "", errs.Errorf(errs.ErrSchema, "SQL has no type for %s", strings.Join(refused, ", "))
	}
	b.WriteString("\n);\n")
	return b.String(), nil
}

// flatTypes are the types that need no parameters.
var flatTypes = map[arrow.Type]string{
	arrow.BOOL: "BOOLEAN",
	arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "REAL", arrow.FLOAT32: "REAL", arrow.FLOAT64: "DOUBLE PRECISION",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.STRING_VIEW: "VARCHAR",
	arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.BINARY_VIEW: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
	arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME", arrow.TIME64: "TIME",
	arrow.INTERVAL_MONTHS: "INTERVAL", arrow.INTERVAL_DAY_TIME: "INTERVAL", arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL", arrow.DURATION: "INTERVAL",
	arrow.NULL: "INTEGER",
}

func sqlType(t arrow.DataType) (string, bool) {
	switch t := t.(type) {
	case arrow.DecimalType:
		return fmt.Sprintf("DECIMAL(%d, %d)", t.GetPrecision(), t.GetScale()), true
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE", true
		}
		return "TIMESTAMP", true
	case *arrow.DictionaryType:
		return sqlType(t.ValueType)
	case *arrow.RunEndEncodedType:
		return sqlType(t.Encoded())
	case arrow.ExtensionType:
		return sqlType(t.StorageType())
	case *arrow.MapType:
		k, ok := sqlType(t.KeyType())
		v, ok2 := sqlType(t.ItemType())
		return "MAP(" + k + ", " + v + ")", ok && ok2
	case *arrow.FixedSizeListType:
		e, ok := sqlType(t.Elem())
		return fmt.Sprintf("%s[%d]", e, t.Len()), ok
	case arrow.ListLikeType:
		e, ok := sqlType(t.Elem())
		return e + "[]", ok
	case *arrow.StructType:
		return sqlStruct("STRUCT", t.Fields())
	case arrow.UnionType:
		return sqlStruct("UNION", t.Fields())
	}
	s, ok := flatTypes[t.ID()]
	return s, ok
}

func sqlStruct(word string, fields []arrow.Field) (string, bool) {
	var parts []string
	for _, f := range fields {
		s, ok := sqlType(f.Type)
		if !ok {
			return "", false
		}
		parts = append(parts, quoted(f.Name, '"')+" "+s)
	}
	return word + "(" + strings.Join(slices.Clip(parts), ", ") + ")", len(parts) > 0
}
