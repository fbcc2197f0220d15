package orccast

import (
	"math"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// dateKernel returns what makes days.
func dateKernel(f column) func(in *input) (output, error) {
	switch f.family {
	case text:
		return func(in *input) (output, error) {
			s := in.texts()
			days := make([]int32, in.n)
			for i := range days {
				day, rest, ok := parseDay(s.at(i), true)
				if !ok || len(rest) > 0 {
					in.drop(i)
				}
				days[i] = int32(day) // wraps, as in Java
			}
			return fixed(in, days), nil
		}
	case instant:
		return func(in *input) (output, error) {
			t := in.times()
			days := make([]int32, in.n)
			for i, s := range t.secs {
				// Java rounds milliseconds towards 1970 and then adds the fraction again.
				if s < 0 && t.nanos[i] >= 1_000_000 {
					s++
				}
				day := s / 86400
				if s%86400 < 0 {
					day--
				}
				days[i] = int32(day)
			}
			return fixed(in, days), nil
		}
	}
	return nil
}

// timeKernel returns what makes timestamps. c is what numbers count in.
func timeKernel(f, t column, c arrowio.Calendar) func(in *input) (output, error) {
	var made func(in *input) times
	switch f.family {
	case boolean, integer:
		made = func(in *input) times {
			t := newTimes(in.n)
			for i, x := range in.longs() {
				x *= 1000 // wraps, as in Java, which keeps whole seconds of it
				t.setMillis(i, x)
				t.nanos[i] = 0
			}
			return t
		}
	case floating:
		made = timesOfDoubles
	case decimal:
		scale := scaleOf(f)
		if scale < 0 {
			return nil
		}
		made = func(in *input) times {
			t := newTimes(in.n)
			for i, x := range in.decimals() {
				t.setNumber(in, i, numberOf(x, scale))
			}
			return t
		}
	case text:
		c = arrowio.ProlepticCalendar
		zoned := t.typ.(*arrow.TimestampType).TimeZone != ""
		made = func(in *input) times { return timesOfTexts(in, zoned) }
	case date:
		c = arrowio.ProlepticCalendar // as it was read
		made = func(in *input) times {
			t := newTimes(in.n)
			for i, day := range in.longs() {
				t.secs[i] = day * 86400
			}
			return t
		}
	case instant:
		from, to := f.typ.(*arrow.TimestampType), t.typ.(*arrow.TimestampType)
		if from.Unit == to.Unit {
			return func(in *input) (output, error) {
				b := in.d.Buffers()[1]
				if in.d.Offset() != 0 || b == nil {
					return fixed(in, values[int64](in)), nil
				}
				b.Retain()
				return output{b}, nil
			}
		}
		c = arrowio.ProlepticCalendar
		made = (*input).times
	default:
		return nil
	}
	proleptic := counted(made, c)
	return func(in *input) (output, error) {
		times, err := proleptic(in)
		if err != nil {
			return nil, err
		}
		return in.units(times, t.typ)
	}
}

func (t times) setMillis(i int, ms int64) {
	s := ms / 1000
	r := ms - s*1000
	if r < 0 {
		s--
		r += 1000
	}
	t.secs[i], t.nanos[i] = s, int32(r)*1_000_000
}

func timesOfDoubles(in *input) times {
	t := newTimes(in.n)
	for i, x := range in.doubles() {
		x *= 1000
		if !(x >= -1<<63 && x <= 1<<63) {
			in.drop(i)
			continue
		}
		ms := roundHalf(x)
		if (ms >= 0) != (x >= 0) { // so is what rounds to 0 from below
			in.drop(i)
			continue
		}
		t.setMillis(i, ms)
	}
	return t
}

// roundHalf is Java's Math.round: halves go up.
func roundHalf(x float64) int64 {
	f := math.Floor(x)
	if x-f >= 0.5 {
		f++
	}
	if f >= 1<<63 {
		return math.MaxInt64
	}
	return int64(f)
}

// Seconds that Java's Instant holds.
const leastSecond, mostSecond = -31557014167219200, 31556889864403199

// setNumber sets seconds. Of those before the point only 64 bits count, as in Java.
func (t times) setNumber(in *input, i int, x number) {
	whole := x.digits.cut(x.scale)
	secs := int64(whole.lo)
	var nanos int64
	back, _ := whole.scaled(x.scale)
	fraction := x.digits.minus(back)
	if x.scale > 9 {
		fraction = fraction.cut(x.scale - 9)
	} else {
		fraction, _ = fraction.scaled(9 - x.scale)
	}
	nanos = int64(fraction.lo)
	if x.negative {
		secs, nanos = -secs, -nanos
	}
	if secs < leastSecond || secs > mostSecond {
		in.drop(i)
		return
	}
	if nanos < 0 {
		secs--
		nanos += 1_000_000_000
	}
	t.secs[i], t.nanos[i] = secs, int32(nanos)
}

func timesOfTexts(in *input, zoned bool) times {
	t := newTimes(in.n)
	s := in.texts()
	zones := map[string]*time.Location{}
	for i := range in.n {
		b := s.at(i)
		secs, nanos, rest, ok := parseClock(b)
		if ok && zoned {
			secs, ok = inZone(secs, rest, zones)
		} else if len(rest) > 0 {
			ok = false
		}
		if !ok {
			in.drop(i)
			continue
		}
		t.secs[i], t.nanos[i] = secs, nanos
	}
	return t
}

// parseDay reads a day "2019-07-09": a year of more than four digits has a sign. strict refuses days that a month does
// not have; otherwise its last is meant.
func parseDay(b []byte, strict bool) (day int64, rest []byte, ok bool) {
	sign := byte(0)
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		sign, b = b[0], b[1:]
	}
	year, n := 0, 0
	for n < len(b) && n < 10 && isDigit(b[n]) {
		year = year*10 + int(b[n]-'0')
		n++
	}
	if n < 4 || n > 4 && sign == 0 || n == 4 && sign == '+' || sign == '-' && year == 0 || year > 999_999_999 {
		return 0, nil, false
	}
	if sign == '-' {
		year = -year
	}
	b = b[n:]
	month, b, ok := pair(b, '-')
	if !ok || month < 1 || month > 12 {
		return 0, nil, false
	}
	d, b, ok := pair(b, '-')
	if !ok || d < 1 || d > 31 {
		return 0, nil, false
	}
	last := daysIn(year, month)
	if d > last && strict {
		return 0, nil, false
	}
	return dayOf(year, month, min(d, last)), b, true
}

