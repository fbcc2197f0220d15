package conformance

import (
	"bytes"
	"cmp"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// columnComparison compares two columns of one type.
type columnComparison struct {
	left, right string
	comparison
}

func (p columnComparison) expr() expr.Expr {
	return expr.CompareColumns{Left: p.left, Op: p.op, Right: p.right}
}

// columnComparisons compares some flat columns of one type with each other.
func (s *suite) columnComparisons() (out []predicate) {
	fields := s.plain.Schema().Fields()
	for i, f := range fields {
		j := s.rng.Intn(len(fields))
		g := fields[j]
		if !ordered(f.Type) || !arrow.TypeEqual(f.Type, g.Type) || len(s.plain.Schema().FieldIndices(f.Name)) != 1 || len(s.plain.Schema().FieldIndices(g.Name)) != 1 {
			continue
		}
		a, b := s.plain.Column(i).Data(), s.plain.Column(j).Data()
		c := comparison{
			op:   pick(s.rng, expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge),
			cmp:  func(row int) (int, bool) { return compareValues(a, row, b, row) },
			null: func(row int) bool { return logicalNull(a, row) || logicalNull(b, row) },
		}
		p := columnComparison{expr.Quote(f.Name), expr.Quote(g.Name), c}
		out = append(out, p, not{p})
	}
	return out
}

// compareValues compares a value of d with one of e, an array of the same type; false = they have no order.
func compareValues(d arrow.ArrayData, i int, e arrow.ArrayData, j int) (int, bool) {
	b, c := raw(d, 1), raw(e, 1)
	x, y := d.Offset()+i, e.Offset()+j
	switch t := d.DataType().(type) {
	case *arrow.BooleanType:
		bit := func(b []byte, k int) int {
			if bitutil.BitIsSet(b, k) {
				return 1
			}
			return 0
		}
		return cmp.Compare(bit(b, x), bit(c, y)), true
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return bytes.Compare(bytesValue(d, i), bytesValue(e, j)), true
	case *arrow.FixedSizeBinaryType:
		w := t.ByteWidth
		return bytes.Compare(b[x*w:(x+1)*w], c[y*w:(y+1)*w]), true
	case *arrow.Decimal128Type:
		return arrow.GetData[decimal128.Num](b)[x].Cmp(arrow.GetData[decimal128.Num](c)[y]), true
	case *arrow.Decimal256Type:
		return arrow.GetData[decimal256.Num](b)[x].Cmp(arrow.GetData[decimal256.Num](c)[y]), true
	case *arrow.Float32Type:
		return compareFloats(arrow.GetData[float32](b)[x], arrow.GetData[float32](c)[y])
	case *arrow.Float64Type:
		return compareFloats(arrow.GetData[float64](b)[x], arrow.GetData[float64](c)[y])
	case *arrow.Uint8Type:
		return cmp.Compare(b[x], c[y]), true
	case *arrow.Uint16Type:
		return compareInts(arrow.GetData[uint16](b)[x], arrow.GetData[uint16](c)[y])
	case *arrow.Uint32Type:
		return compareInts(arrow.GetData[uint32](b)[x], arrow.GetData[uint32](c)[y])
	case *arrow.Uint64Type:
		return compareInts(arrow.GetData[uint64](b)[x], arrow.GetData[uint64](c)[y])
	case arrow.FixedWidthDataType: // signed numbers under many names
		switch t.Bytes() {
		case 1:
			return compareInts(arrow.GetData[int8](b)[x], arrow.GetData[int8](c)[y])
		case 2:
			return compareInts(arrow.GetData[int16](b)[x], arrow.GetData[int16](c)[y])
		case 4:
			return compareInts(arrow.GetData[int32](b)[x], arrow.GetData[int32](c)[y])
		}
		return compareInts(arrow.GetData[int64](b)[x], arrow.GetData[int64](c)[y])
	}
	return 0, false
}

func compareInts[T cmp.Ordered](a, b T) (int, bool) { return cmp.Compare(a, b), true }

func compareFloats[T float32 | float64](a, b T) (int, bool) {
	return cmp.Compare(a, b), a == a && b == b
}
