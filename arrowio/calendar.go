package arrowio

// Calendar is the calendar in which the numbers of a file count days and seconds, if they are cast to dates or times. It does not
// matter for columns that the file stores as dates and times: these are always shown in the proleptic calendar.
type Calendar uint8

// The calendars.
const (
	ProlepticCalendar Calendar = iota // Gregorian for all dates, as in Arrow
	HybridCalendar                    // Julian before 1582-10-15
	SeveralCalendars                  // the parts of the file differ
)

// CalendarOf returns the calendar of a file; ProlepticCalendar if the file does not know it.
func CalendarOf(f File) Calendar {
	if c, ok := As[interface{ Calendar() Calendar }](f); ok {
		return c.Calendar()
	}
	return ProlepticCalendar
}
