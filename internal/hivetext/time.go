package hivetext

import (
	"bytes"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// number reads between one and so many digits.
func number(v []byte, most int) (n int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(v) && i < most && v[i]-'0' <= 9; i++ {
		n = 10*n + int64(v[i]-'0')
	}
	return n, v[i:], i > 0
}

// after passes over a byte.
func after(v []byte, c byte) ([]byte, bool) {
	if len(v) == 0 || v[0] != c {
		return nil, false
	}
	return v[1:], true
}

// day reads YEAR-MONTH-DAY as days since 1970. Months and days beyond the last go on in the next year and month.
func day(v []byte) (days int64, rest []byte, found verdict) {
	before := len(v) > 0 && v[0] == '-'
	if before {
		v = v[1:]
	}
	y, v, ok := number(v, 10)
	if before {
		y = -y
	}
	if ok {
		v, ok = after(v, '-')
	}
	var m, d int64
	if ok {
		m, v, ok = number(v, 2)
	}
	if ok {
		v, ok = after(v, '-')
	}
	if ok {
		d, v, ok = number(v, 2)
	}
	if !ok {
		return 0, nil, null
	}
	found = other
	if m >= 1 && m <= 12 && d >= 1 && d <= length(y, m) {
		found = exact
	}
	if m == 0 {
		y, m = y-1, 12
	} else {
		y, m = y+(m-1)/12, (m-1)%12+1
	}
	return first(y, m) + d - 1, v, found
}

func leap(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

func length(y, m int64) int64 {
	switch {
	case m == 2 && leap(y):
		return 29
	case m == 2:
		return 28
	case m == 4, m == 6, m == 9, m == 11:
		return 30
	}
	return 31
}

// first returns the days from 1970 to the first of a month, Gregorian throughout.
func first(y, m int64) int64 {
	const era = 146097 // days of 400 years
	eras := y / 400
	if y%400 < 0 {
		eras--
	}
	y -= 400 * eras
	days := 365 * y
	if y > 0 { // year 0 is a leap year
		days += (y-1)/4 - (y-1)/100 + 1
	}
	for i := int64(1); i < m; i++ {
		days += length(y, i)
	}
	return eras*era + days - 719528 // days from the year 0 to 1970
}

// date reads a date, and passes over what follows a blank.
func date(v []byte) (arrow.Date32, verdict) {
	if len(v) < 8 {
		return 0, null
	}
	v = bytes.Trim(v, blanks)
	v, _, more := bytes.Cut(v, []byte{' '})
	days, rest, found := day(v)
	switch {
	case found == null, len(rest) > 0, days != int64(int32(days)):
		return 0, null
	case more:
		found = other
	}
	return arrow.Date32(days), found
}

// timestamp reads timestamps in a unit; finer digits are cut off.
func timestamp(unit arrow.TimeUnit) func([]byte) (arrow.Timestamp, verdict) {
	per := int64(unit.Multiplier()) // nanoseconds
	return func(v []byte) (arrow.Timestamp, verdict) {
		if len(v) < 8 {
			return 0, null
		}
		seconds, nanos, found := moment(bytes.Trim(v, blanks))
		if found == null {
			return 0, null
		}
		if one := int64(1e9) / per; seconds > math.MaxInt64/one-1 || seconds < math.MinInt64/one+1 {
			return 0, far
		}
		return arrow.Timestamp(seconds*(1e9/per) + nanos/per), found
	}
}

// moment reads a date and a time of day, apart from each other by a blank, or as ISO 8601 has it by a T.
func moment(v []byte) (seconds, nanos int64, found verdict) {
	days, rest, found := day(v)
	if found == null || len(rest) == 0 {
		return 0, 0, null
	}
	iso := rest[0]|0x20 == 't'
	if iso && (found != exact || len(v)-len(rest) != len("2006-01-02") || len(rest) < len("T15:04")) || !iso && rest[0] != ' ' {
		return 0, 0, null
	}
	var part [3]int64
	v = rest[1:]
	for i := range part {
		if i > 0 {
			if len(v) == 0 && iso && i == 2 {
				break
			}
			if len(v) == 0 || v[0] != ':' {
				return 0, 0, null
			}
			v = v[1:]
		}
		n, rest, ok := number(v, 2)
		if !ok || iso && len(v)-len(rest) != 2 {
			return 0, 0, null
		}
		part[i], v = n, rest
	}
	if len(v) > 0 {
		if v[0] != '.' {
			return 0, 0, null
		}
		n, rest, ok := number(v[1:], 9)
		if len(rest) > 0 || !ok && !iso {
			return 0, 0, null
		}
		for i := len(v) - 1; i < 9; i++ {
			n *= 10
		}
		nanos = n
	}
	if part[0] > 23 || part[1] > 59 || part[2] > 59 {
		if iso {
			return 0, 0, null
		}
		found = other
	}
	return days*86400 + part[0]*3600 + part[1]*60 + part[2], nanos, found
}