// pair reads a character and two digits.
func pair(b []byte, before byte) (v int, rest []byte, ok bool) {
	if len(b) < 3 || b[0] != before || !isDigit(b[1]) || !isDigit(b[2]) {
		return 0, b, false
	}
	return int(b[1]-'0')*10 + int(b[2]-'0'), b[3:], true
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// dayOf counts days since 1970-01-01.
func dayOf(year, month, day int) int64 {
	y, m := int64(year), int64(month)
	if m <= 2 { // a year that starts in March ends with its leap day
		y, m = y-1, m+12
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	of := y - era*400
	return era*146097 + of*365 + of/4 - of/100 + (153*(m-3)+2)/5 + int64(day) - 1 - 719468
}

// parseClock reads "2019-07-09 13:11:00.5"; seconds may be missing.
func parseClock(b []byte) (secs int64, nanos int32, rest []byte, ok bool) {
	day, b, ok := parseDay(b, false)
	if !ok {
		return 0, 0, nil, false
	}
	h, b, ok := pair(b, ' ')
	if !ok || h > 24 {
		return 0, 0, nil, false
	}
	m, b, ok := pair(b, ':')
	if !ok || m > 59 {
		return 0, 0, nil, false
	}
	s, after, ok := pair(b, ':')
	if ok && s <= 59 {
		b = after
		nanos, b = fraction(b)
	} else {
		s = 0
	}
	if h == 24 && (m > 0 || s > 0 || nanos > 0) { // midnight at the end of the day
		return 0, 0, nil, false
	}
	return day*86400 + int64(h*3600+m*60+s), nanos, b, true
}

// fraction reads a point and up to nine digits.
func fraction(b []byte) (nanos int32, rest []byte) {
	if len(b) == 0 || b[0] != '.' {
		return 0, b
	}
	b = b[1:]
	unit := int32(100_000_000)
	for len(b) > 0 && isDigit(b[0]) && unit > 0 {
		nanos += int32(b[0]-'0') * unit
		unit /= 10
		b = b[1:]
	}
	return nanos, b
}

// inZone moves a clock time to UTC by the zone whose name stands behind a blank.
func inZone(secs int64, b []byte, zones map[string]*time.Location) (int64, bool) {
	if len(b) < 2 || b[0] != ' ' {
		return 0, false
	}
	name := string(b[1:])
	loc, ok := zones[name]
	if !ok {
		loc = zoneNamed(name)
		zones[name] = loc
	}
	if loc == nil {
		return 0, false
	}
	offset := func(at int64) int64 {
		_, o := time.Unix(at, 0).In(loc).Zone()
		return int64(o)
	}
	// Of two times with one name Java takes the first; one that does not exist is counted with the offset before.
	before, after := offset(secs-86400), offset(secs+86400)
	if offset(secs-before) != before && offset(secs-after) == after {
		return secs - after, true
	}
	return secs - before, true
}

// zoneNamed returns the zone of a region or an offset as Java's ZoneId names them; nil = there is none.
func zoneNamed(name string) *time.Location {
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if rest == "" {
				return time.UTC
			}
			if rest[0] == '+' || rest[0] == '-' {
				return offsetNamed(rest)
			}
		}
	}
	switch {
	case name == "Z":
		return time.UTC
	case name[0] == '+' || name[0] == '-':
		return offsetNamed(name)
	case name == "Local" || name == "" || strings.HasPrefix(name, "posix"):
		return nil
	}
	switch name { // in the database, but not in Java
	case "EST", "HST", "MST", "ROC", "Factory":
		return nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}

// offsetNamed reads +hh:mm or +hh:mm:ss, up to 18 hours.
func offsetNamed(s string) *time.Location {
	if len(s) != 6 && len(s) != 9 || s[3] != ':' || len(s) == 9 && s[6] != ':' {
		return nil
	}
	digits := strings.ReplaceAll(s[1:], ":", "")
	if len(digits) != len(s)/3*2 {
		return nil
	}
	var v [3]int
	for i := range digits {
		if !isDigit(digits[i]) {
			return nil
		}
		v[i/2] = v[i/2]*10 + int(digits[i]-'0')
	}
	secs := v[0]*3600 + v[1]*60 + v[2]
	if v[1] > 59 || v[2] > 59 || secs > 18*3600 {
		return nil
	}
	if s[0] == '-' {
		secs = -secs
	}
	return time.FixedZone(s, secs)
}
