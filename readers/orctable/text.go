package orctable

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// asText is the view.Cast of tables whose column became one of text: numbers as Hive writes them. A value that has no
// text there, which is NaN, is an error: Hive reads it as null.
func asText(from, to arrow.Field) view.Casting {
	if to.Type.ID() != arrow.STRING || strings.HasPrefix(orcType(to), "char(") || strings.HasPrefix(orcType(to), "varchar(") {
		return nil // shortened, values would be others
	}
	switch from.Type.ID() {
	case arrow.BOOL:
		return texts(func(b []byte, a arrow.Array, i int) ([]byte, error) {
			return append(b, strings.ToUpper(strconv.FormatBool(a.(*array.Boolean).Value(i)))...), nil
		})
	case arrow.INT8:
		return integerTexts[int8]()
	case arrow.INT16:
		return integerTexts[int16]()
	case arrow.INT32:
		return integerTexts[int32]()
	case arrow.INT64:
		return integerTexts[int64]()
	case arrow.FLOAT32:
		return texts(func(b []byte, a arrow.Array, i int) ([]byte, error) {
			return appendFloat(b, float64(a.(*array.Float32).Value(i)))
		})
	case arrow.FLOAT64:
		return texts(func(b []byte, a arrow.Array, i int) ([]byte, error) {
			return appendFloat(b, a.(*array.Float64).Value(i))
		})
	}
	return nil
}

// alsoText returns asText for what a cast, which may be nil, does not convert.
func alsoText(cast view.Cast) view.Cast {
	if cast == nil {
		return asText
	}
	return func(from, to arrow.Field) view.Casting {
		if c := cast(from, to); c != nil {
			return c
		}
		return asText(from, to)
	}
}

// orcType is what a field is to ORC where its Arrow type does not tell.
func orcType(f arrow.Field) string {
	v, _ := f.Metadata.GetValue("orc.type")
	return v
}

// integers are arrays of them.
type integers[T any] interface {
	arrow.Array
	Value(i int) T
}

func integerTexts[T int8 | int16 | int32 | int64]() view.Casting {
	return texts(func(b []byte, a arrow.Array, i int) ([]byte, error) {
		return strconv.AppendInt(b, int64(a.(integers[T]).Value(i)), 10), nil
	})
}

// texts makes a column of text, value by value: columns change their type once in the life of a table.
func texts(one func(b []byte, a arrow.Array, i int) ([]byte, error)) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		a := array.MakeFromData(d)
		defer a.Release()
		out := array.NewStringBuilder(mem)
		defer out.Release()
		out.Reserve(a.Len())
		var b []byte
		for i := range a.Len() {
			if a.IsNull(i) {
				out.AppendNull()
				continue
			}
			var err error
			if b, err = one(b[:0], a, i); err != nil {
				return nil, err
			}
			out.BinaryBuilder.Append(b)
		}
		s := out.NewArray()
		defer s.Release()
		s.Data().Retain()
		return s.Data(), nil
	}
}

// appendFloat appends a number as Java prints a double: with a point, and with an exponent below 1e-3 and from 1e7 on.
func appendFloat(b []byte, v float64) ([]byte, error) {
	switch {
	case math.IsNaN(v):
		return nil, errs.Errorf(errs.ErrSchema, "NaN has no text in Hive, which reads it as null")
	case math.IsInf(v, 1):
		return append(b, "Infinity"...), nil
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...), nil
	}
	if m := math.Abs(v); m == 0 || m >= 1e-3 && m < 1e7 {
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return append(b, s...), nil
	}
	s := strconv.FormatFloat(v, 'e', -1, 64)
	digits, exp, _ := strings.Cut(s, "e")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	n, err := strconv.Atoi(exp)
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	b = append(append(b, digits...), 'E')
	return strconv.AppendInt(b, int64(n), 10), nil
}
