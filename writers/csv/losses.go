package csv

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/plans"
)

// typesLost is what is lost of every file, whatever is in it.
const typesLost = "CSV has no types: a reader infers them from the text, and every column may be null; text that reads like numbers, dates or truth values comes back as these, a column without values as utf8, and all NaNs as one"

// farYears is said of types that hold years which are not written with four digits.
const farYears = "utf8 where a year is outside 0 to 9999"

// loss says what reading the text of a type back does not show; "" = nothing beside what typesLost says.
func loss(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.Int64Type, *arrow.Float64Type, *arrow.BooleanType, *arrow.StringType:
		return ""
	case *arrow.Date32Type:
		return "comes back as " + farYears
	case *arrow.Uint64Type:
		return "comes back as int64, or as utf8 where a value is beyond int64"
	case *arrow.NullType, *arrow.LargeStringType, *arrow.StringViewType:
		return "comes back as utf8"
	case *arrow.TimestampType:
		return timestampLoss(t)
	case *arrow.DictionaryType:
		return plans.Join("comes back without its dictionary", loss(t.ValueType))
	case *arrow.RunEndEncodedType:
		return plans.Join("comes back without its runs", loss(t.Encoded()))
	case arrow.ExtensionType:
		return plans.Join("comes back without its extension type "+t.ExtensionName(), loss(t.StorageType()))
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return "comes back as utf8: written as base64"
	case *arrow.Float16Type, *arrow.Float32Type:
		return plans.FloatInText(t)
	case *arrow.Date64Type:
		return "comes back as date32, or as a timestamp where there are times of day, or as " + farYears
	case *arrow.Time32Type, *arrow.Time64Type:
		return "comes back as utf8"
	case *arrow.DurationType:
		return "comes back as int64, the number of " + t.Unit.String()
	case *arrow.MonthIntervalType:
		return "comes back as int64, the number of months"
	case arrow.DecimalType:
		return "comes back as int64 or float64, or as utf8 where these do not hold the values"
	case arrow.NestedType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return "comes back as utf8: written as JSON"
	}
	return "comes back as int64"
}

// membersLost says which members of the JSON of a field have the name of another: many programs keep one of them.
func membersLost(f arrow.Field) string {
	var losses []string
	for _, e := range plans.EqualNames(f) {
		losses = append(losses, fmt.Sprintf("its JSON has %d members %s, of which many programs keep one", e.Fields, e.Path))
	}
	return plans.Join(losses...)
}

func timestampLoss(t *arrow.TimestampType) string {
	unit := "comes back in microseconds, or as " + farYears
	switch t.Unit {
	case arrow.Nanosecond: // which no such year fits
		unit = "comes back in microseconds, or in nanoseconds where a fraction needs them"
	case arrow.Microsecond:
		unit = "comes back as " + farYears
	}
	if t.TimeZone != "" && t.TimeZone != "UTC" {
		return "comes back as the same instants in zone UTC instead of " + t.TimeZone + "; " + unit
	}
	return unit
}
