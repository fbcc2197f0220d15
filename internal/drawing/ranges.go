package drawing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	place := placer(c)
	if place == nil {
		return nil
	}
	r.bands = make([]span, len(c.GroupStats))
	with := 0
	for i := range c.GroupStats {
		s := &c.GroupStats[i]
		r.bands[i] = span{1, 0}
		if s.Values == 0 && s.Nulls > 0 {
			r.Known++
			continue
		}
		low, ok := place(s.Min)
		high, ok2 := place(s.Max)
		if !ok || !ok2 || low > high || s.Doubt != "" {
			continue
		}
		r.bands[i] = span{low, high}
		r.Known++
		with++
	}
	if with == 0 {
		return nil
	}
	r.Order = order(r.bands)
	r.Lookup = lookup(r.bands)
	return r
}

// placer returns how the text of a bound becomes a number; nil = the values of the column have no order that can be drawn.
func placer(c *arrowio.ColumnInfo) func(string) (float64, bool) {
	if Kind(c.Type) == "text" {
		return textPlacer(c.GroupStats)
	}
	return Placer(c.Type)
}

// Placer returns how the text of a value of an Arrow type becomes a number that lies as the value does; nil = such values have no
// order, or are text.
func Placer(typ string) func(string) (float64, bool) {
	switch Kind(typ) {
	case "whole numbers", "fractions", "decimals":
		return func(s string) (float64, bool) {
			v, err := strconv.ParseFloat(s, 64)
			return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	case "times":
		return timePlace
	case "booleans":
		return func(s string) (float64, bool) {
			return map[string]float64{"true": 1}[s], s == "true" || s == "false"
		}
	}
	return nil
}

var timeLayouts = []string{
	"2006-01-02", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "15:04:05.999999999",
}

func timePlace(s string) (float64, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "<= "), ">= ")
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, " ms"), 64)
	return v, err == nil
}

// textPlacer places texts by their rank among all bounds.
func textPlacer(stats []arrowio.ColumnStats) func(string) (float64, bool) {
	var all []string
	for i := range stats {
		for _, s := range []string{stats[i].Min, stats[i].Max} {
			if s != "" {
				all = append(all, boundText(s))
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return func(s string) (float64, bool) {
		if s == "" {
			return 0, false
		}
		rank, ok := slices.BinarySearch(all, boundText(s))
		return float64(rank), ok
	}
}

// boundText is the text of a bound without what says that it was quoted or cut.
func boundText(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, ">= "), "<= ")
	if strings.HasPrefix(s, `"`) {
		if t, err := strconv.Unquote(strings.TrimSuffix(s, "…")); err == nil {
			return t
		}
	}
	return s
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
