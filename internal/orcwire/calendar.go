package orcwire

// Days and seconds that Java's ORC writer did not mark as proleptic are counted in its hybrid calendar: Julian up to
// 1582-10-04, Gregorian from the next day, 1582-10-15, on (Footer.calendar). Arrow's are Gregorian throughout. What
// people mean by a date is its year, month and day, so the conversions here keep these and change the count.
//
// 29 February of a century that only the Julian calendar gives one becomes 1 March, and the ten days that the hybrid
// calendar left out become the Julian days of that name; Java does both likewise. Years before 1 are counted
// astronomically, with a year 0, and keep their number; Java loses their sign.

const (
	switchDay  = -141427 // 1582-10-15
	switchSec  = switchDay * 86400
	julianZero = -719470 // 0000-03-01 of the Julian calendar
	gregorZero = -719468 // 0000-03-01 of the Gregorian calendar
)

// HybridDays turns days since 1970-01-01 of the hybrid calendar into those of the proleptic Gregorian one, as Arrow's
// date32 has them. It fits every int32.
func HybridDays(days []int32) {
	least := int32(switchDay)
	for _, d := range days {
		least = min(least, d)
	}
	if least >= switchDay {
		return
	}
	for i, d := range days {
		if d < switchDay {
			days[i] = int32(HybridToProleptic(int64(d)))
		}
	}
}

// HybridSeconds does the same for seconds since 1970-01-01 00:00:00 of a clock: the time of day stays as it is.
func HybridSeconds(secs []int64) {
	least := int64(switchSec)
	for _, s := range secs {
		least = min(least, s)
	}
	if least >= switchSec {
		return
	}
	for i, s := range secs {
		if s < switchSec {
			d := floorDiv(s, 86400)
			secs[i] = s + (HybridToProleptic(d)-d)*86400
		}
	}
}

// ProlepticDays is the inverse of HybridDays, for writing; what has no inverse is described above. It fits every int32
// that HybridDays returns; what would leave int32 wraps.
func ProlepticDays(days []int32) {
	for i, d := range days {
		if d < switchDay {
			days[i] = int32(ProlepticToHybrid(int64(d)))
		}
	}
}

// HybridToProleptic converts one day; those of int64 seconds all fit.
func HybridToProleptic(day int64) int64 {
	if day >= switchDay {
		return day
	}
	// Years begin in March, so that the leap day is the last.
	n := day - julianZero
	cycle := floorDiv(n, 1461)
	n -= cycle * 1461
	year := min(n/365, 3)
	n -= year * 365
	year += cycle * 4
	century := floorDiv(year, 100)
	return gregorZero + year*365 + floorDiv(year, 4) - century + floorDiv(century, 4) + n
}

// ProlepticToHybrid converts one day.
func ProlepticToHybrid(day int64) int64 {
	if day >= switchDay {
		return day
	}
	n := day - gregorZero
	era := floorDiv(n, 146097)
	n -= era * 146097
	century := min(n/36524, 3)
	n -= century * 36524
	cycle := n / 1461
	n -= cycle * 1461
	year := min(n/365, 3)
	n -= year * 365
	year += era*400 + century*100 + cycle*4
	return julianZero + year*365 + floorDiv(year, 4) + n
}

// floorDiv divides rounding towards minus infinity; d > 0.
func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
