package orccast

import (
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// switchSecond is 1582-10-15, before which the calendars differ.
const switchSecond = -12219292800

// JavaOf is Java for a file whose calendar is c. orc-core takes numbers that become timestamps for seconds of the file's
// calendar; of texts it does not. Where the file's parts have several calendars, values before they meet are
// errs.ErrUnsupported.
func JavaOf(c arrowio.Calendar) view.Cast {
	return func(from, to arrow.Field) view.Casting { return java(from, to, c) }
}

// counted returns made with the times in the proleptic calendar.
func counted(made func(in *input) times, c arrowio.Calendar) func(in *input) (times, error) {
	return func(in *input) (times, error) {
		t := made(in)
		if c == arrowio.ProlepticCalendar {
			return t, nil
		}
		least := int64(switchSecond)
		for _, s := range t.secs {
			least = min(least, s)
		}
		if least >= switchSecond {
			return t, nil
		}
		for i, s := range t.secs {
			switch {
			case s >= switchSecond:
			case c == arrowio.HybridCalendar:
				t.secs[i] = fromHybrid(s)
			case in.valid(i) && !in.isDropped(i):
				return t, errs.Errorf(errs.ErrUnsupported, "%d seconds from 1970 are before 1582-10-15, and some of the files count them in the calendar of that time and some do not", s)
			}
		}
		return t, nil
	}
}

// fromHybrid keeps what clocks and calendars showed. Java prints it and reads that again, without the era: 3 BC becomes
// the year 3. What was read of a column of timestamps keeps it: see orcwire.HybridSeconds.
func fromHybrid(s int64) int64 {
	day := s / 86400
	if s%86400 < 0 {
		day--
	}
	shown := orcwire.HybridToProleptic(day)
	if y, m, d := time.Unix(shown*86400, 0).UTC().Date(); y < 1 {
		shown = dayOf(1-y, int(m), d) // 29 February becomes 1 March
	}
	return s + (shown-day)*86400
}
