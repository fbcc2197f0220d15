package expr

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

const (
	nanosPerSecond = int64(1_000_000_000)
	secondsPerDay  = int64(86_400)
	nanosPerDay    = secondsPerDay * nanosPerSecond
	maxYear        = 292_277_026_596 // the last whose seconds fit int64
)

var (
	errDate      = errors.New("a date is written as 2020-01-31")
	errTimestamp = errors.New("a timestamp is written as 2020-01-31 10:00:00.123456789, and Z or +02:00 if it has a zone")
	errTime      = errors.New("a time is written as 10:00:00.123456789")
	errDuration  = errors.New("a duration is written as 1d2h3m4.5s6ms7us8ns, any part of it")
	errRange     = errors.New("out of the range of nanoseconds in int64; give fewer digits after the second")
)

// unitNanos are the nanoseconds of each arrow.TimeUnit, unitDigits its digits after the second.
var (
	unitNanos  = [...]int64{arrow.Second: nanosPerSecond, arrow.Millisecond: 1e6, arrow.Microsecond: 1e3, arrow.Nanosecond: 1}
	unitDigits = [...]int{arrow.Second: 0, arrow.Millisecond: 3, arrow.Microsecond: 6, arrow.Nanosecond: 9}
	unitText   = [...]string{arrow.Second: "s", arrow.Millisecond: "ms", arrow.Microsecond: "us", arrow.Nanosecond: "ns"}
)

// daysOf counts the days from 1970-01-01 in the proleptic Gregorian calendar, in which a year starts in March.
func daysOf(year, month, day int64) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
}

