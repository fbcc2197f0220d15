package orc

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// BeyondNanoseconds returns the paths of columns that the file shows as timestamps in nanoseconds although its statistics
// tell of times before 1677-09-21 or after 2262-04-11, which these cannot hold: reading such a time is an error. unknown are
// the paths of those whose times no statistics tell of. See Options.Microseconds.
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
		case outside(s.Timestamp):
			beyond = append(beyond, t.Path())
		}
	}
	return beyond, unknown
}

// bounded reports whether statistics have bounds.
func bounded(s *orcwire.TimestampStats) bool {
	return (s.Min != nil || s.MinUTC != nil) && (s.Max != nil || s.MaxUTC != nil)
}

// outside reports whether a bound of the statistics lies outside of what nanoseconds in an int64 hold, by more than a day:
// statistics may be in another zone.
func outside(s *orcwire.TimestampStats) bool {
	const most, day = math.MaxInt64 / 1_000_000, 86_400_000 // in milliseconds
	for _, bound := range []*int64{s.Min, s.Max, s.MinUTC, s.MaxUTC} {
		if bound != nil && (*bound > most+day || *bound < -most-day) {
			return true
		}
	}
	return false
}
