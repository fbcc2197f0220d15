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

// CalendarOf asks a file for its calendar: one that does not know counts as Arrow does.
func CalendarOf(f File) Calendar {
	if c, ok := As[interface{ Calendar() Calendar }](f); ok {
		return c.Calendar()
	}
	return ProlepticCalendar
}
