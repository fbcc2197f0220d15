//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// hasInstants tells whether values of t hold instants in nanoseconds. DuckDB's have microseconds.
func hasInstants(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Nanosecond && t.TimeZone != ""
	case *arrow.DictionaryType:
		return hasInstants(t.ValueType)
	case arrow.ExtensionType:
		return hasInstants(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if hasInstants(f.Type) {
				return true
			}
		}
	}
	return false
}

// wholeMicros fails for an instant that DuckDB would cut.
func wholeMicros(path string, a arrow.Array) error {
	if a.Len() == 0 || !hasInstants(a.DataType()) {
		return nil
	}
	switch a := a.(type) {
	case *array.Timestamp:
		values := a.TimestampValues()
		var odd bool
		for _, v := range values {
			odd = odd || v%1000 != 0
		}
		if !odd {
			return nil
		}
		for i, v := range values {
			if v%1000 != 0 && a.IsValid(i) {
				return &errs.Error{Kind: errs.ErrSchema, Column: path, Split: -1, Off: -1, Err: errs.Errorf(errs.ErrSchema,
					"%s: DuckDB keeps instants in microseconds: with the option timestamp_unit := 'us' they are cut",
					v.ToTime(arrow.Nanosecond).Format(time.RFC3339Nano))}
			}
		}
	case *array.Dictionary:
		return wholeMicros(path, a.Dictionary())
	case array.ExtensionArray:
		return wholeMicros(path, a.Storage())
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
