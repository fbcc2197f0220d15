package orcwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
)

// TimestampsOut writes a column of timestamps in UTC: the reverse of Timestamps with the zone UTC, which the stripe
// footer must name for TIMESTAMP. Open comes first.
//
// A time from the last second before 1970 with a millisecond of fraction or more is stored as a second later, as Java's
// writer does it: no stored number would be read back right, whoever reads. Late counts them.
type TimestampsOut struct {
	Late  int64 // since Open
	Tight bool  // as IntsOut has it

	unit    TimeUnit
	seconds IntsOut[int64]
	nanos   IntsOut[int64]
}

// epoch2015 is 2015-01-01 00:00:00 UTC, in seconds since 1970.
const epoch2015 = 1420070400

// Open makes w write seconds and nanoseconds of times in a unit, in runs of version 2 or 1.
func (w *TimestampsOut) Open(seconds, nanos *Out, v2 bool, unit TimeUnit) {
	w.Late, w.unit = 0, unit
	w.seconds.Tight, w.nanos.Tight = w.Tight, w.Tight
	w.seconds.Open(seconds, v2, true)
	w.nanos.Open(nanos, v2, false)
}

// Put writes times, since 1970-01-01 00:00:00 in the unit of Open. It does not keep src. A time further than 2^61 seconds
// from 1970 is errs.ErrSchema with a *ValueError: no reader takes those. Then nothing of src has been written.
func (w *TimestampsOut) Put(src []int64) error {
	u := &timeUnits[w.unit]
	if w.unit == Second {
		for i, v := range src {
			if v > 1<<61 || v < -1<<61 {
				return badValue(errs.ErrSchema, i, "a timestamp %d seconds from 1970 does not fit ORC", v)
			}
		}
	}
	var secs, subs [timeBlock]int64
	for len(src) > 0 {
		n := min(len(src), timeBlock)
		if parts(secs[:n], subs[:n], src, w.unit) {
			w.truncate(secs[:n], src, u)
		}
		w.seconds.Put(secs[:n])
		if w.unit == Second {
			w.nanos.Repeat(0, n)
		} else {
			w.nanos.Put(subs[:n])
		}
		src = src[n:]
	}
	return nil
}

// parts cuts times into seconds since 2015 and coded nanoseconds. It reports whether some are before 1970.
func parts(secs, subs, src []int64, u TimeUnit) bool {
	src, subs = src[:len(secs)], subs[:len(secs)]
	var signs int64
	switch u {
	case Nanosecond:
		for i, v := range src {
			s := v / 1e9
			n := v - s*1e9
			less := n >> 63
			signs |= v
			secs[i], subs[i] = s+less-epoch2015, codeNanos(uint64(n+less&1e9))
		}
	case Microsecond:
		for i, v := range src {
			s := v / 1e6
			n := v - s*1e6
			less := n >> 63
			signs |= v
			secs[i], subs[i] = s+less-epoch2015, codeMicros(uint64(n+less&1e6))
		}
	case Millisecond:
		for i, v := range src {
			s := v / 1e3
			n := v - s*1e3
			less := n >> 63
			signs |= v
			secs[i], subs[i] = s+less-epoch2015, millis[(n+less&1e3)%1e3]
		}
	case Second:
		for i, v := range src {
			secs[i] = v - epoch2015
		}
	}
	return signs < 0
}

// truncate brings seconds before 1970 to what readers expect where there is a millisecond or more behind them.
func (w *TimestampsOut) truncate(secs, src []int64, u *timeUnit) {
	for i, s := range secs {
		if s += epoch2015; s >= 0 {
			continue
		}
		n := src[i] % u.perSecond
		if n < 0 {
			n += u.perSecond
		}
		if n*u.perNano > 999_999 {
			secs[i]++
			if s == -1 {
				w.Late++
			}
		}
	}
}

// Nanoseconds without their trailing zeros, if there are two or more; the lowest three bits tell how many, less one.

// millis has the code of so many milliseconds.
var millis = makeMillis()

func makeMillis() (t [1000]int64) {
	for ms := range t {
		n, z := int64(ms), int64(6)
		for ; n > 0 && n%10 == 0; n /= 10 {
			z++
		}
		if n > 0 {
			t[ms] = n<<3 | (z - 1)
		}
	}
	return t
}

// micros says, for the last three digits of microseconds, what their code is and by what the digits before them count in
// it.
var micros = makeMicros()

func makeMicros() (t [1000]struct{ before, code uint32 }) {
	for us := range t {
		n, z, before := uint32(us), uint32(3), uint32(1000)
		for ; n > 0 && n%10 == 0; n /= 10 {
			z++
			before /= 10
		}
		t[us].before, t[us].code = before<<3, n<<3|(z-1)
	}
	return t
}

func codeMicros(n uint64) int64 {
	ms := n / 1000
	us := n - ms*1000
	if us == 0 {
		return millis[ms%1000]
	}
	m := &micros[us]
	return int64(ms*uint64(m.before) + uint64(m.code))
}

func codeNanos(n uint64) int64 {
	us := n / 1000
	switch ns := n - us*1000; {
	case ns == 0:
		return codeMicros(us)
	case ns%100 == 0:
		return int64(n/100)<<3 | 1
	}
	return int64(n) << 3
}

// Flush ends the runs. It flushes neither Out.
func (w *TimestampsOut) Flush() {
	w.seconds.Flush()
	w.nanos.Flush()
}

// Position flushes and appends where the next value will be: the numbers for DATA, then those for SECONDARY.
func (w *TimestampsOut) Position(dst []uint64) []uint64 {
	return w.nanos.Position(w.seconds.Position(dst))
}
