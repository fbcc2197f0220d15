package orcwire

import (
	"errors"
	"fmt"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// ValueError is the trouble with one of the values that a call was to decode; Index counts those, from 0, without nulls,
// as the call did. Callers that know which row that is say so. It comes wrapped in an *errs.Error.
type ValueError struct {
	Index int
	Err   error
}

// Error names the value by its index.
func (e *ValueError) Error() string { return fmt.Sprintf("value %d: %v", e.Index, e.Err) }

// Unwrap returns what is wrong with the value.
func (e *ValueError) Unwrap() error { return e.Err }

func badValue(k errs.Kind, index int, format string, args ...any) error {
	return errs.Errorf(k, "%w", &ValueError{Index: index, Err: fmt.Errorf(format, args...)})
}

// offsetIndex returns err with by added to the index of a ValueError in it, which must be fresh.
func offsetIndex(err error, by int) error {
	var v *ValueError
	if errors.As(err, &v) {
		v.Index += by
	}
	return err
}

// TimeUnit is the unit of Arrow's timestamps.
type TimeUnit uint8

// Units.
const (
	Nanosecond TimeUnit = iota
	Microsecond
	Millisecond
	Second
)

// timeUnit has how many of a unit make a second, and nanoseconds/unit as a product: n * recip >> shift is exact for
// nanoseconds below 2^30.
type timeUnit struct {
	name        string
	perSecond   int64
	perNano     int64 // nanoseconds of a unit
	recip       uint64
	shift       uint8
	least, most int64 // seconds that fit, whatever nanoseconds follow
}

var timeUnits = [...]timeUnit{
	Nanosecond:  {"ns", 1e9, 1, 1, 0, -9223372036, 9223372035},
	Microsecond: {"us", 1e6, 1e3, 1<<40/1_000 + 1, 40, -9223372036854, 9223372036853},
	Millisecond: {"ms", 1e3, 1e6, 1<<50/1_000_000 + 1, 50, -9223372036854775, 9223372036854774},
	Second:      {"s", 1, 1e9, 0, 0, math.MinInt64, math.MaxInt64},
}

// String returns "ns", "us", "ms" or "s".
func (u TimeUnit) String() string { return timeUnits[u].name }

// Timestamps makes Arrow's timestamps of the two numbers that ORC stores of each (specification, "Timestamp Columns").
// The zero value decodes what was written in UTC, to nanoseconds.
type Timestamps struct {
	Zone   *Zone // of the writer, for TIMESTAMP; nil = UTC, and for TIMESTAMP_INSTANT
	Hybrid bool  // days before 1582-10-15 are Julian
	// Finely says that the writer rounded seconds towards zero for any fraction, be it less than a millisecond: Trino.
	Finely bool
	Unit   TimeUnit
	Whole  bool // digits finer than microseconds are errs.ErrSchema
}

// timeBlock is how many values go through the passes of Combine at once: few enough to stay in the nearest cache.
const timeBlock = 256

var noNanos [timeBlock]int64

// timesByVectors is a variable for the sake of tests.
var timesByVectors = true

// Combine takes the stored seconds of timestamps in dst and their stored nanoseconds, as DATA and SECONDARY have them,
// and leaves in dst what clocks showed, in t.Unit since 1970-01-01 00:00:00, truncated towards the past. nanos is only
// read; nil stands for zeros.
//
// Seconds count from 2015-01-01 00:00:00 of the zone. Nanoseconds have their trailing zeros cut off and their number in
// the lowest three bits. Seconds were rounded towards zero by the writer where there was a fraction of a millisecond or
// more (or any, see Finely), so such a time before 1970 is a second earlier than stored: a time in the last second before 1970 comes back a
// second late, and nothing can be done about that. The C++ writer stores negative nanoseconds before 1970: these count
// backwards.
//
// A value that does not fit the unit is errs.ErrSchema with a *ValueError, nanoseconds beyond a second are
// errs.ErrCorrupt with one. After an error dst is undefined.
func (t *Timestamps) Combine(dst, nanos []int64) error {
	zone := t.Zone
	if zone == nil {
		zone = UTC
	}
	if t.Whole {
		if err := wholeMicros(nanos); err != nil {
			return err
		}
	}
	unit := &timeUnits[t.Unit]
	offset, fixed := zone.Fixed()
	utc := fixed && offset == 0
	// What passes the checks of the fast way needs no other: these leave room for offsets and calendars.
	least, most := max(unit.least, -1<<40), min(unit.most, 1<<40)
	if t.Hybrid {
		least = max(least, switchSec)
	}
	rule := bitpack.TimeRule{Epoch: zone.epoch, Kept: t.kept(), Least: least, Most: most, PerSecond: unit.perSecond, Recip: unit.recip, Shift: uint64(unit.shift), Zeros: nanoZeros}
	var secs, subs [timeBlock]int64
	for at, k := 0, 0; at < len(dst); at += k {
		d := dst[at:min(at+timeBlock, len(dst))]
		k = len(d)
		n := noNanos[:len(d)]
		if nanos != nil {
			n = nanos[at:][:len(d)]
		}
		if utc && (nanos == nil || allZero(n)) && wholeSeconds(d, zone.epoch, unit.perSecond, least, most) {
			continue
		}
		if utc && timesByVectors {
			if v := bitpack.Times(secs[:len(d)], d, n, &rule); v > 0 {
				k = copy(d, secs[:v])
				continue
			}
		}
		s, f := secs[:len(d)], subs[:len(d)]
		if !instants(s, f, d, n, zone.epoch, t.kept()) {
			if err := t.slow(d, n, zone, at); err != nil {
				return err
			}
			continue
		}
		if !utc {
			zone.Local(s)
		}
		if !toUnit(d, s, f, unit, least, most) {
			if err := t.finish(d, s, f, unit, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeMicros refuses stored nanoseconds that are not whole microseconds.
func wholeMicros(nanos []int64) error {
	for i, x := range nanos {
		if (x>>3)*int64(nanoZeros[x&7])%1000 != 0 {
			return badValue(errs.ErrSchema, i, "a timestamp has digits finer than a microsecond, and the column is read in microseconds; %w cuts such digits off", errs.Opt("timestamp-unit", "us"))
		}
	}
	return nil
}

// kept returns how many nanoseconds a time before 1970 may have whose seconds are as stored.
func (t *Timestamps) kept() int64 {
	if t.Finely {
		return 0
	}
	return 999_999
}

var nanoZeros = [8]uint32{1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// allZero reports whether all values are 0.
func allZero(v []int64) bool {
	for ; len(v) >= 8; v = v[8:] {
		x := (*[8]int64)(v)
		if x[0]|x[1]|x[2]|x[3]|x[4]|x[5]|x[6]|x[7] != 0 {
			return false
		}
	}
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// wholeSeconds replaces stored seconds, of times that have no fraction, by times in a unit. False: some second is not in [least, most], and dst is as it
// was.
func wholeSeconds(dst []int64, epoch, perSecond, least, most int64) bool {
	// A second that overflows is far from [least, most], which ends 1<<40 seconds from 1970 at most.
	from, width := epoch-least, uint64(most-least)
	var bad uint64
	rest := dst
	for ; len(rest) >= 4; rest = rest[4:] {
		q := (*[4]int64)(rest)
		a, b, c, d := uint64(q[0]+from), uint64(q[1]+from), uint64(q[2]+from), uint64(q[3]+from)
		bad |= a | b | c | d | (width - a) | (width - b) | (width - c) | (width - d)
	}
	for _, raw := range rest {
		x := uint64(raw + from)
		bad |= x | (width - x)
	}
	if bad>>63 != 0 {
		return false
	}
	for ; len(dst) >= 4; dst = dst[4:] {
		q := (*[4]int64)(dst)
		q[0], q[1], q[2], q[3] = (q[0]+epoch)*perSecond, (q[1]+epoch)*perSecond, (q[2]+epoch)*perSecond, (q[3]+epoch)*perSecond
	}
	for i, raw := range dst {
		dst[i] = (raw + epoch) * perSecond
	}
	return true
}

// instants decodes seconds since 1970 and nanoseconds. False: some value needs a closer look, and the results are void.
func instants(secs, subs, stored, nanos []int64, epoch, kept int64) bool {
	subs, stored, nanos = subs[:len(secs)], stored[:len(secs)], nanos[:len(secs)]
	var large, bad uint64
	for i, raw := range stored {
		x := nanos[i]
		n := x >> 3
		back := n >> 63 // -1 where nanoseconds count backwards
		large |= uint64(n ^ back)
		n *= int64(nanoZeros[x&7])
		bad |= uint64(999_999_999-n) | uint64(999_999_999+n)
		// Far outside of anything: what follows would overflow.
		bad |= uint64(raw+1<<62) | uint64(1<<62-raw)
		s := raw + epoch
		s += s>>63&((kept-n)>>63) + back
		secs[i] = s
		subs[i] = n + back&1_000_000_000
	}
	return large>>30 == 0 && bad>>63 == 0
}

// toUnit fills dst; false if some second is not in [least, most], and then dst is void.
func toUnit(dst, secs, subs []int64, u *timeUnit, least, most int64) bool {
	secs, subs = secs[:len(dst)], subs[:len(dst)]
	var bad int64
	if u.perNano == 1 {
		for i := range dst {
			s := secs[i]
			bad |= (s - least) | (most - s)
			dst[i] = s*1e9 + subs[i]
		}
		return bad >= 0
	}
	mul, recip, shift := u.perSecond, u.recip, u.shift&63
	for i := range dst {
		s := secs[i]
		bad |= (s - least) | (most - s)
		dst[i] = s*mul + int64(uint64(subs[i])*recip>>shift)
	}
	return bad >= 0
}

// slow decodes values among which some are not plain.
func (t *Timestamps) slow(dst, nanos []int64, zone *Zone, at int) error {
	var secs, subs [timeBlock]int64
	for i, raw := range dst {
		n := nanos[i] >> 3
		zeros := int64(nanoZeros[nanos[i]&7])
		if n > 999_999_999 || n < -999_999_999 || n*zeros > 999_999_999 || n*zeros < -999_999_999 {
			return badValue(errs.ErrCorrupt, at+i, "%d nanoseconds with %d zeros are more than a second", n, nanos[i]&7)
		}
		n *= zeros
		s := raw + zone.epoch
		// An offset or a calendar moves a time by less than a quarter of what all time is since.
		if raw < -1<<62 || raw > 1<<62 {
			return badValue(errs.ErrCorrupt, at+i, "%d seconds since 2015 are no time", raw)
		}
		if s < 0 && n > t.kept() {
			s--
		}
		if n < 0 {
			s--
			n += 1e9
		}
		secs[i], subs[i] = s, n
	}
	zone.Local(secs[:len(dst)])
	return t.finish(dst, secs[:len(dst)], subs[:], &timeUnits[t.Unit], at)
}

// finish converts clock times that need the calendar, or may not fit the unit.
func (t *Timestamps) finish(dst, secs, subs []int64, u *timeUnit, at int) error {
	if t.Hybrid {
		HybridSeconds(secs)
	}
	for i, s := range secs {
		v, ok := u.of(s, subs[i])
		if !ok {
			unfit := errs.ErrBeyondNanoseconds
			if u.name != "ns" {
				unfit = fmt.Errorf("does not fit timestamp[%s]", u.name)
			}
			return badValue(errs.ErrSchema, at+i, "a timestamp %d seconds from 1970 %w; %w can hold it", s, unfit, errs.Opt("timestamp-unit", holder(s, subs[i]).String()))
		}
		dst[i] = v
	}
	return nil
}

// of returns a time in the unit, and whether it fits.
func (u *timeUnit) of(s, nanos int64) (int64, bool) {
	sub := nanos / u.perNano
	switch {
	case s >= u.least && s <= u.most:
		return s*u.perSecond + sub, true
	case s == u.most+1:
		v := s * u.perSecond
		return v + sub, sub <= math.MaxInt64-v
	case s == u.least-1:
		v := u.least*u.perSecond - math.MinInt64 // what is left below the least second
		return math.MinInt64 + v - (u.perSecond - sub), u.perSecond-sub <= v
	}
	return 0, false
}

// holder returns the finest unit that holds a time.
func holder(s, nanos int64) TimeUnit {
	for u := Nanosecond; u < Second; u++ {
		if _, ok := timeUnits[u].of(s, nanos); ok {
			return u
		}
	}
	return Second
}
