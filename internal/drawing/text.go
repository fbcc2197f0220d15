package drawing

import (
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
)

// How long text of files may be where it is shown: a name, a message.
const (
	nameLimit    = 200
	messageLimit = 2000
)

// Text makes a message or a fact fit to be shown.
func Text(s string) string { return Clip(s, messageLimit) }

// Short makes a name fit to be shown.
func Short(s string) string { return Clip(s, nameLimit) }

// Named is Short for what may have no name.
func Named(s string) string {
	if s == "" {
		return `""`
	}
	return Short(s)
}

// Clip makes text fit to be shown, and cuts it after n bytes.
func Clip(s string, n int) string {
	s, cut := celltext.Clip(s, n)
	s = celltext.Printable(s)
	if cut {
		s += "…"
	}
	return s
}

// Bytes is a size for people; Exact is the same to the byte.
func Bytes(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return strings.ReplaceAll(humanize.IBytes(uint64(n)), " ", "\u00a0")
}

// Exact is a number of bytes, where that is known.
func Exact(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return humanize.Comma(n) + " bytes"
}

// Count is how many there are, where that may not be known.
func Count(n int64) string {
	if n == arrowio.UnknownRows {
		return "unknown"
	}
	return humanize.Comma(n)
}

// Number is a number with commas.
func Number(n int) string { return humanize.Comma(int64(n)) }

// Plural is a number with its noun.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Number(n) + " " + what + "s"
}

// Ratio is how many times smaller something is stored.
func Ratio(stored, raw int64) string {
	if stored <= 0 || raw <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(raw)/float64(stored), 'f', 2, 64)
}

// Px is a length of a drawing.
func Px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