// dateOf is the inverse of daysOf.
func dateOf(days int64) (year, month, day int64) {
	days += 719468
	era := floorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	mp := (5*dayOfYear + 2) / 153
	year, month, day = yearOfEra+era*400, (mp+2)%12+1, dayOfYear-(153*mp+2)/5+1
	if month <= 2 {
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// number2 reads two digits at the start of s.
func number2(s string) (int64, string, bool) {
	if len(s) < 2 || digits(s[:2]) != 2 {
		return 0, s, false
	}
	return int64(s[0]-'0')*10 + int64(s[1]-'0'), s[2:], true
}

// readDate reads [sign] YYYY-MM-DD, with more digits for later years, and returns what follows.
func readDate(s string) (days int64, rest string, ok bool) {
	sign := int64(1)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	n := digits(s)
	if n < 4 || n > 12 {
		return 0, s, false
	}
	year, _ := strconv.ParseInt(s[:n], 10, 64)
	year *= sign
	if s = s[n:]; s == "" || s[0] != '-' || year > maxYear || year < -maxYear {
		return 0, s, false
	}
	month, s, ok := number2(s[1:])
	if !ok || s == "" || s[0] != '-' || month < 1 || month > 12 {
		return 0, s, false
	}
	day, s, ok := number2(s[1:])
	if !ok || day < 1 || day > 31 {
		return 0, s, false
	}
	days = daysOf(year, month, day)
	_, m, d := dateOf(days)
	return days, s, m == month && d == day // else the month has no such day
}

// readTime reads HH:MM[:SS[.fraction]] and returns what follows; the unit is the coarsest that holds the fraction.
func readTime(s string) (nanos int64, unit arrow.TimeUnit, rest string, ok bool) {
	h, s, ok := number2(s)
	if !ok || h > 23 || s == "" || s[0] != ':' {
		return 0, 0, s, false
	}
	m, s, ok := number2(s[1:])
	if !ok || m > 59 {
		return 0, 0, s, false
	}
	nanos = (h*60 + m) * 60 * nanosPerSecond
	if s == "" || s[0] != ':' {
		return nanos, arrow.Second, s, true
	}
	sec, s, ok := number2(s[1:])
	if !ok || sec > 59 {
		return 0, 0, s, false
	}
	nanos += sec * nanosPerSecond
	if s == "" || s[0] != '.' {
		return nanos, arrow.Second, s, true
	}
	n := digits(s[1:])
	if n == 0 || n > 9 {
		return 0, 0, s, false
	}
	frac, _ := strconv.ParseInt((s[1:1+n] + "00000000")[:9], 10, 64)
	for unit = arrow.Second; unitDigits[unit] < n; unit++ {
	}
	return nanos + frac, unit, s[1+n:], true
}

// readZone reads Z, ±HH, ±HHMM or ±HH:MM, all of s.
func readZone(s string) (seconds int64, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	h, rest, ok := number2(s[1:])
	if !ok || h > 23 {
		return 0, false
	}
	var m int64
	if rest != "" {
		if m, rest, ok = number2(strings.TrimPrefix(rest, ":")); !ok || rest != "" || m > 59 {
			return 0, false
		}
	}
	return sign * (h*3600 + m*60), true
}

func parseDate(s string) (scalar.Scalar, error) {
	days, rest, ok := readDate(s)
	if !ok || rest != "" {
		return nil, errDate
	}
	if int64(int32(days)) == days {
		return scalar.NewDate32Scalar(arrow.Date32(days)), nil
	}
	const perDay = secondsPerDay * 1000
	if millis := days * perDay; millis/perDay == days {
		return scalar.NewDate64Scalar(arrow.Date64(millis)), nil
	}
	return nil, errors.New("a date out of the range of milliseconds in int64")
}

// parseTimestamp reads a date, or a date and time with or without a zone; a zone makes it an instant in UTC.
func parseTimestamp(s string) (scalar.Scalar, error) {
	days, rest, ok := readDate(s)
	if !ok {
		return nil, errTimestamp
	}
	t := &arrow.TimestampType{Unit: arrow.Second}
	var nanos, zone int64
	if rest != "" {
		if rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't' {
			return nil, errTimestamp
		}
		if nanos, t.Unit, rest, ok = readTime(rest[1:]); !ok {
			return nil, errTimestamp
		}
		if rest = strings.TrimPrefix(rest, " "); rest != "" {
			if zone, ok = readZone(rest); !ok {
				return nil, errTimestamp
			}
			t.TimeZone = "UTC"
		}
	}
	v := new(big.Int).Mul(big.NewInt(days), big.NewInt(nanosPerDay))
	v.Add(v, big.NewInt(nanos-zone*nanosPerSecond))
	if v.Quo(v, big.NewInt(unitNanos[t.Unit])); !v.IsInt64() { // exact: the unit holds the fraction
		return nil, errRange
	}
	return scalar.NewTimestampScalar(arrow.Timestamp(v.Int64()), t), nil
}

func parseTime(s string) (scalar.Scalar, error) {
	nanos, unit, rest, ok := readTime(s)
	if !ok || rest != "" {
		return nil, errTime
	}
	v := nanos / unitNanos[unit]
	if unit <= arrow.Millisecond {
		return scalar.NewTime32Scalar(arrow.Time32(v), &arrow.Time32Type{Unit: unit}), nil
	}
	return scalar.NewTime64Scalar(arrow.Time64(v), &arrow.Time64Type{Unit: unit}), nil
}

var durationUnits = map[string]int64{
	"d": nanosPerDay, "h": 3600 * nanosPerSecond, "m": 60 * nanosPerSecond, "s": nanosPerSecond,
	"ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1,
}

// parseDuration reads [-] followed by numbers with units, exactly.
func parseDuration(s string) (scalar.Scalar, error) {
	rest := strings.TrimPrefix(s, "-")
	if rest == "" || len(rest) > 200 {
		return nil, errDuration
	}
	sum := new(big.Rat)
	for rest != "" {
		n := digits(rest)
		if n > 0 && n < len(rest) && rest[n] == '.' {
			n += 1 + digits(rest[n+1:])
		}
		v, ok := new(big.Rat).SetString(rest[:n])
		u := strings.IndexFunc(rest[n:], func(r rune) bool { return r >= '0' && r <= '9' })
		if u < 0 {
			u = len(rest) - n
		}
		unit := durationUnits[rest[n:n+u]]
		if n == 0 || !ok || unit == 0 {
			return nil, errDuration
		}
		sum.Add(sum, v.Mul(v, new(big.Rat).SetInt64(unit)))
		rest = rest[n+u:]
	}
	if !sum.IsInt() {
		return nil, errors.New("a duration finer than a nanosecond")
	}
	if s[0] == '-' {
		sum.Neg(sum)
	}
	for unit := arrow.Second; unit <= arrow.Nanosecond; unit++ {
		q, r := new(big.Int).QuoRem(sum.Num(), big.NewInt(unitNanos[unit]), new(big.Int))
		if r.Sign() == 0 && q.IsInt64() {
			return scalar.NewDurationScalar(arrow.Duration(q.Int64()), &arrow.DurationType{Unit: unit}), nil
		}
	}
	return nil, errRange
}

func dateText(days int64) string {
	y, m, d := dateOf(days)
	sign := ""
	if y < 0 {
		sign, y = "-", -y
	}
	return fmt.Sprintf("%s%04d-%02d-%02d", sign, y, m, d)
}

// timeText writes a time of day with the digits of the unit.
func timeText(v int64, unit arrow.TimeUnit) string {
	perSecond := nanosPerSecond / unitNanos[unit]
	s := v / perSecond
	out := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if n := unitDigits[unit]; n > 0 {
		out += fmt.Sprintf(".%0*d", n, v%perSecond)
	}
	return out
}

func timestampText(v int64, unit arrow.TimeUnit, zoned bool) string {
	perDay := nanosPerDay / unitNanos[unit]
	days := floorDiv(v, perDay)
	out := dateText(days) + " " + timeText(v-days*perDay, unit)
	if zoned {
		out += "Z"
	}
	return out
}
