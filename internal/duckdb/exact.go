package duckdb

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
)

// exactly returns an expression that converts a column of a query to the type of a column of a dataset, by its name in DuckDB. A value
// that the type does not have is an error, where DuckDB's own INSERT takes the nearest. bound says that the query has parameters: a null,
// which DuckDB describes as an INTEGER, may be a value of another type in another row.
func exactly(column string, from arrow.DataType, to arrow.Field, kind string, bound bool) string {
	converted := "CAST(" + column + " AS " + kind + ")"
	target := valueType(to.Type)
	source, err := typeText(from)
	perhapsNull := source == typeTexts[arrow.INT32] || source == typeTexts[arrow.NULL]
	if err == nil && (kind == "VARCHAR" || !(bound && perhapsNull) && (source == kind || widens(valueType(from), target))) {
		return converted
	}
	if source == "TIME" && kind == "TIME_NS" { // which has no cast of its own
		return "CAST(CAST(" + column + " AS VARCHAR) AS TIME_NS)"
	}
	mark := ""
	if source == "VARCHAR" {
		mark = "'"
	}
	text := quote(fmt.Sprintf("column %q: %s", to.Name, mark)) + " || left(CAST(" + column + " AS VARCHAR), 60) || " + quote(mark) + " || CASE WHEN TRY(" + converted + ") IS NULL THEN " +
		quote(" cannot be converted to "+kind+", or is out of range") + " ELSE " +
		quote(inexact(source, target, kind)) + " END"
	same := isExact(column, converted, source, target, kind)
	if same == "" {
		same = equals(column, converted, bound || perhapsNull)
	}
	return "CASE WHEN " + column + " IS NULL OR " + same + " THEN " + converted + " ELSE error(" + text + ") END"
}

// inexact is what an error says of a value that a type does not have.
func inexact(source string, to arrow.DataType, kind string) string {
	if stamp, ok := to.(*arrow.TimestampType); ok && source == "VARCHAR" && stamp.TimeZone == "" {
		return fmt.Sprintf(" is no value of type %s exactly: use CAST(… AS %s) if another value may take its place, or CAST(… AS TIMESTAMP WITH TIME ZONE) if it has an offset", kind, kind)
	}
	return fmt.Sprintf(" is no value of type %s exactly: use CAST(… AS %s), or round(…), if another value may take its place", kind, kind)
}

// equals returns a condition that a converted value, converted back, is the one that it comes from.
func equals(column, converted string, perhapsNull bool) string {
	if perhapsNull { // cast_to_type takes no column that is of no type but NULL
		column, converted = "{'v': "+column+"}", "{'v': "+converted+"}"
	}
	return "TRY(cast_to_type(" + converted + ", " + column + ")) IS NOT DISTINCT FROM " + column
}

// isExact returns a condition that a value is one of a type, for values that say so in another way; "" = equals does.
func isExact(column, converted, source string, to arrow.DataType, kind string) string {
	switch {
	case source == "VARCHAR" && arrow.IsNested(to.ID()):
		return "false" // what is inside of the text would be rounded as DuckDB likes
	case source == "VARCHAR":
		if pattern := spelling(to, kind); pattern != "" {
			return "regexp_full_match(CAST(" + column + " AS VARCHAR), " + quote(pattern) + ")"
		}
		return "true"
	case source == "TIME_NS" && kind == "TIME":
		return "CAST(CAST(" + converted + " AS VARCHAR) AS TIME_NS) = " + column
	}
	return ""
}

// spelling returns a pattern of the texts that DuckDB reads as values of a type without rounding them, as far as they are texts of such
// values at all; "" = there is nothing to round.
func spelling(t arrow.DataType, kind string) string {
	fraction := -1 // digits of seconds that a value keeps
	switch t := t.(type) {
	case arrow.DecimalType:
		return fmt.Sprintf(`\s*[+-]?[0-9_]*(\.[0-9]{0,%d}0*)?\s*`, t.GetScale())
	case *arrow.TimestampType:
		fraction = 6
		if t.TimeZone == "" {
			fraction = 3 * int(t.Unit)
		}
	case *arrow.Time32Type, *arrow.Time64Type:
		fraction = 6 // of TIME_NS, too
	}
	stamp, isStamp := t.(*arrow.TimestampType)
	switch {
	case fraction >= 0 && !(isStamp && stamp.TimeZone != ""): // DuckDB leaves an offset out
		return `[^:]*(:[0-9]+(:[0-9]+(\.[0-9]{0,` + strconv.Itoa(fraction) + `}0*)?)?\s*(Z|UTC|[+-]00(:?00(:?00)?)?)?\s*)?`
	case fraction >= 0:
		return `[^.]*(\.[0-9]{0,` + strconv.Itoa(fraction) + `}0*([^0-9.].*)?)?`
	case kind == "DATE":
		return `[^0-9]*|[^0-9]*([0-9]+[^0-9]+){2}[0-9]+[^0-9]*([ T]00(:00(:00(\.0*)?)?)?)?\s*`
	case arrow.IsInteger(t.ID()):
		return `\s*[+-]?([0-9_]+(\.0*)?|0[xXbB][0-9a-fA-F_]+)\s*`
	}
	return ""
}

// valueType is the type of the values of columns of a type, however they are encoded.
func valueType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return valueType(t.ValueType)
	case *arrow.RunEndEncodedType:
		return valueType(t.Encoded())
	case arrow.ExtensionType:
		return valueType(t.StorageType())
	}
	return t
}

// widens reports whether a type has every value of another, as they are.
func widens(from, to arrow.DataType) bool {
	bits := func(t arrow.DataType) int { return t.(arrow.FixedWidthDataType).BitWidth() }
	switch {
	case arrow.IsInteger(from.ID()) && arrow.IsInteger(to.ID()):
		if arrow.IsUnsignedInteger(from.ID()) == arrow.IsUnsignedInteger(to.ID()) {
			return bits(from) <= bits(to)
		}
		return arrow.IsUnsignedInteger(from.ID()) && bits(from) < bits(to)
	case to.ID() == arrow.FLOAT64:
		return from.ID() == arrow.FLOAT32 || arrow.IsInteger(from.ID()) && bits(from) <= 32
	}
	return false
}
