package tableprofile

import (
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/internal/celltext"
)

// decimals measures decimals by their whole numbers, without the scale. The order of one is that of the double next to its distance from
// the first, so that neighbours differ where they are large. Where doubles of several are one, they are compared exactly.
type decimals[T decimal] struct {
	numbers
	access[T]
	scale            int32
	first, low, high T
	start            int64 // the first, if it has 64 bits
	short            bool  // it has
	any              bool
	zero             int64
	negative         int64
	sum              wholeSum
	moments          moments
}

type decimal interface {
	decimal128.Num | decimal256.Num
	Sign() int
	BigInt() *big.Int
}

// access is what differs between the widths of decimals.
type access[T decimal] struct {
	values func(a arrow.Array) []T
	hash   func(dst []uint64, values []T)
	narrow func(dst []int64, values []T) bool // false = some have more than 64 bits
	widen  func(v int64) T
	less   func(a, b T) bool
	away   func(v, from T) float64 // the difference of two numbers
	add    func(sum *wholeSum, values []T)
	whole  func(v *big.Int) T
	array  func(v T) arrow.Array
}

func newDecimals[T decimal](t arrow.DecimalType, by access[T]) measure {
	m := &decimals[T]{numbers: numbers{typ: t, counter: counter{texted: true}}, access: by, scale: t.GetScale()}
	m.compare = func(a, b entry) int { return digitsOf(m.counter.text(a)).Cmp(digitsOf(m.counter.text(b))) }
	return m
}

func decimals128(t *arrow.Decimal128Type) access[decimal128.Num] {
	return access[decimal128.Num]{
		values: func(a arrow.Array) []decimal128.Num { return a.(*array.Decimal128).Values() },
		hash: func(dst []uint64, values []decimal128.Num) {
			for i, v := range values {
				dst[i] = mix(mix(v.LowBits()) ^ uint64(v.HighBits()))
			}
		},
		narrow: func(dst []int64, values []decimal128.Num) bool {
			var wide int64
			for i, v := range values {
				dst[i] = int64(v.LowBits())
				wide |= v.HighBits() ^ dst[i]>>63
			}
			return wide == 0
		},
		widen: decimal128.FromI64,
		less:  decimal128.Num.Less,
		away:  away128,
		add: func(sum *wholeSum, values []decimal128.Num) {
			var low, high, top, carry uint64
			for _, v := range values {
				low, carry = bits.Add64(low, v.LowBits(), 0)
				high, carry = bits.Add64(high, uint64(v.HighBits()), carry)
				top += uint64(v.HighBits()>>63) + carry
			}
			sum.add(low, high, top)
		},
		whole: decimal128.FromBigInt,
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
		hash: func(dst []uint64, values []decimal256.Num) {
			for i := range values {
				w := values[i].Array()
				dst[i] = mix(mix(mix(mix(w[0])^w[1])^w[2]) ^ w[3])
			}
		},
		narrow: func(dst []int64, values []decimal256.Num) bool {
			var wide uint64
			for i := range values {
				w := values[i].Array()
				sign := uint64(int64(w[0]) >> 63)
				dst[i] = int64(w[0])
				wide |= w[1] ^ sign | w[2] ^ sign | w[3] ^ sign
			}
			return wide == 0
		},
		widen: decimal256.FromI64,
		less:  decimal256.Num.Less,
		away:  away256,
		add: func(sum *wholeSum, values []decimal256.Num) {
			for i := range values {
				w := values[i].Array()
				sum.add256(w[0], w[1], w[2], w[3], uint64(int64(w[3])>>63))
			}
		},
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
	s.ints, s.floats, s.orders, s.hashes = resize(s.ints, n), resize(s.floats, n), resize(s.orders, n), resize(s.hashes, n)
	values := m.values(a)
	if !m.any {
		var one [1]int64
		m.first, m.low, m.high, m.any = values[0], values[0], values[0], true
		m.short, m.start = m.narrow(one[:], values[:1]), one[0]
	}
	if m.short && m.narrow(s.ints, values) {
		m.addNarrow(s)
	} else {
		m.addWide(values, s)
	}
	m.hash(s.hashes, values)
	for i, f := range s.floats {
		s.orders[i] = orderOfFloat(f)
	}
	m.moments.add(s.floats)
	write := celltext.New(a)
	m.numbers.add(&batch{hashes: s.hashes, orders: s.orders, text: func(dst []byte, i int) []byte { return appendValue(dst, write, i) }}, s.floats, floatOfOrder)
}

// addNarrow measures s.ints, and sets s.floats to how far they are from the first.
func (m *decimals[T]) addNarrow(s *scratch) {
	low, high := ends(s.ints)
	m.extend(m.widen(low))
	m.extend(m.widen(high))
	m.zero += count(s.ints, 0)
	m.negative += negatives(s.ints)
	awayAll(s.floats, s.ints, m.start, low, high)
	m.sum.addInts(s.ints, low, high)
}

// addWide is addNarrow of values of any width.
func (m *decimals[T]) addWide(values []T, s *scratch) {
	low, high := m.away(m.low, m.first), m.away(m.high, m.first)
	for i, v := range values {
		f := m.away(v, m.first)
		s.floats[i] = f
		if f <= low || f >= high { // of numbers that one double is next to, each may be the least or the greatest
			m.extend(v)
			low, high = min(low, f), max(high, f)
		}
		sign := v.Sign()
		m.negative += int64(uint64(sign) >> 63)
		if sign == 0 {
			m.zero++
		}
	}
	m.access.add(&m.sum, values)
}

// extend makes the least and the greatest value those of a value, too.
func (m *decimals[T]) extend(v T) {
	if m.less(v, m.low) {
		m.low = v
	}
	if m.less(m.high, v) {
		m.high = v
	}
}

func (m *decimals[T]) finish(out *Column) {
	low, high := m.text(m.low), m.text(m.high)
	out.Min, out.Max, out.Zero, out.Negative = &low, &high, &m.zero, &m.negative
	out.Mean, out.StdDev = meanOf(m.sum.sum(), m.known, m.scale), m.moments.deviation(math.Pow10(int(m.scale)))
	from, to := m.away(m.low, m.first), m.away(m.high, m.first)
	m.numbers.finish(out, m.counter.text, func(v float64) string {
		switch v = math.Round(v); {
		case v <= from:
			return low
		case v >= to:
			return high
		}
		whole, _ := big.NewFloat(v).Int(nil)
		return m.text(m.whole(whole.Add(whole, m.first.BigInt())))
	}, floatScale(from, to))
}

// digitsOf returns the number that the digits of a decimal are, without the point.
func digitsOf(text string) *big.Int {
	v, _ := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10)
	return v
}

