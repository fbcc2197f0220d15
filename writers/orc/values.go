package orc

import (
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// arraySlice is array.NewSlice: the caller releases it.
func arraySlice(arr arrow.Array, from, to int64) arrow.Array { return array.NewSlice(arr, from, to) }

// view reinterprets values of one type as another of the same width.
func view[D, S any](v []S) []D {
	return unsafe.Slice((*D)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// same returns v where its element type is T, otherwise nil.
func same[T, S any](v []S) []T {
	t, _ := any(v).([]T)
	return t
}

// grow returns a slice of length n, s's memory if it is large enough; the content is arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// intValues views the values of an array as T, or converts them into scratch, which it returns for the next call. v is
// nil where the array has values that T is not for.
func intValues[T int16 | int32 | int64](scratch []T, arr arrow.Array) (v, _ []T, err error) {
	switch a := arr.(type) {
	case *array.Int8:
		scratch = widen(scratch, a.Int8Values())
		return scratch, scratch, nil
	case *array.Uint8:
		scratch = widen(scratch, a.Uint8Values())
		return scratch, scratch, nil
	case *array.Int16:
		if v := same[T](a.Int16Values()); v != nil {
			return v, scratch, nil
		}
		scratch = widen(scratch, a.Int16Values())
		return scratch, scratch, nil
	case *array.Uint16:
		scratch = widen(scratch, a.Uint16Values())
		return scratch, scratch, nil
	case *array.Int32:
		if v := same[T](a.Int32Values()); v != nil {
			return v, scratch, nil
		}
		scratch = widen(scratch, a.Int32Values())
		return scratch, scratch, nil
	case *array.Time32:
		return same[T](view[int32](a.Time32Values())), scratch, nil
	case *array.MonthInterval:
		return same[T](view[int32](a.MonthIntervalValues())), scratch, nil
	case *array.Uint32:
		scratch = widen(scratch, a.Uint32Values())
		return scratch, scratch, nil
	case *array.Int64:
		return same[T](a.Int64Values()), scratch, nil
	case *array.Time64:
		return same[T](view[int64](a.Time64Values())), scratch, nil
	case *array.Duration:
		return same[T](view[int64](a.DurationValues())), scratch, nil
	case *array.Uint64:
		over := uint64(0)
		for _, x := range a.Uint64Values() {
			over |= x
		}
		if over > math.MaxInt64 {
			i := slices.IndexFunc(a.Uint64Values(), func(x uint64) bool { return x > math.MaxInt64 })
			return nil, scratch, errs.Errorf(errs.ErrSchema, "uint64 %d is above the range of bigint", a.Value(i))
		}
		return same[T](view[int64](a.Uint64Values())), scratch, nil
	}
	return nil, scratch, nil
}

// widen converts values to a type that holds all of them.
func widen[D int16 | int32 | int64, S int8 | uint8 | int16 | uint16 | int32 | uint32](dst []D, src []S) []D {
	dst = grow(dst, len(src))
	for i, x := range src {
		dst[i] = D(x)
	}
	return dst
}
