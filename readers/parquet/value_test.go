package parquet

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// value renders row i as the script that made the fixtures does: numbers as text, bytes as hexadecimal digits, lists
// and maps as slices, structs as maps.
func value(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Null:
		return nil
	case *array.Boolean:
		return a.Value(i)
	case *array.Float16:
		return float(float64(a.Value(i).Float32()))
	case *array.Float32:
		return float(float64(a.Value(i)))
	case *array.Float64:
		return float(a.Value(i))
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Decimal256:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal256Type).Scale)
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.StringView:
		return a.Value(i)
	case *array.Binary:
		return hex.EncodeToString(a.Value(i))
	case *array.LargeBinary:
		return hex.EncodeToString(a.Value(i))
	case *array.BinaryView:
		return hex.EncodeToString(a.Value(i))
	case *array.FixedSizeBinary:
		return hex.EncodeToString(a.Value(i))
	case *array.Timestamp:
		return strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.Duration:
		return strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.Date32:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Date64:
		return strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.Time32:
		return strconv.Itoa(int(a.Value(i)))
	case *array.Time64:
		return strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return []any{fmt.Sprint(v.Months), fmt.Sprint(v.Days), fmt.Sprint(v.Nanoseconds)}
	case *array.Dictionary:
		return value(a.Dictionary(), a.GetValueIndex(i))
	case *array.Map:
		start, end := a.ValueOffsets(i)
		out := []any{}
		for j := int(start); j < int(end); j++ {
			out = append(out, []any{value(a.Keys(), j), value(a.Items(), j)})
		}
		return out
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		out := []any{}
		for j := int(start); j < int(end); j++ {
			out = append(out, value(a.ListValues(), j))
		}
		return out
	case *array.Struct:
		out := map[string]any{}
		for j := 0; j < a.NumField(); j++ {
			out[a.DataType().(*arrow.StructType).Field(j).Name] = value(a.Field(j), i)
		}
		return out
	case *array.DenseUnion:
		return value(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case *array.SparseUnion:
		return value(a.Field(a.ChildID(i)), i)
	case *array.RunEndEncoded:
		return value(a.Values(), a.GetPhysicalIndex(i))
	default:
		return a.ValueStr(i)
	}
}

// float writes what Python's repr does, up to the form of the exponent.
func float(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
