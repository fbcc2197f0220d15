package trevni

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// flatten strips extension types and run ends, and decodes dictionaries that hold nulls among their values, so that
// validity is where it usually is. The caller releases the result; arr stays the caller's.
func flatten(arr arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	switch a := arr.(type) {
	case array.ExtensionArray:
		return flatten(a.Storage(), mem)
	case *array.RunEndEncoded:
		runs := make([][2]int64, 0, a.Len())
		for i := range a.Len() {
			k := int64(a.GetPhysicalIndex(i))
			runs = append(runs, [2]int64{k, k + 1})
		}
		values, err := gather(a.Values(), runs, mem)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return flatten(values, mem)
	case *array.Dictionary:
		if a.Dictionary().NullN() > 0 {
			return decode(a, mem)
		}
	}
	arr.Retain()
	return arr, nil
}

// decode replaces the indices of a dictionary array by the values. Nulls become any null of the dictionary, or stay
// out: callers decode with nulls only where the dictionary has one.
func decode(d *array.Dictionary, mem memory.Allocator) (arrow.Array, error) {
	dict := d.Dictionary()
	null := int64(-1)
	for i := range dict.Len() {
		if dict.IsNull(i) {
			null = int64(i)
			break
		}
	}
	runs := make([][2]int64, d.Len())
	for i := range runs {
		k := null
		if d.IsValid(i) {
			k = int64(d.GetValueIndex(i))
		}
		runs[i] = [2]int64{k, k + 1}
	}
	return gather(dict, runs, mem)
}

// reinterpret views values as integers of the same size: dates, times and the like are nothing else in memory.
func reinterpret[T, F int32 | int64 | uint64 | arrow.Date32 | arrow.Time32 | arrow.Time64 | arrow.Timestamp | arrow.Duration](v []F) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}
