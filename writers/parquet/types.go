package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// maxDepth is how deep columns nest at most: as deep as readers allow (Limits.Depth).
const maxDepth = 128

// refuse adds to list what stands at path and below and cannot be written.
func refuse(list []string, path string, f arrow.Field, depth int) []string {
	no := func(why string) []string { return append(list, fmt.Sprintf("column %s (%s): %s", path, f.Type, why)) }
	if depth > maxDepth {
		return no(fmt.Sprintf("nested deeper than %d levels", maxDepth))
	}
	switch t := f.Type.(type) {
	case arrow.ExtensionType:
		if arrowtype.Storage(t).ID() == arrow.DICTIONARY {
			return no("an extension of a dictionary, which Arrow's schema message cannot describe")
		}
	case *arrow.DictionaryType:
		if arrowtype.Storage(t.ValueType).ID() == arrow.DICTIONARY {
			return no("a dictionary of dictionaries, which Arrow's schema message cannot describe")
		}
	}
	switch t := arrowtype.Value(f.Type).(type) {
	case *arrow.NullType:
		if !f.Nullable {
			return no("all values are null, and none may be")
		}
	case *arrow.StructType:
		if t.NumFields() == 0 {
			return no("Parquet has no groups without fields")
		}
		for _, k := range t.Fields() {
			list = refuse(list, path+"."+k.Name, k, depth+1)
		}
	case *arrow.MapType:
		key := t.KeyField()
		key.Nullable = false
		list = refuse(list, path+"."+key.Name, key, depth+1)
		return refuse(list, path+"."+t.ItemField().Name, t.ItemField(), depth+1)
	case arrow.UnionType:
		return no("Parquet has no unions")
	case arrow.ListLikeType:
		return refuse(list, path+"."+t.ElemField().Name, t.ElemField(), depth+1)
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == 0 {
			return no("Parquet has no values without bytes")
		}
	case arrow.DecimalType:
		if t.GetScale() < 0 || t.GetScale() > t.GetPrecision() {
			return no("Parquet's decimals have a scale from 0 to their precision")
		}
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return no("Parquet's intervals are months, days and unsigned milliseconds, which is another type")
	}
	return list
}
