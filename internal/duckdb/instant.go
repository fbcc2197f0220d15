//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// hasNanos tells whether values of t hold nanoseconds where DuckDB has microseconds: in instants of a time zone and in intervals.
func hasNanos(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Nanosecond && t.TimeZone != ""
	case *arrow.DurationType:
		return t.Unit == arrow.Nanosecond
	case *arrow.MonthDayNanoIntervalType:
		return true
	case *arrow.DictionaryType:
		return hasNanos(t.ValueType)
	case arrow.ExtensionType:
		return hasNanos(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if hasNanos(f.Type) {
				return true
			}
		}
	}
	return false
}

// wholeMicros fails for a value that DuckDB would cut.
func wholeMicros(path string, a arrow.Array) error {
	if a.Len() == 0 || !hasNanos(a.DataType()) {
		return nil
	}
	cut := func(text string) error {
		return &errs.Error{Kind: errs.ErrSchema, Column: path, Split: -1, Off: -1, Err: errs.Errorf(errs.ErrSchema, "%s", text)}
	}
	switch a := a.(type) {
	case *array.Timestamp:
		if i := odd(a, a.TimestampValues()); i >= 0 {
			return cut(fmt.Sprintf("%s: DuckDB keeps instants in microseconds: with the option timestamp_unit := 'us' they are cut",
				a.Value(i).ToTime(arrow.Nanosecond).Format(time.RFC3339Nano)))
		}
	case *array.Duration:
		if i := odd(a, a.DurationValues()); i >= 0 {
			return cut(fmt.Sprintf("%d ns: DuckDB keeps intervals in microseconds", a.Value(i)))
		}
	case *array.MonthDayNanoInterval:
		for i := range a.Len() {
			if v := a.Value(i); v.Nanoseconds%1000 != 0 && a.IsValid(i) {
				return cut(fmt.Sprintf("%d ns: DuckDB keeps intervals in microseconds", v.Nanoseconds))
			}
		}
	case *array.Dictionary:
		return wholeMicros(path, a.Dictionary())
	case array.ExtensionArray:
		return wholeMicros(path, a.Storage())
	case *array.RunEndEncoded:
		return wholeMicros(path, a.Values())
	case *array.Struct:
		for i, f := range a.DataType().(*arrow.StructType).Fields() {
			if err := wholeMicros(path+"."+f.Name, a.Field(i)); err != nil {
				return err
			}
		}
	case array.ListLike:
		return wholeMicros(path+".*", a.ListValues())
	}
	return nil
}

// odd returns a row whose value is no whole number of microseconds; -1 = none.
func odd[T ~int64](a arrow.Array, values []T) int {
	var some bool
	for _, v := range values {
		some = some || v%1000 != 0
	}
	if !some {
		return -1
	}
	for i, v := range values {
		if v%1000 != 0 && a.IsValid(i) {
			return i
		}
	}
	return -1
}

// hasDayTime tells whether values of t hold intervals of days and milliseconds, which DuckDB reads as one number.
func hasDayTime(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DayTimeIntervalType:
		return true
	case *arrow.DictionaryType:
		return hasDayTime(t.ValueType)
	case arrow.ExtensionType:
		return hasDayTime(t.StorageType())
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return hasDayTime(f.Type) })
	}
	return false
}
