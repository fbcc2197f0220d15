package orctable

import "github.com/arrowio/arrowio/arrowio"

// Calendar implements arrowio.Calendared: that of all files with rows.
func (t *Table) Calendar() arrowio.Calendar {
	var all arrowio.Calendar
	known := false
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			if d != nil && d.kind == deleteDelta {
				continue
			}
			for _, f := range p.in(d) {
				switch {
				case f.rows == 0:
				case known && all != f.calendar:
					return arrowio.SeveralCalendars
				default:
					all, known = f.calendar, true
				}
			}
		}
	}
	return all
}
