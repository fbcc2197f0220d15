package tableprofile

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// Widened returns a bound of a file as a value of the type that the file is joined with others under; nil where that is another kind of type.
func Widened(v scalar.Scalar, t arrow.DataType) scalar.Scalar {
	if v == nil {
		return nil
	}
	t = stored(t)
	switch v := v.(type) {
	case *scalar.String:
		if t.ID() == arrow.LARGE_STRING {
			return scalar.NewLargeStringScalarFromBuffer(v.Value)
		}
	case *scalar.LargeString:
		if t.ID() == arrow.STRING {
			return scalar.NewStringScalarFromBuffer(v.Value)
		}
	}
	if n, ok := wholeNumber(v); ok && arrow.IsInteger(t.ID()) {
		return expr.IntScalar(t, n)
	}
	if arrow.TypeEqual(v.DataType(), t) {
		return v
	}
	return nil
}

// wholeNumber returns a value that is a whole number of 64 bits with a sign.
func wholeNumber(v scalar.Scalar) (int64, bool) {
	switch v := v.(type) {
	case *scalar.Int8:
		return int64(v.Value), true
	case *scalar.Int16:
		return int64(v.Value), true
	case *scalar.Int32:
		return int64(v.Value), true
	case *scalar.Int64:
		return v.Value, true
	case *scalar.Uint8:
		return int64(v.Value), true
	case *scalar.Uint16:
		return int64(v.Value), true
	case *scalar.Uint32:
		return int64(v.Value), true
	case *scalar.Uint64:
		return int64(v.Value), v.Value <= math.MaxInt64
	}
	return 0, false
}
