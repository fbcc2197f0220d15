package arrowio

import "testing"

type bottom struct{ File }

func (bottom) Calendar() Calendar { return HybridCalendar }

type through struct{ File }

func (t through) Unwrap() File { return t.File }

type opaque struct{ File }

func TestAs(t *testing.T) {
	for _, c := range []struct {
		f    File
		want Calendar
	}{{bottom{}, HybridCalendar}, {through{through{bottom{}}}, HybridCalendar}, {through{opaque{bottom{}}}, ProlepticCalendar}, {through{nil}, ProlepticCalendar}, {nil, ProlepticCalendar}} {
		if got := CalendarOf(c.f); got != c.want {
			t.Errorf("%T: %v, want %v", c.f, got, c.want)
		}
	}
}
