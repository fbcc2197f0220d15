package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
)

// How long text of files may be where it is shown: a name, a value, a message.
const (
	nameLimit    = 200
	valueLimit   = 160
	messageLimit = 2000
)

// text makes a message or a fact fit to be shown.
func text(s string) string { return clipped(s, messageLimit) }

// short makes a name fit to be shown.
func short(s string) string { return clipped(s, nameLimit) }

// named is short for what may have no name.
func named(s string) string {
	if s == "" {
		return `""`
	}
	return short(s)
}

func clipped(s string, n int) string {
	s, cut := celltext.Clip(s, n)
	s = celltext.Printable(s)
	if cut {
		s += "…"
	}
	return s
}

// byteCount is a size for people; exact is the same to the byte.
func byteCount(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return strings.ReplaceAll(humanize.IBytes(uint64(n)), " ", "\u00a0")
}

func exact(n int64) string { return humanize.Comma(n) + " bytes" }

// count is how many there are, where that may not be known.
func count(n int64) string {
	if n == arrowio.UnknownRows {
		return "unknown"
	}
	return humanize.Comma(n)
}

func number(n int) string { return humanize.Comma(int64(n)) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

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

// ratio is how many times smaller something is stored.
func ratio(stored, raw int64) string {
	if stored <= 0 || raw <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(raw)/float64(stored), 'f', 2, 64)
}

// px is a length of a drawing.
func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
