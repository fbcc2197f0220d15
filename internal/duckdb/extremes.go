//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"math"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// extremes tells of which types the database has taken first or last values from tables. To DuckDB these are infinite, and it gives them
// back as they came: the last day, or the last nanosecond, which is the greatest Timestamp of pandas.
type extremes struct {
	days       atomic.Bool
	timestamps [arrow.Nanosecond + 1]atomic.Bool // by unit
}

// of returns what is said of values of a type; nil = it has no such values.
func (e *extremes) of(t arrow.DataType) *atomic.Bool {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return &e.days
	case *arrow.TimestampType:
		return &e.timestamps[t.Unit]
	}
	return nil
}

// look looks at values that DuckDB gets.
func (e *extremes) look(a arrow.Array) {
	switch a := a.(type) {
	case *array.Date32, *array.Timestamp:
		if seen := e.of(a.DataType()); !seen.Load() && extreme(a) >= 0 {
			seen.Store(true)
		}
	case array.ExtensionArray:
		e.look(a.Storage())
	case *array.Map:
		e.look(a.Keys())
		e.look(a.Items())
	case *array.Struct:
		for i := range a.NumField() {
			e.look(a.Field(i))
		}
	case array.Union:
		for i := range a.NumFields() {
			e.look(a.Field(i))
		}
	case array.ListLike:
		e.look(a.ListValues())
	}
}

// extreme returns a row whose value is infinite to DuckDB, or none of its; -1 = there is none.
func extreme(a arrow.Array) int {
	switch a := a.(type) {
	case *array.Date32:
		return beyond(a, a.Date32Values(), -math.MaxInt32+1, math.MaxInt32-1)
	case *array.Timestamp:
		return beyond(a, a.TimestampValues(), -math.MaxInt64+1, math.MaxInt64-1)
	}
	return -1
}

// hasExtremes tells whether look looks at values of a type.
func hasExtremes(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.Date32Type, *arrow.TimestampType:
		return true
	case arrow.ExtensionType:
		return hasExtremes(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if hasExtremes(f.Type) {
				return true
			}
		}
	}
	return false
}
