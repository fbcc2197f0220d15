package orc

import (
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// boolBounds are false and true as the statistics count them.
func (c *subject) boolBounds(s *orcwire.ColumnStats) (lo, hi scalar.Scalar) {
	if s.Bool == nil || len(s.Bool.True) != 1 || !s.HasValues || s.Bool.True[0] > uint64(s.Values) {
		return nil, nil
	}
	yes := s.Bool.True[0]
	return scalar.NewBooleanScalar(yes == uint64(s.Values)), scalar.NewBooleanScalar(yes > 0)
}

// intBounds returns the bounds of integers; nil where a value of the type cannot be so low or high.
func (c *subject) intBounds(s *orcwire.IntStats) (lo, hi scalar.Scalar) {
	if s == nil {
		return nil, nil
	}
	// The C++ writer took bytes for unsigned where its compiler did: both bounds are wrong if one is out of range.
	for _, v := range []*int64{s.Min, s.Max} {
		if v != nil && !c.holds(*v) {
			return nil, nil
		}
	}
	return c.integer(s.Min), c.integer(s.Max)
}

// holds reports whether a number is one of the column's type.
func (c *subject) holds(v int64) bool {
	switch c.typ.Kind {
	case orcwire.Byte:
		return v == int64(int8(v))
	case orcwire.Short:
		return v == int64(int16(v))
	case orcwire.Int:
		return v == int64(int32(v))
	}
	return true
}

// integer makes a value of the column's type.
func (c *subject) integer(v *int64) scalar.Scalar {
	if v == nil {
		return nil
	}
	switch c.typ.Kind {
	case orcwire.Byte:
		return scalar.NewInt8Scalar(int8(*v))
	case orcwire.Short:
		return scalar.NewInt16Scalar(int16(*v))
	case orcwire.Int:
		return scalar.NewInt32Scalar(int32(*v))
	}
	return scalar.NewInt64Scalar(*v)
}
