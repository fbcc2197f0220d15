package browse

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/internal/celltext"
)

// The colours are the 16 that every terminal has in its own shades, for dark and light backgrounds alike, and never the only
// sign of anything: with NO_COLOR bold, faint and reversed text stay.
const (
	reset   = "\x1b[m"
	reverse = "\x1b[7m"
	bold    = "\x1b[1m"
	faint   = "\x1b[2m"
	heading = "\x1b[1;36m"
	failure = "\x1b[1;31m"
	notice  = "\x1b[33m"
	matched = "\x1b[1;35m"
)

const ellipsis = "…"

// styled returns text in a style that ends with it.
func styled(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return style + text + reset
}

// reversed returns a line of a width in reversed colours; parts of it may have styles.
func reversed(text string, width int) string {
	return styled(reverse, strings.ReplaceAll(fit(text, width, false), reset, reset+reverse))
}

// wide returns how many columns of the terminal text takes.
func wide(text string) int {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c > 0x7e {
			return ansi.StringWidthWc(text)
		}
	}
	return len(text)
}

// fit cuts text to width columns, the last of them an ellipsis, or fills it up with spaces.
func fit(text string, width int, right bool) string {
	n := wide(text)
	if n > width {
		text = cut(text, width)
		n = wide(text)
	}
	if pad := max(0, width-n); right {
		text = strings.Repeat(" ", pad) + text
	} else {
		text += strings.Repeat(" ", pad)
	}
	return text
}

// cut cuts text to at most width columns, the last of them an ellipsis.
func cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if wide(text) <= width {
		return text
	}
	return ansi.TruncateWc(text, width, ellipsis)
}

// wrap breaks text into lines of at most width columns.
func wrap(text string, width int) []string {
	width = max(width, 1)
	if wide(text) <= width {
		return []string{text}
	}
	return strings.Split(ansi.WrapWc(text, width, ""), "\n")
}

// counted returns a number of things: "1 row", "2 rows".
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return humanize.Comma(n) + " " + what
}

// safe escapes what a terminal might obey.
func safe(text string) string { return celltext.Printable(text) }
