package jsonl

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/plans"
)

// typesLost is what is lost of every file, whatever is in it.
const typesLost = "JSON has no types for columns: a reader infers them from the values, and every column may be null; one without values comes back as null, text that is NaN or Infinity in all rows as floats, without rows there are no columns, and all NaNs come back as one"

// loss says what reading the values of a type back does not show, beside what typesLost says; for nested types, what is
// lost of the first child that loses something.
func loss(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.NullType, *arrow.BooleanType, *arrow.Int64Type, *arrow.StringType, *arrow.Float64Type:
		return ""
	case *arrow.Float32Type, *arrow.Float16Type:
		return plans.FloatInText(t)
	case *arrow.StructType, *arrow.ListType:
		return nestedLoss(t.(arrow.NestedType))
	case *arrow.MapType:
		return "comes back as a list: written as an array of keys and values"
	case arrow.UnionType:
		return "comes back as a struct: written as an object of one member"
	case arrow.ListLikeType:
		return "comes back as a list"
	case *arrow.DictionaryType:
		return plans.Join("comes back without its dictionary", loss(t.ValueType))
	case *arrow.RunEndEncodedType:
		return plans.Join("comes back without its runs", loss(t.Encoded()))
	case arrow.ExtensionType:
		return plans.Join("comes back without its extension type "+t.ExtensionName(), loss(t.StorageType()))
	case *arrow.DurationType:
		return "comes back as int64, the number of " + t.Unit.String()
	case *arrow.MonthIntervalType:
		return "comes back as int64, the number of months"
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return "comes back as a struct of its parts"
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return "comes back as utf8: written as text, in UTC"
		}
		return "comes back as utf8: written as text"
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return "comes back as utf8: written as base64"
	}
	if t.ID() == arrow.UINT64 {
		return "comes back as int64, or as uint64 where a value is beyond int64"
	}
	if arrow.IsInteger(t.ID()) {
		return "comes back as int64"
	}
	return "comes back as utf8: written as text"
}

func nestedLoss(t arrow.NestedType) string {
	var all []string
	for _, f := range t.Fields() {
		if l := loss(f.Type); l != "" {
			all = append(all, "in "+f.Name+": "+l)
		}
	}
	return plans.Join(all...)
}
