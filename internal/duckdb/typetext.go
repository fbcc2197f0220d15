package duckdb

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// typeTexts are the names of DuckDB's types that have no parameters.
var typeTexts = map[arrow.Type]string{
	arrow.NULL: `"NULL"`, arrow.BOOL: "BOOLEAN", arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "FLOAT", arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.STRING_VIEW: "VARCHAR",
	arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.BINARY_VIEW: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
	arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME",
	arrow.DURATION: "INTERVAL", arrow.INTERVAL_MONTHS: "INTERVAL", arrow.INTERVAL_DAY_TIME: "INTERVAL", arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL",
}

// stampTexts are those of timestamps without a time zone.
var stampTexts = map[arrow.TimeUnit]string{
	arrow.Second: "TIMESTAMP_S", arrow.Millisecond: "TIMESTAMP_MS", arrow.Microsecond: "TIMESTAMP", arrow.Nanosecond: "TIMESTAMP_NS",
}

// mostDigits is how many a decimal has in DuckDB.
const mostDigits = 38

// typeText names the type of DuckDB whose values become those of an Arrow type.
func typeText(t arrow.DataType) (string, error) {
	if text := typeTexts[t.ID()]; text != "" {
		return text, nil
	}
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return typeText(t.ValueType)
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return "TIME_NS", nil
		}
		return "TIME", nil
	case *arrow.RunEndEncodedType:
		return typeText(t.Encoded())
	case arrow.ExtensionType:
		return typeText(t.StorageType())
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE", nil
		}
		return stampTexts[t.Unit], nil
	case arrow.DecimalType:
		if t.GetPrecision() <= mostDigits && t.GetScale() >= 0 {
			return fmt.Sprintf("DECIMAL(%d, %d)", t.GetPrecision(), t.GetScale()), nil
		}
	case *arrow.MapType:
		key, err := typeText(t.KeyType())
		if err != nil {
			return "", err
		}
		value, err := typeText(t.ItemType())
		return "MAP(" + key + ", " + value + ")", err
	case *arrow.FixedSizeListType:
		elem, err := typeText(t.Elem())
		return fmt.Sprintf("%s[%d]", elem, t.Len()), err
	case arrow.ListLikeType:
		elem, err := typeText(t.Elem())
		return elem + "[]", err
	case *arrow.StructType:
		parts := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			text, err := typeText(f.Type)
			if err != nil {
				return "", err
			}
			parts[i] = quoteName(f.Name) + " " + text
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")", nil
	}
	return "", errs.Errorf(errs.ErrUnsupported, "SQL has no values of type %s", t)
}
