package orc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// timestampStats is about timestamp and timestamp with local time zone, in UTC. A time in the last second before 1970 that
// has milliseconds counts as a second later, which is how it comes back (docs/formats/orc.md, "Timestamps"). A time that
// milliseconds cannot hold counts as the last one they can.
type timestampStats struct {
	levels[timestampFacts, *timestampFacts]
}

type timestampFacts struct {
	has          bool
	least, great moment
}

// moment is a time as statistics have it: milliseconds since 1970-01-01 00:00:00, and nanoseconds behind them.
type moment struct {
	ms    int64
	nanos int32
}

func (m moment) less(o moment) bool { return m.ms < o.ms || m.ms == o.ms && m.nanos < o.nanos }

func (f *timestampFacts) merge(o *timestampFacts) {
	if !o.has {
		return
	}
	if !f.has || o.least.less(f.least) {
		f.least = o.least
	}
	if !f.has || f.great.less(o.great) {
		f.great = o.great
	}
	f.has = true
}

func (f *timestampFacts) reset() { *f = timestampFacts{} }

func (f *timestampFacts) tell(s *orcwire.ColumnStats) {
	s.Timestamp = &orcwire.TimestampStats{MaxNanos: 999_999}
	if f.has {
		s.Timestamp.MinUTC, s.Timestamp.MaxUTC = new(f.least.ms), new(f.great.ms)
		s.Timestamp.MinNanos, s.Timestamp.MaxNanos = f.least.nanos, f.great.nanos
	}
}

// add adds values to the open row group: times since 1970-01-01 00:00:00 of the clock, or of UTC.
func (s *timestampStats) add(values []int64, unit arrow.TimeUnit) {
	second := perSecond(unit)
	for len(values) > 0 {
		b := values[:min(len(values), statsBlock)]
		values = values[len(b):]
		e, _ := extentOf(b)
		if e.least < 0 && e.great >= second/1000-second {
			e = storedExtent(b, second)
		}
		o := timestampFacts{true, momentOf(e.least, second), momentOf(e.great, second)}
		s.group.facts.merge(&o)
	}
}

// perSecond returns how many of a unit make a second.
func perSecond(unit arrow.TimeUnit) int64 {
	switch unit {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	}
	return 1e9
}

// storedTime returns a time as it comes back from a file: a second later if it lies in the last before 1970 and has
// milliseconds. Whole seconds have none, and come back as they are.
func storedTime(v, second int64) int64 {
	if uint64(v+second-second/1000) < uint64(second-second/1000) && second > 1 {
		return v + second
	}
	return v
}

func storedExtent(v []int64, second int64) extent {
	var e extent
	for _, x := range v {
		x = storedTime(x, second)
		e.widen(x, x)
	}
	return e
}

// momentOf splits a time.
func momentOf(v, second int64) moment {
	if second == 1 {
		switch {
		case v > math.MaxInt64/1000:
			return moment{math.MaxInt64, 0}
		case v < math.MinInt64/1000:
			return moment{math.MinInt64, 0}
		}
		return moment{v * 1000, 0}
	}
	per := second / 1000
	ms, rest := v/per, v%per
	if rest < 0 {
		ms, rest = ms-1, rest+per
	}
	return moment{ms, int32(rest * (1e6 / per))}
}
