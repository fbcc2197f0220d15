package celltext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable keeps text on one line and away from the terminal's controls: names and values in it come from files.
func Printable(s string) string {
	if strings.IndexFunc(s, Unprintable) < 0 && utf8.ValidString(s) {
		return s
	}
	return string(AppendPrintable(make([]byte, 0, len(s)+16), s))
}

// Unprintable reports whether r is a character that would not be seen as itself.
func Unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// AppendPrintable appends s with everything that a terminal might obey or not show escaped as Go does.
func AppendPrintable(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
		case !Unprintable(r):
			dst = append(dst, s[i:i+n]...)
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x80:
			dst = append(dst, '\\', 'x', hex[r>>4], hex[r&15])
		default:
			dst = fmt.Appendf(dst, `\u{%x}`, r)
		}
		i += n
	}
	return dst
}
