package orc

import (
	"math/bits"

	"github.com/arrowio/arrowio/internal/orcwire"
)

const (
	shortDigits = 18                            // of decimals that 64 bits hold
	mostShort   = 1_000_000_000_000_000_000 - 1 // 18 nines
	mostDigits  = 38
)

// decimalStats is about decimal. As in Java, the sum of a column of up to 18 digits is given up when it has more, on its
// way or at its end; but once given up it stays so in the stripe and the file, where Java goes on with what there was
// when it gave up. Sums of longer columns are exact, and left out where 38 digits do not hold them; Java rounds them.
type decimalStats struct {
	levels[decimalFacts, *decimalFacts]
}

type decimalFacts struct {
	scale int
	short bool
	// Of a short column:
	extent
	total partial
	// Of a long one:
	some      bool
	low, high int128
	sum       sum192
}

func newDecimalStats(t *orcwire.Type) *decimalStats {
	precision, scale := t.DecimalType()
	f := decimalFacts{scale: int(scale), short: precision <= shortDigits}
	s := new(decimalStats)
	s.group.facts, s.stripe.facts, s.whole.facts = f, f, f
	return s
}

func (f *decimalFacts) merge(o *decimalFacts) {
	f.extent.merge(&o.extent)
	f.total.merge(&o.total, mostShort)
	if o.some {
		f.widen128(o.low, o.high)
		f.sum.add(o.sum)
	}
}

func (f *decimalFacts) widen128(low, high int128) {
	if !f.some {
		f.some, f.low, f.high = true, low, high
	}
	if low.less(f.low) {
		f.low = low
	}
	if f.high.less(high) {
		f.high = high
	}
}

func (f *decimalFacts) reset() { *f = decimalFacts{scale: f.scale, short: f.short} }

func (f *decimalFacts) tell(s *orcwire.ColumnStats) {
	s.Decimal = new(orcwire.DecimalStats)
	least, great, sum := f.low, f.high, int128{int64(f.sum.mid), f.sum.low}
	fits := f.sum.high == uint64(sum.high>>63)
	if f.short {
		least, great, sum, fits = wide(f.least), wide(f.great), wide(f.total.sum), !f.total.over
	}
	if f.has || f.some {
		s.Decimal.Min, s.Decimal.Max = f.text(least), f.text(great)
	}
	if !fits {
		return
	}
	if text := f.text(sum); digits(text) <= mostDigits {
		s.Decimal.Sum = text
	}
}

func (f *decimalFacts) text(v int128) string {
	return string(orcwire.AppendDecimal(nil, v.low, uint64(v.high), f.scale))
}

// digits counts the digits of a decimal's text without a zero before its point.
func digits(text string) int {
	n := 0
	for i, c := range text {
		if c >= '0' && c <= '9' && (n > 0 || c != '0' || i == len(text)-1 || text[i+1] != '.') {
			n++
		}
	}
	return n
}

// add adds values of the column's scale and within its precision to the open row group: two words each, the low one
// first.
func (s *decimalStats) add(words [][2]uint64) {
	f := &s.group.facts
	for len(words) > 0 {
		b := words[:min(len(words), statsBlock)]
		words = words[len(b):]
		if f.short {
			f.addShort(b)
		} else {
			f.addLong(b)
		}
	}
}

func (f *decimalFacts) addShort(words [][2]uint64) {
	least, great := int64(words[0][0]), int64(words[0][0])
	var sum int64
	for i := range words {
		x := int64(words[i][0])
		least, great = min(least, x), max(great, x)
		sum += x
	}
	e := extent{true, least, great}
	f.extent.merge(&e)
	switch {
	case f.total.over:
	case f.total.safe(&e, len(words), mostShort):
		f.total.sum += sum
	default:
		for i := range words {
			f.total.add(int64(words[i][0]), mostShort)
		}
	}
}

func (f *decimalFacts) addLong(words [][2]uint64) {
	low := int128{int64(words[0][1]), words[0][0]}
	high := low
	var l, m, h, c uint64
	for i := range words {
		w := &words[i]
		l, c = bits.Add64(l, w[0], 0)
		m, c = bits.Add64(m, w[1], c)
		h += uint64(int64(w[1])>>63) + c
		v := int128{int64(w[1]), w[0]}
		if v.less(low) {
			low = v
		}
		if high.less(v) {
			high = v
		}
	}
	f.widen128(low, high)
	f.sum.add(sum192{h, m, l})
}

// int128 is a number of 128 bits.
type int128 struct {
	high int64
	low  uint64
}

func wide(v int64) int128 { return int128{v >> 63, uint64(v)} }

func (v int128) less(o int128) bool { return v.high < o.high || v.high == o.high && v.low < o.low }

// sum192 is wide enough for the sum of all decimals of a file.
type sum192 struct{ high, mid, low uint64 }

func (s *sum192) add(o sum192) {
	var c uint64
	s.low, c = bits.Add64(s.low, o.low, 0)
	s.mid, c = bits.Add64(s.mid, o.mid, c)
	s.high += o.high + c
}
