package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
)

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func rfc(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ago is how long something has been going on.
func ago(t time.Time) string { return lasted(max(0, time.Since(t))) }

func lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// brief is the text of a value of a type, as files and plans name types: one of a time has no zeros at the end of its fraction.
func brief(of, value string) string {
	if drawing.Kind(of) == "times" {
		return celltext.WithoutZeros(value)
	}
	return value
}
