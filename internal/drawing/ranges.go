package drawing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// Order says how the ranges of a column's values follow one another.
type Order int

// Orders of ranges.
const (
	Unordered  Order = iota
	OneValue         // every value is the same
	Ascending        // no range begins before the one before it ends
	Descending       // the reverse
	NearlyUp         // most ranges ascend, some do not, or they overlap
	NearlyDown       // the reverse
)

// Ranges is what the least and greatest values of a column in each group of rows tell: whether the column is sorted, and how much
// a filter on it leaves.
type Ranges struct {
	Groups int     // all
	Known  int     // those with a least and a greatest value, or only nulls
	Lookup float64 // the share of groups that a lookup of one value reads, on average; -1 = not known
	Order  Order
	bands  []span
}

// span is a range as numbers that lie as the values do; low > high = only nulls, or not known.
type span struct{ low, high float64 }

// RangesOf reads the ranges of a column from the statistics of groups; nil = they tell nothing. Statistics that filters do not trust
// are left out.
func RangesOf(c *arrowio.ColumnInfo) *Ranges {
	if len(c.GroupStats) == 0 {
		return nil
	}
	r := &Ranges{Groups: len(c.GroupStats), Lookup: -1}
	read, compare := boundsOf(c.Type)
	if read == nil {
		return nil
	}
	var all []bound
	known := make([]int, len(c.GroupStats)) // where in all the bounds of a group are, -1 = they are not known
	for i := range c.GroupStats {
		s := &c.GroupStats[i]
		known[i] = -1
		if s.Values == 0 && s.Nulls > 0 {
			r.Known++
			continue
		}
		low, ok := read(s.Min)
		high, ok2 := read(s.Max)
		if !ok || !ok2 || compare(low, high) > 0 || s.Doubt != "" {
			continue
		}
		known[i] = len(all)
		all = append(all, low, high)
		r.Known++
	}
	if len(all) == 0 {
		return nil
	}
	// Ranges are compared by the ranks of their bounds: doubles that are alike may stand for numbers that differ.
	ranks := ranksOf(all, compare)
	places := ranks
	if Kind(c.Type) != "text" {
		places = make([]float64, len(all))
		for i := range all {
			places[i] = all[i].at
		}
	}
	r.bands = make([]span, len(known))
	ranked := make([]span, len(known))
	for i, k := range known {
		r.bands[i], ranked[i] = span{1, 0}, span{1, 0}
		if k >= 0 {
			r.bands[i], ranked[i] = span{places[k], places[k+1]}, span{ranks[k], ranks[k+1]}
		}
	}
	r.Order = order(ranked)
	r.Lookup = lookup(ranked)
	return r
}

// Placer returns how the text of a value of an Arrow type becomes a number that lies as the value does; nil = such values have no
// order, or are text.
func Placer(typ string) func(string) (float64, bool) {
	switch Kind(typ) {
	case "text":
		return nil
	case "whole numbers", "decimals", "fractions":
		return finite
	}
	read, _ := boundsOf(typ)
	if read == nil {
		return nil
	}
	return func(s string) (float64, bool) {
		b, ok := read(s)
		return b.at, ok
	}
}

// nearly is the share of neighbours that may be out of order where ranges nearly follow one another.
const nearly = 0.1

func order(bands []span) Order {
	var x []span
	for _, b := range bands {
		if b.low <= b.high {
			x = append(x, b)
		}
	}
	one, up, down := true, true, true
	rises, falls := 0, 0
	for i, b := range x {
		one = one && b.low == b.high && b.low == x[0].low
		if i == 0 {
			continue
		}
		a := x[i-1]
		up = up && b.low >= a.high
		down = down && b.high <= a.low
		if b.low >= a.low && b.high >= a.high {
			rises++
		}
		if b.low <= a.low && b.high <= a.high {
			falls++
		}
	}
	most := len(x) - 1 - int(nearly*float64(len(x)-1))
	switch {
	case one:
		return OneValue
	case len(x) < 2:
		return Unordered
	case up:
		return Ascending
	case down:
		return Descending
	case len(x) >= 4 && rises >= most && lookup(x) <= 0.5:
		return NearlyUp
	case len(x) >= 4 && falls >= most && lookup(x) <= 0.5:
		return NearlyDown
	}
	return Unordered
}

// lookup returns the share of groups whose ranges hold a value, on average over the values that are bounds. Groups without a
// range hold none.
func lookup(bands []span) float64 {
	var lows, highs []float64
	for _, b := range bands {
		if b.low <= b.high {
			lows, highs = append(lows, b.low), append(highs, b.high)
		}
	}
	if len(lows) == 0 {
		return -1
	}
	slices.Sort(lows)
	slices.Sort(highs)
	sum := 0.0
	for _, list := range [][]float64{lows, highs} {
		for _, v := range list {
			begun, _ := slices.BinarySearchFunc(lows, v, after)
			ended, _ := slices.BinarySearch(highs, v)
			sum += float64(begun - ended)
		}
	}
	return sum / float64(2*len(lows)) / float64(len(bands))
}

// after makes a binary search find the place behind all equal values.
func after(a, v float64) int {
	if a == v {
		return -1
	}
	return cmp.Compare(a, v)
}

// The measures of a strip, in the units of its view box.
const (
	StripWidth  = 120
	StripHeight = 20
)

// Strip is ranges as vertical strokes, one for each group of rows, from left to right; the height is the value.
type Strip struct {
	Path   string  // of an SVG path whose strokes have the width Stroke
	Stroke float64 // in the units of the view box
}

// Strip draws the ranges with at most n strokes: those that follow one another are put together.
func (r *Ranges) Strip(n int) Strip {
	per := (len(r.bands) + n - 1) / n
	var spans []span
	for from := 0; from < len(r.bands); from += per {
		s := span{math.Inf(1), math.Inf(-1)}
		for _, b := range r.bands[from:min(from+per, len(r.bands))] {
			if b.low <= b.high {
				s.low, s.high = min(s.low, b.low), max(s.high, b.high)
			}
		}
		spans = append(spans, s)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range spans {
		low, high = min(low, s.low), max(high, s.high)
	}
	scale := high - low
	width := float64(StripWidth) / float64(len(spans))
	var b strings.Builder
	for i, s := range spans {
		if s.low > s.high {
			continue
		}
		top, bottom := 0.0, float64(StripHeight)
		if scale > 0 && !math.IsInf(scale, 0) {
			top = StripHeight * (1 - (s.high-low)/scale)
			bottom = StripHeight * (1 - (s.low-low)/scale)
		}
		if bottom-top < 2 { // or it would not be seen
			top = min(top, StripHeight-2)
			bottom = top + 2
		}
		b.WriteString("M" + Tenth(width*(float64(i)+0.5)) + " " + Tenth(top) + "V" + Tenth(bottom))
	}
	return Strip{b.String(), math.Round(10*min(10, max(1, width*0.86))) / 10}
}

// Tenth is a number with at most one digit behind the point.
func Tenth(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
