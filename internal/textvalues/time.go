package textvalues

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// number reads n decimal digits at the front of v.
func number(v []byte, n int) (int, []byte, bool) {
	if len(v) < n {
		return 0, nil, false
	}
	x := 0
	for _, c := range v[:n] {
		if c-'0' > 9 {
			return 0, nil, false
		}
		x = 10*x + int(c-'0')
	}
	return x, v[n:], true
}

// expect takes the byte c from the front of v.
func expect(v []byte, c byte) ([]byte, bool) {
	if len(v) == 0 || v[0] != c {
		return nil, false
	}
	return v[1:], true
}

var daysBefore = [...]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

func leap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// date reads YYYY-MM-DD and returns days since 1970-01-01, Gregorian throughout.
func date(v []byte) (days int, rest []byte, ok bool) {
	y, v, ok := number(v, 4)
	if !ok {
		return 0, nil, false
	}
	if v, ok = expect(v, '-'); !ok {
		return 0, nil, false
	}
	m, v, ok := number(v, 2)
	if !ok || m < 1 || m > 12 {
		return 0, nil, false
	}
	if v, ok = expect(v, '-'); !ok {
		return 0, nil, false
	}
	d, v, ok := number(v, 2)
	length := daysBefore[max(m, 1)] - daysBefore[max(m, 1)-1]
	if leap(y) && m == 2 {
		length++
	}
	if !ok || d < 1 || d > length {
		return 0, nil, false
	}
	p := y - 1
	leaps := 0
	if y > 0 { // year 0 is a leap year, and the years before this one count it
		leaps = p/4 - p/100 + p/400 + 1
	}
	days = 365*y + leaps + daysBefore[m-1] + d - 1
	if leap(y) && m > 2 {
		days++
	}
	return days - 719528, v, true // days from 0000-01-01 to 1970-01-01
}

// Date reads YYYY-MM-DD.
func Date(v []byte) (arrow.Date32, bool) {
	d, rest, ok := date(v)
	return arrow.Date32(d), ok && len(rest) == 0
}

// Timestamp reads YYYY-MM-DD, T or a space, HH:MM[:SS[.fraction]], and with zone Z or +HH:MM, without it neither.
// The result has so many fractional digits, 0 to 9; more in the text, or a time outside an int64, do not fit.
func Timestamp(v []byte, digits int, zone bool) (arrow.Timestamp, bool) {
	return timestamp(v, digits, zone, false)
}

// timestamp is Timestamp, which with zeros passes over zeros behind the last digit that fits.
func timestamp(v []byte, digits int, zone, zeros bool) (arrow.Timestamp, bool) {
	days, v, ok := date(v)
	if !ok || len(v) == 0 || v[0] != 'T' && v[0] != ' ' {
		return 0, false
	}
	secs, v, ok := clock(v[1:])
	if !ok {
		return 0, false
	}
	frac, v, ok := fraction(v, digits, zeros)
	if !ok {
		return 0, false
	}
	east, v, hasZone, ok := offset(v)
	if !ok || hasZone != zone || len(v) != 0 {
		return 0, false
	}
	return instant(int64(days)*86400+int64(secs)-int64(east), frac, digits)
}

// instant is a time of whole seconds and a fraction of so many digits, if that fits.
func instant(secs, frac int64, digits int) (arrow.Timestamp, bool) {
	if digits == 0 {
		return arrow.Timestamp(secs), true
	}
	unit := perSecond[digits]
	if secs > math.MaxInt64/unit || secs < math.MinInt64/unit-1 {
		return 0, false
	}
	at := secs*unit + frac // in the first and the last second of an int64 it may overflow: then its sign is another
	return arrow.Timestamp(at), (at < 0) == (secs < 0)
}

var perSecond = [...]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// timestamps reads timestamps of a type. Without a zone, a date is its midnight.
func timestamps(t *arrow.TimestampType) func([]byte) (arrow.Timestamp, bool) {
	digits, zone := digitsOf(t.Unit), t.TimeZone != ""
	return func(v []byte) (arrow.Timestamp, bool) {
		if days, ok := Date(v); ok && !zone {
			return instant(int64(days)*86400, 0, digits)
		}
		return timestamp(v, digits, zone, true)
	}
}

// timeOfDay reads HH:MM[:SS[.fraction]] with so many fractional digits.
func timeOfDay[T ~int32 | ~int64](digits int) func([]byte) (T, bool) {
	return func(v []byte) (T, bool) {
		secs, v, ok := clock(v)
		if !ok {
			return 0, false
		}
		frac, v, ok := fraction(v, digits, true)
		return T(int64(secs)*perSecond[digits] + frac), ok && len(v) == 0
	}
}

// clock reads HH:MM[:SS].
func clock(v []byte) (secs int, rest []byte, ok bool) {
	h, v, ok := number(v, 2)
	if !ok || h > 23 {
		return 0, nil, false
	}
	if v, ok = expect(v, ':'); !ok {
		return 0, nil, false
	}
	m, v, ok := number(v, 2)
	if !ok || m > 59 {
		return 0, nil, false
	}
	secs = 3600*h + 60*m
	if len(v) == 0 || v[0] != ':' {
		return secs, v, true
	}
	s, v, ok := number(v[1:], 2)
	return secs + s, v, ok && s <= 59
}

// fraction reads .digits as a number of so many digits. With zeros there may be more behind them.
func fraction(v []byte, digits int, zeros bool) (int64, []byte, bool) {
	if len(v) == 0 || v[0] != '.' {
		return 0, v, true
	}
	v = v[1:]
	var x int64
	n := 0
	for ; n < len(v) && v[n]-'0' <= 9; n++ {
		switch {
		case n < digits:
			x = 10*x + int64(v[n]-'0')
		case !zeros || v[n] != '0':
			return 0, nil, false
		}
	}
	for i := n; i < digits; i++ {
		x *= 10
	}
	return x, v[n:], n > 0
}

// offset reads Z, +HH:MM or -HH:MM, or nothing.
func offset(v []byte) (east int, rest []byte, found, ok bool) {
	if len(v) == 0 {
		return 0, v, false, true
	}
	if v[0] == 'Z' {
		return 0, v[1:], true, true
	}
	if v[0] != '+' && v[0] != '-' {
		return 0, nil, false, false
	}
	secs, rest, ok := clock(v[1:])
	if v[0] == '-' {
		secs = -secs
	}
	return secs, rest, true, ok && secs%60 == 0
}
