package orc

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// redactDates leaves the first of January, in the proleptic calendar.
func redactDates(n *node, values arrow.Array) (arrow.Array, error) {
	out := make([]int32, values.Len())
	switch a := values.(type) {
	case *array.Date32:
		for i, x := range a.Date32Values() {
			out[i] = int32(newYear(int64(x), math.MinInt32))
		}
	case *array.Date64:
		for i, x := range a.Date64Values() {
			out[i] = int32(newYear(floorDiv(int64(x), 86_400_000), math.MinInt32))
		}
	default:
		return nil, mismatch(n, values)
	}
	return flatArray(arrow.FixedWidthTypes.Date32, len(out), arrowbuf.AsBytes(out)), nil
}

// redactTimes leaves the beginning of the year, UTC; of the next where the unit cannot hold it.
func redactTimes(n *node, values arrow.Array) (arrow.Array, error) {
	a, ok := values.(*array.Timestamp)
	if !ok {
		return nil, mismatch(n, values)
	}
	day := 86_400 * perSecond(a.DataType().(*arrow.TimestampType).Unit)
	out := make([]int64, a.Len())
	for i, x := range a.TimestampValues() {
		out[i] = newYear(floorDiv(int64(x), day), math.MinInt64/day) * day
	}
	return flatArray(a.DataType(), len(out), arrowbuf.AsBytes(out)), nil
}

// newYear returns the first day of the year of a day since 1970; of the next year if that is below least.
func newYear(day, least int64) int64 {
	const daysOf400 = 146_097 // years, after which all repeats
	cycle := floorDiv(day, daysOf400) * daysOf400
	year := time.Unix((day-cycle)*86_400, 0).UTC().Year()
	first := func(year int) int64 { return cycle + time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86_400 }
	if d := first(year); d >= least {
		return d
	}
	return first(year + 1)
}

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// redactDecimals leaves as many digits, all 9, where zeros at the end of the fraction count for nothing, and never more
// than the type has before the point.
func redactDecimals(n *node, values arrow.Array) (arrow.Array, error) {
	precision, scale := n.typ.DecimalType()
	out := make([]decimal128.Num, values.Len())
	switch a := values.(type) {
	case *array.Decimal128:
		for i, x := range a.Values() {
			out[i] = redactDecimal(x.BigInt(), int(precision), int(scale))
		}
	case *array.Decimal256:
		for i, x := range a.Values() {
			out[i] = redactDecimal(x.BigInt(), int(precision), int(scale))
		}
	default:
		return nil, mismatch(n, values)
	}
	return flatArray(&arrow.Decimal128Type{Precision: precision, Scale: scale}, len(out), arrow.Decimal128Traits.CastToBytes(out)), nil
}

func redactDecimal(x *big.Int, precision, scale int) decimal128.Num {
	digits, negative := strings.CutPrefix(x.String(), "-")
	fraction := scale
	for ; fraction > 0 && len(digits) > 1 && digits[len(digits)-1] == '0'; fraction-- {
		digits = digits[:len(digits)-1]
	}
	if digits == "0" {
		fraction = 0
	}
	whole := min(max(len(digits)-fraction, 1), precision-scale)
	power := func(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	v := new(big.Int).Sub(power(whole+fraction), big.NewInt(1))
	v.Mul(v, power(scale-fraction))
	if negative {
		v.Neg(v)
	}
	return decimal128.FromBigInt(v)
}
