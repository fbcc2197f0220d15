package tableprofile

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// numbers is what values with an order have in common.
type numbers struct {
	typ      arrow.DataType
	floating bool // one of the orders is orderOfNaN
	counter  counter
	digest   *digest // nil = the counter has all
	known    int64   // in the digest or the counter, without NaN
	// compare compares values of one order that differ; nil = there are none.
	compare func(a, b entry) int
}

func (m *numbers) counts() *counter { return &m.counter }

// nan reports whether a value is NaN.
func (m *numbers) nan(e entry) bool { return m.floating && e.order == orderOfNaN }

// sorted returns the values that the counter has in ascending order, without NaN.
func (m *numbers) sorted() []entry {
	all := slices.DeleteFunc(m.counter.entries(), m.nan)
	slices.SortFunc(all, func(a, b entry) int {
		if c := cmp.Compare(a.order, b.order); c != 0 || m.compare == nil {
			return c
		}
		return m.compare(a, b)
	})
	return all
}

// add counts values and, if they are too many, adds them to the digest. value returns the number of an order.
func (m *numbers) add(b *batch, floats []float64, value func(order uint64) float64) {
	m.known += int64(len(floats))
	m.counter.full = func() {
		m.digest = newDigest()
		for _, e := range m.sorted() {
			m.digest.start(value(e.order), e.count)
		}
	}
	if from := m.counter.add(b); m.digest != nil {
		m.digest.add(floats[min(from, len(floats)):])
	}
}

// finish sets what is the same for all numbers. text returns the texts of entries, number that of a number, at is where values lie.
func (m *numbers) finish(out *Column, text func(e entry) string, number func(v float64) string, at *scale) {
	out.Distinct = m.counter.distinct(out.Values())
	out.setTop(&m.counter, text)
	if m.known == 0 {
		return
	}
	stops := make([]stop, len(shares))
	if m.digest != nil {
		for i, q := range shares {
			v := m.digest.quantile(q)
			stops[i] = stop{at: v - at.zero, text: number(v)}
			if at.whole {
				stops[i].at = math.Round(stops[i].at)
			}
		}
	} else {
		out.QuantilesExact = true
		all := m.sorted()
		k, below := 0, int64(0) // values before k
		for i, q := range shares {
			for below+all[k].count < atShare(q, m.known) {
				below += all[k].count
				k++
			}
			stops[i] = stop{at.place(all[k].order), text(all[k]), all[k].order}
		}
	}
	for i, q := range shares {
		out.Quantiles = append(out.Quantiles, Quantile{q, stops[i].text})
	}
	out.Histogram = m.histogram(at, stop{at.place(at.low), *out.Min, at.low}, stop{at.place(at.high), *out.Max, at.high}, stops[0], stops[len(stops)-1])
}

// atShare returns how many of n values a share of whole percents is, rounded up.
func atShare(share float64, n int64) int64 {
	percent := int64(math.Round(100 * share))
	return n/100*percent + (n%100*percent+99)/100
}

// setTop sets the frequent values.
func (c *Column) setTop(k *counter, text func(e entry) string) {
	c.TopExact = k.exact()
	for _, e := range k.frequent(topValues) {
		if e.count == 1 && k.n > topValues {
			break // and so are all others
		}
		c.Top = append(c.Top, Frequent{text(e), e.count, e.count + k.lowered})
	}
}

// setCounted gives frequent values the counts that are known exactly besides: of NaN, and of what is empty.
func (c *Column) setCounted() {
	for i := range c.Top {
		t := &c.Top[i]
		n := c.NaN
		switch t.Value {
		case "NaN":
		case "", "0x":
			n = c.Empty
		default:
			n = nil
		}
		if n != nil && t.AtMost > t.Count {
			t.Count, t.AtMost = *n, *n
		}
	}
	slices.SortStableFunc(c.Top, func(a, b Frequent) int { return cmp.Compare(b.Count, a.Count) })
}

// ints measures values that are whole numbers of up to 64 bits.
type ints struct {
	numbers
	load      func(a arrow.Array, dst []int64)
	low, high int64
	zero      int64
	negative  int64
	first     int64 // the number from which others are counted where they are floating point numbers, so that neighbours differ
	sum       wholeSum
	moments   moments
	any       bool
}

func newInts(t arrow.DataType, load func(a arrow.Array, dst []int64)) *ints {
	return &ints{numbers: numbers{typ: t}, load: load}
}

// isTime reports whether values are points in time or durations, for which zero and means say little.
func isTime(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return true
	}
	return false
}

