package tableprofile

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/halffloat"
)

// newMeasure returns what measures values of a type that is not nested; nil = it has no values.
func newMeasure(t arrow.DataType) measure {
	switch t := t.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return &booleans{}
	case *arrow.Int8Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Int8).Int8Values()) })
	case *arrow.Int16Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Int16).Int16Values()) })
	case *arrow.Int32Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Int32).Int32Values()) })
	case *arrow.Int64Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Int64).Int64Values()) })
	case *arrow.Uint8Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Uint8).Uint8Values()) })
	case *arrow.Uint16Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Uint16).Uint16Values()) })
	case *arrow.Uint32Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Uint32).Uint32Values()) })
	case *arrow.Uint64Type: // shifted, so that the least is the least int64
		return newInts(t, func(a arrow.Array, dst []int64) {
			for i, v := range a.(*array.Uint64).Uint64Values() {
				dst[i] = int64(v ^ signBit)
			}
		})
	case *arrow.Date32Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Date32).Date32Values()) })
	case *arrow.Date64Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Date64).Date64Values()) })
	case *arrow.Time32Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Time32).Time32Values()) })
	case *arrow.Time64Type:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Time64).Time64Values()) })
	case *arrow.TimestampType:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Timestamp).TimestampValues()) })
	case *arrow.DurationType:
		return newInts(t, func(a arrow.Array, dst []int64) { widen(dst, a.(*array.Duration).DurationValues()) })
	case *arrow.Float16Type:
		return newFloats(t, func(a arrow.Array, dst []float64) {
			for i, v := range a.(*array.Float16).Values() {
				dst[i] = float64(halffloat.Float32(v))
			}
		})
	case *arrow.Float32Type:
		return newFloats(t, func(a arrow.Array, dst []float64) {
			for i, v := range a.(*array.Float32).Float32Values() {
				dst[i] = float64(v)
			}
		})
	case *arrow.Float64Type:
		return newFloats(t, func(a arrow.Array, dst []float64) { copy(dst, a.(*array.Float64).Float64Values()) })
	case *arrow.Decimal128Type:
		return newDecimals(t, decimals128(t))
	case *arrow.Decimal256Type:
		return newDecimals(t, decimals256(t))
	}
	return newBytes(t)
}

func widen[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](dst []int64, src []T) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

// resize returns a slice of n elements, whose content may be anything.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// moments are the mean and the spread of numbers, about.
type moments struct {
	n, mean, squares float64 // squares of the differences from the mean
}

// add adds finite or infinite numbers. What the means of batches have in common is taken out first, so that nothing large is squared.
func (m *moments) add(values []float64) {
	n, sum := float64(len(values)), 0.0
	for _, v := range values {
		sum += v
	}
	mean, squares := sum/n, 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	m.join(moments{n, mean, squares})
}

// join adds the moments of other numbers (Chan, Golub and LeVeque: Updating Formulae and a Pairwise Algorithm for Computing
// Sample Variances, 1979).
func (m *moments) join(o moments) {
	if m.n == 0 { // where the difference of the means may be infinite
		*m = o
		return
	}
	n := m.n + o.n
	d := o.mean - m.mean
	m.mean += d * o.n / n
	m.squares += o.squares + d*d*m.n*o.n/n
	m.n = n
}

// deviation returns the standard deviation of the numbers in another unit; nil = it is beyond the greatest double.
func (m *moments) deviation(unit float64) *float64 {
	dev := math.Sqrt(m.squares/m.n) / unit
	if math.IsNaN(dev) || math.IsInf(dev, 0) {
		return nil
	}
	return &dev
}

// booleans counts them.
type booleans struct{ yes, no int64 }

func (m *booleans) add(a arrow.Array, _ *scratch) {
	b := a.(*array.Boolean)
	yes := int64(0)
	for i := range b.Len() {
		if b.Value(i) {
			yes++
		}
	}
	m.yes += yes
	m.no += int64(b.Len()) - yes
}

func (m *booleans) finish(out *Column) {
	out.True = &m.yes
	out.Distinct = &Distinct{Exact: true}
	out.TopExact = true
	add := func(value string, n int64) {
		if n == 0 {
			return
		}
		out.Distinct.Count++
		out.Top = append(out.Top, Frequent{value, n, n})
		if out.Min == nil {
			out.Min = &value
		}
		out.Max = &value
	}
	add("false", m.no)
	add("true", m.yes)
	if len(out.Top) == 2 && m.yes > m.no {
		out.Top[0], out.Top[1] = out.Top[1], out.Top[0]
	}
}
