package tableprofile

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/internal/celltext"
)

// decimals measures decimals by their whole numbers, without the scale. The order of one is that of the floating point number next to it,
// so that numbers which differ in the 17th digit may change places among quantiles.
type decimals[T decimal] struct {
	numbers
	access[T]
	scale     int32
	low, high T
	any       bool
	zero      int64
	negative  int64
	moments   moments
}

type decimal interface {
	decimal128.Num | decimal256.Num
	ToFloat64(scale int32) float64
}

// access is what differs between the widths of decimals.
type access[T decimal] struct {
	values func(a arrow.Array) []T
	hash   func(v T) uint64
	less   func(a, b T) bool
	whole  func(v *big.Int) T
	array  func(v T) arrow.Array
}

func newDecimals[T decimal](t arrow.DecimalType, by access[T]) measure {
	return &decimals[T]{numbers: numbers{typ: t, counter: counter{texted: true}}, access: by, scale: t.GetScale()}
}

func decimals128(t *arrow.Decimal128Type) access[decimal128.Num] {
	return access[decimal128.Num]{
		values: func(a arrow.Array) []decimal128.Num { return a.(*array.Decimal128).Values() },
		hash:   func(v decimal128.Num) uint64 { return mix(mix(v.LowBits()) ^ uint64(v.HighBits())) },
		less:   decimal128.Num.Less,
		whole:  decimal128.FromBigInt,
		array: func(v decimal128.Num) arrow.Array {
			b := array.NewDecimal128Builder(heap, t)
			defer b.Release()
			b.Append(v)
			return b.NewArray()
		},
	}
}

func decimals256(t *arrow.Decimal256Type) access[decimal256.Num] {
	return access[decimal256.Num]{
		values: func(a arrow.Array) []decimal256.Num { return a.(*array.Decimal256).Values() },
		hash: func(v decimal256.Num) uint64 {
			w := v.Array()
			return mix(mix(mix(mix(w[0])^w[1])^w[2]) ^ w[3])
		},
		less:  decimal256.Num.Less,
		whole: decimal256.FromBigInt,
		array: func(v decimal256.Num) arrow.Array {
			b := array.NewDecimal256Builder(heap, t)
			defer b.Release()
			b.Append(v)
			return b.NewArray()
		},
	}
}

func (m *decimals[T]) add(a arrow.Array, s *scratch) {
	n := a.Len()
	s.floats, s.orders, s.hashes = resize(s.floats, n), resize(s.orders, n), resize(s.hashes, n)
	values := m.values(a)
	if !m.any {
		m.low, m.high, m.any = values[0], values[0], true
	}
	low, high := orderOfFloat(m.low.ToFloat64(0)), orderOfFloat(m.high.ToFloat64(0))
	for i, v := range values {
		f := v.ToFloat64(0)
		o := orderOfFloat(f)
		s.floats[i], s.orders[i], s.hashes[i] = f, o, m.hash(v)
		if o <= low && m.less(v, m.low) {
			m.low, low = v, o
		}
		if o >= high && m.less(m.high, v) {
			m.high, high = v, o
		}
		if f == 0 {
			m.zero++
		} else if f < 0 {
			m.negative++
		}
	}
	m.moments.add(s.floats)
	write := celltext.New(a)
	m.numbers.add(&batch{hashes: s.hashes, orders: s.orders, text: func(dst []byte, i int) []byte { return appendValue(dst, write, i) }}, s.floats, floatOfOrder)
}

func (m *decimals[T]) finish(out *Column) {
	low, high := m.text(m.low), m.text(m.high)
	out.Min, out.Max, out.Zero, out.Negative = &low, &high, &m.zero, &m.negative
	unit := math.Pow10(int(m.scale))
	moments{m.moments.n, m.moments.mean / unit, m.moments.squares / (unit * unit)}.finish(out)
	m.numbers.finish(out, m.counter.text, func(v float64) string {
		switch v = math.Round(v); {
		case v <= m.low.ToFloat64(0):
			return low
		case v >= m.high.ToFloat64(0):
			return high
		}
		whole, _ := big.NewFloat(v).Int(nil)
		return m.text(m.whole(whole))
	}, floatScale(m.low.ToFloat64(0), m.high.ToFloat64(0)))
}

// text returns the text of a decimal.
func (m *decimals[T]) text(v T) string {
	a := m.array(v)
	defer a.Release()
	return string(appendValue(nil, celltext.New(a), 0))
}