// away128 takes the difference, which has 129 bits, without looking at signs, which nothing foretells: only the last step is rounded.
func away128(v, from decimal128.Num) float64 {
	low, borrow := bits.Sub64(v.LowBits(), from.LowBits(), 0)
	high, borrow := bits.Sub64(uint64(v.HighBits()), uint64(from.HighBits()), borrow)
	sign := uint64(v.HighBits()>>63) - uint64(from.HighBits()>>63) - borrow // all ones, or 0
	low, borrow = bits.Sub64(low^sign, sign, 0)
	high, _ = bits.Sub64(high^sign, sign, borrow)
	f := float64(low)
	if high != 0 {
		zeros := bits.LeadingZeros64(high)
		top := high<<zeros | low>>(64-zeros)
		if low<<zeros != 0 {
			top |= 1 // it only decides how halves are rounded
		}
		f = float64(top) * float64(uint64(1)<<(63-zeros)) * 2
	}
	return math.Float64frombits(math.Float64bits(f) | sign<<63)
}

func away256(v, from decimal256.Num) float64 {
	if int64(v.Array()[3]^from.Array()[3]) < 0 {
		return whole256(v) - whole256(from)
	}
	return whole256(v.Sub(from))
}

func whole256(v decimal256.Num) float64 {
	w, sign := v.Array(), 1.0
	if int64(w[3]) < 0 {
		w, sign = v.Negate().Array(), -1
	}
	return sign * whole(w[3], w[2], w[1], w[0])
}

// whole returns the double next to a number of 256 bits, the highest first. A greater number never has a smaller one.
func whole(d, c, b, a uint64) float64 {
	exponent := 192
	for d == 0 {
		if exponent == 0 {
			return 0
		}
		d, c, b, a = c, b, a, 0
		exponent -= 64
	}
	zeros := bits.LeadingZeros64(d)
	top := d<<zeros | c>>(64-zeros)
	if c<<zeros|b|a != 0 {
		top |= 1 // it only decides how halves are rounded
	}
	return math.Ldexp(float64(top), exponent-zeros)
}

// text returns the text of a decimal.
func (m *decimals[T]) text(v T) string {
	a := m.array(v)
	defer a.Release()
	return string(appendValue(nil, celltext.New(a), 0))
}