func (m *ints) add(a arrow.Array, s *scratch) {
	n := a.Len()
	s.ints, s.orders, s.hashes, s.floats = resize(s.ints, n), resize(s.orders, n), resize(s.hashes, n), resize(s.floats, n)
	m.load(a, s.ints)
	low, high := ends(s.ints)
	if !m.any {
		m.low, m.high, m.any, m.first = low, high, true, s.ints[0]
	}
	m.low, m.high = min(m.low, low), max(m.high, high)
	for i, v := range s.ints {
		s.orders[i] = orderOfInt(v)
	}
	for i, o := range s.orders {
		s.hashes[i] = mix(o)
	}
	if m.typ.ID() == arrow.UINT64 {
		m.zero += count(s.orders, 0)
	} else {
		m.zero += count(s.ints, 0)
		m.negative += negatives(s.ints)
	}
	awayAll(s.floats, s.ints, m.first, low, high)
	m.sum.addInts(s.ints, low, high)
	m.moments.add(s.floats)
	m.numbers.add(&batch{hashes: s.hashes, orders: s.orders}, s.floats, m.number)
}

// number returns how far the number of an order is from the first.
func (m *ints) number(o uint64) float64 { return away(intOfOrder(o), m.first) }

// order returns the order of a number, rounded, between the least and the greatest value.
func (m *ints) order(v float64) uint64 {
	low, high, first := orderOfInt(m.low), orderOfInt(m.high), orderOfInt(m.first)
	switch v = math.Round(v); {
	case !(v > m.number(low)):
		return low
	case v >= m.number(high):
		return high
	case v < 0:
		return first - uint64(-v)
	}
	return first + uint64(v)
}

// total returns the sum of all values.
func (m *ints) total() *big.Int {
	sum := m.sum.sum()
	if m.typ.ID() == arrow.UINT64 {
		sum.Add(sum, new(big.Int).Lsh(big.NewInt(m.known), 63)) // see newMeasure
	}
	return sum
}

func (m *ints) finish(out *Column) {
	text := texts(m.typ)
	low, high := text(orderOfInt(m.low)), text(orderOfInt(m.high))
	out.Min, out.Max = &low, &high
	if !isTime(m.typ) {
		out.Zero = &m.zero
		if m.typ.ID() != arrow.UINT64 {
			out.Negative = &m.negative
		}
		out.Mean, out.StdDev = meanOf(m.total(), m.known, 0), m.moments.deviation(1)
	}
	at := &scale{low: orderOfInt(m.low), high: orderOfInt(m.high), whole: true}
	at.zero, at.place = m.number(at.low), func(o uint64) float64 { return float64(o - at.low) }
	m.numbers.finish(out, func(e entry) string { return text(e.order) }, func(v float64) string { return text(m.order(v)) }, at)
}

// floats measures floating point numbers.
type floats struct {
	numbers
	load     func(a arrow.Array, dst []float64)
	low      float64
	high     float64
	zero     int64
	negative int64
	nan      int64
	sum      floatSum
	moments  moments
}

func newFloats(t arrow.DataType, load func(a arrow.Array, dst []float64)) *floats {
	return &floats{numbers: numbers{typ: t, floating: true}, load: load}
}

func (m *floats) add(a arrow.Array, s *scratch) {
	n := a.Len()
	s.floats, s.orders, s.hashes = resize(s.floats, n), resize(s.orders, n), resize(s.hashes, n)
	m.load(a, s.floats)
	k := 0
	for _, v := range s.floats { // without NaN
		s.floats[k] = v
		if v == v {
			k++
		}
	}
	nan := n - k
	values := s.floats[:k]
	for i, v := range values {
		s.orders[i] = orderOfFloat(v)
	}
	for i, o := range s.orders[:k] {
		s.hashes[i] = mix(o)
	}
	for i := k; i < n; i++ {
		s.orders[i], s.hashes[i] = orderOfNaN, mix(orderOfNaN)
	}
	m.nan += int64(nan)
	if k > 0 {
		low, high := values[0], values[0]
		for _, v := range values {
			low, high = min(low, v), max(high, v)
			if v == 0 {
				m.zero++
			}
			if v < 0 {
				m.negative++
			}
		}
		if m.known == 0 {
			m.low, m.high = low, high
		}
		m.low, m.high = min(m.low, low), max(m.high, high)
		m.sum.addAll(values)
		m.moments.add(values)
	}
	m.numbers.add(&batch{hashes: s.hashes, orders: s.orders}, values, floatOfOrder)
}

func (m *floats) finish(out *Column) {
	text := texts(m.typ)
	out.Zero, out.Negative, out.NaN = &m.zero, &m.negative, &m.nan
	if m.known > 0 {
		low, high := text(orderOfFloat(m.low)), text(orderOfFloat(m.high))
		out.Min, out.Max = &low, &high
		out.Mean, out.StdDev = m.sum.mean(m.known), m.moments.deviation(1)
	}
	m.numbers.finish(out, func(e entry) string { return text(e.order) }, func(v float64) string {
		return text(orderOfFloat(max(m.low, min(m.high, v))))
	}, floatScale(m.low, m.high))
}

// floatScale is where floating point numbers lie.
func floatScale(low, high float64) *scale {
	return &scale{low: orderOfFloat(low), high: orderOfFloat(high), place: floatOfOrder}
}
