package page

import (
	"fmt"
	"time"
)

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func rfc(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ago is how long something has been going on.
func ago(t time.Time) string {
	d := max(0, time.Since(t))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
