package arrowio

// Calendar is what the numbers of a file count days and seconds in, where they are cast to times. Times that a file stores
// as such are shown in the proleptic calendar whatever it says.
type Calendar uint8

// Calendars.
const (
	ProlepticCalendar Calendar = iota // Gregorian throughout, as Arrow's
	HybridCalendar                    // Julian before 1582-10-15
	SeveralCalendars                  // the parts of the file differ
)

// Calendared is a File that knows its calendar. What wraps one passes it on.
type Calendared interface {
	Calendar() Calendar
}

// CalendarOf asks a file for its calendar: one that does not know counts as Arrow does.
func CalendarOf(f File) Calendar {
	if c, ok := f.(Calendared); ok {
		return c.Calendar()
	}
	return ProlepticCalendar
}

// Calendar implements Calendared.
func (a *adapted) Calendar() Calendar { return CalendarOf(a.File) }
