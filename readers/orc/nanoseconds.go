package orc

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// BeyondNanoseconds returns the paths of columns that are shown as timestamps in nanoseconds, but have times before 1677-09-21 or
// after 2262-04-11 according to the statistics. Reading such a time is an error, since it does not fit. unknown are the paths of
// columns whose statistics do not show whether they have such times. See Options.Microseconds.
func (f *File) BeyondNanoseconds() (beyond, unknown []string) {
	if f.unit() != arrow.Nanosecond || f.footer.Rows == 0 {
		return nil, nil
	}
	for id, t := range f.footer.Types {
		if t.Kind != orcwire.Timestamp && t.Kind != orcwire.TimestampInstant || slices.Contains(f.opt.Microseconds, t.Path()) {
			continue
		}
		s, err := f.footer.Stats.At(id) // who reads the statistics for their own sake reports what is wrong
		switch {
		case err != nil || s.Timestamp == nil || !bounded(s.Timestamp):
			unknown = append(unknown, t.Path())
		case outside(s.Timestamp, zoneDoubt):
			beyond = append(beyond, t.Path())
		case outside(s.Timestamp, -zoneDoubt):
			unknown = append(unknown, t.Path())
		}
	}
	return beyond, unknown
}

// bounded reports whether statistics have bounds.
func bounded(s *orcwire.TimestampStats) bool {
	return (s.Min != nil || s.MinUTC != nil) && (s.Max != nil || s.MaxUTC != nil)
}

// zoneDoubt is by how much bounds in statistics may be wrong, in milliseconds, since they may be in another zone.
const zoneDoubt = 86_400_000

// outside reports whether a bound of the statistics lies outside of what nanoseconds in an int64 hold, by more than so many
// milliseconds.
func outside(s *orcwire.TimestampStats, by int64) bool {
	const most = math.MaxInt64 / 1_000_000
	for _, bound := range []*int64{s.Min, s.Max, s.MinUTC, s.MaxUTC} {
		if bound != nil && (*bound > most+by || *bound < -most-by) {
			return true
		}
	}
	return false
}
