package tableprofile

import "math"

// Histogram counts values in bins of one width.
type Histogram struct {
	From   string  `json:"from"` // where the first bin begins
	To     string  `json:"to"`   // the greatest value of the last bin
	Below  int64   `json:"below"`
	Above  int64   `json:"above"`
	Counts []int64 `json:"counts"`
	Exact  bool    `json:"exact"`
}

const (
	bins = 24
	// stretch is how much wider than the middle 98 % of the values the range of all may be. If it is wider, bins are of the middle: most
	// would be empty otherwise.
	stretch = 3
)

// scale says where values lie.
type scale struct {
	low, high uint64                     // orders of the least and the greatest value
	zero      float64                    // the number that places are counted from
	place     func(order uint64) float64 // of a value
	whole     bool                       // there are no values between whole numbers
}

// stop is a value where a histogram may begin or end: its place, its text, and its order if all values are counted.
type stop struct {
	at    float64
	text  string
	order uint64
}

// histogram returns the histogram of the values; nil = they are one, or no number says how far apart they are. least, most, first and
// last are the least and the greatest value, and the quantiles of 1 and of 99 %.
func (m *numbers) histogram(s *scale, least, most, first, last stop) *Histogram {
	from, to, all := least, most, true
	if whole := most.at - least.at; math.IsInf(whole, 0) || math.IsNaN(whole) || last.at > first.at && whole > stretch*(last.at-first.at) {
		from, to, all = first, last, false
	}
	if s.whole && m.digest == nil {
		return m.wholeHistogram(from, to)
	}
	span := to.at - from.at
	if !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	n, width := bins, span/bins
	if width == 0 { // only the least doubles lie so close together
		return nil
	}
	if s.whole { // a bin has as many numbers as every other, but for the last
		width = math.Ceil((span + 1) / bins)
		n = int(math.Ceil((span + 1) / width))
	}
	out := &Histogram{From: from.text, To: to.text, Counts: make([]int64, n), Exact: m.digest == nil}
	if m.digest == nil {
		for _, e := range m.sorted() {
			switch at := s.place(e.order); {
			case at < from.at:
				out.Below += e.count
			case at > to.at:
				out.Above += e.count
			default:
				out.Counts[min(n-1, int((at-from.at)/width))] += e.count
			}
		}
		return out
	}
	begin := s.zero + from.at
	if s.whole {
		begin -= 0.5
	}
	share := func(i int) float64 {
		switch {
		case i == 0 && all:
			return 0
		case i == n && all:
			return 1
		}
		return m.digest.share(begin + width*float64(i))
	}
	below := int64(math.Round(share(0) * float64(m.known)))
	out.Below = below
	for i := range out.Counts {
		upTo := max(below, int64(math.Round(share(i+1)*float64(m.known))))
		out.Counts[i], below = upTo-below, upTo
	}
	out.Above = m.known - below
	return out
}

// wholeHistogram is histogram of whole numbers that are all counted. No number is rounded.
func (m *numbers) wholeHistogram(from, to stop) *Histogram {
	span := to.order - from.order
	if span == 0 {
		return nil
	}
	width := span/bins + 1
	out := &Histogram{From: from.text, To: to.text, Counts: make([]int64, span/width+1), Exact: true}
	for _, e := range m.sorted() {
		switch {
		case e.order < from.order:
			out.Below += e.count
		case e.order > to.order:
			out.Above += e.count
		default:
			out.Counts[(e.order-from.order)/width] += e.count
		}
	}
	return out
}
