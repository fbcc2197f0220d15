package drawing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bound is a least or a greatest value that was read from its text.
type bound struct {
	at       float64 // about where it lies; 0 of text
	text     string
	negative bool   // a number with digits
	whole    string // its digits before the point, without zeros at the start
	part     string // those behind it, without zeros at the end
	second   int64  // a time
	nanos    int
}

// boundsOf returns how the text of a value of an Arrow type becomes a bound, and how such bounds compare; nil = values of the type have no
// order that can be drawn.
func boundsOf(typ string) (read func(string) (bound, bool), compare func(a, b bound) int) {
	byPlace := func(a, b bound) int { return cmp.Compare(a.at, b.at) }
	switch Kind(typ) {
	case "text":
		return func(s string) (bound, bool) { return bound{text: boundText(s)}, s != "" }, func(a, b bound) int { return cmp.Compare(a.text, b.text) }
	case "whole numbers", "decimals":
		return readDigits, compareDigits
	case "fractions":
		return func(s string) (bound, bool) {
			v, ok := finite(s)
			return bound{at: v}, ok
		}, byPlace
	case "times":
		return readTime, func(a, b bound) int {
			return cmp.Or(cmp.Compare(a.second, b.second), cmp.Compare(a.nanos, b.nanos))
		}
	case "booleans":
		return func(s string) (bound, bool) {
			return bound{at: map[string]float64{"true": 1}[s]}, s == "true" || s == "false"
		}, byPlace
	}
	return nil, nil
}

func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// readDigits reads a number without an exponent, whatever the number of its digits.
func readDigits(s string) (b bound, ok bool) {
	if b.at, ok = finite(s); !ok || strings.Trim(s, "+-.0123456789") != "" {
		return b, false
	}
	digits := strings.TrimLeft(s, "+-")
	b.whole, b.part, _ = strings.Cut(digits, ".")
	b.whole, b.part = strings.TrimLeft(b.whole, "0"), strings.TrimRight(b.part, "0")
	b.negative = s[0] == '-' && b.whole+b.part != ""
	return b, true
}

func compareDigits(a, b bound) int {
	switch {
	case a.negative && b.negative:
		a, b = b, a
	case a.negative:
		return -1
	case b.negative:
		return 1
	}
	return cmp.Or(cmp.Compare(len(a.whole), len(b.whole)), cmp.Compare(a.whole, b.whole), cmp.Compare(a.part, b.part))
}

var timeLayouts = []string{
	"2006-01-02", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "15:04:05.999999999",
}

// readTime reads a date, a time of a day or both, also of years that have more than four digits or a sign, or a number of milliseconds.
func readTime(s string) (bound, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "<= "), ">= ")
	if n, ok := strings.CutSuffix(s, " ms"); ok {
		ms, err := strconv.ParseInt(n, 10, 64)
		return timeBound(time.UnixMilli(ms)), err == nil
	}
	s, cycles := ordinaryYear(s)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			b := timeBound(t)
			b.second += cycles * cycleSeconds
			b.at += float64(cycles) * cycleSeconds
			return b, true
		}
	}
	v, ok := finite(s)
	whole := math.Floor(v)
	return bound{at: v, second: int64(whole), nanos: int((v - whole) * 1e9)}, ok && math.Abs(v) < 1<<62
}

func timeBound(t time.Time) bound {
	return bound{at: float64(t.Unix()) + float64(t.Nanosecond())/1e9, second: t.Unix(), nanos: t.Nanosecond()}
}

// cycleSeconds is how long 400 years are, after which the calendar repeats.
const cycleSeconds = 146_097 * 86_400

// ordinaryYear returns a date, or a date and a time, with a year of four digits in place of one that has more of them or a sign, and how many
// cycles of the calendar it is before the true one. Other text comes back as it is.
func ordinaryYear(s string) (ordinary string, cycles int64) {
	from := strings.IndexAny(s, "0123456789")
	if from < 0 || from > 1 {
		return s, 0
	}
	n := strings.IndexByte(s[from:], '-')
	if n < 4 || n > 12 || from == 0 && n == 4 {
		return s, 0
	}
	year, err := strconv.ParseInt(s[:from+n], 10, 64)
	if err != nil {
		return s, 0
	}
	in := year % 400
	if in < 0 {
		in += 400
	}
	return strconv.FormatInt(2000+in, 10) + s[from+n:], (year - in - 2000) / 400
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

// ranksOf returns the place of each bound among those that differ.
func ranksOf(all []bound, compare func(a, b bound) int) []float64 {
	sorted := slices.SortedFunc(slices.Values(all), compare)
	sorted = slices.CompactFunc(sorted, func(a, b bound) bool { return compare(a, b) == 0 })
	ranks := make([]float64, len(all))
	for i := range all {
		rank, _ := slices.BinarySearchFunc(sorted, all[i], compare)
		ranks[i] = float64(rank)
	}
	return ranks
}
