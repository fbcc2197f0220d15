package flight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statement returns what the client has asked for: the text of SQL, the JSON of a command, or the type of an action; "" = nothing is
// known of it.
func (c *Call) Statement() string { return load(&c.statement) }

// Put returns how many rows, of how many stored bytes, the call has put.
func (c *Call) Put() (rows, bytes int64) { return c.putRows.Load(), c.putBytes.Load() }

// say records what a call asks for.
func (c *Call) say(text string) {
	if c != nil && text != "" {
		c.statement.Store(&text)
	}
}

// Redacted returns a statement, SQL or a filter, with ? in place of the values that it has, and without comments. Names stay.
func Redacted(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "--"):
			n = indexOr(rest, "\n", len(rest))
		case strings.HasPrefix(rest, "/*"):
			n = indexOr(rest[2:], "*/", len(rest)-4) + 4
		case r == '\'':
			n = inQuotes(rest)
			b.WriteByte('?')
		case r == '"' || r == '`':
			n = inQuotes(rest)
			b.WriteString(rest[:n])
		case r == '$' && dollarQuote(rest) != "":
			tag := dollarQuote(rest)
			n = indexOr(rest[len(tag):], tag, len(rest)-2*len(tag)) + 2*len(tag)
			b.WriteByte('?')
		case r == '$' || r == '_' || unicode.IsLetter(r):
			n = spanOf(rest, func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) })
			if n < len(rest) && rest[n] == '\'' && n <= 2 { // X'00', E'text'
				break
			}
			b.WriteString(rest[:n])
		case unicode.IsDigit(r):
			n = spanOf(rest, func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
			b.WriteByte('?')
		default:
			b.WriteString(rest[:n])
		}
		i += max(1, min(n, len(rest)))
	}
	return b.String()
}

func indexOr(text, what string, otherwise int) int {
	if i := strings.Index(text, what); i >= 0 {
		return i
	}
	return max(0, otherwise)
}

// inQuotes returns the length of what begins with a quote, up to the one that ends it or the end of the text.
func inQuotes(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != text[0]:
		case i+1 < len(text) && text[i+1] == text[0]:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// dollarQuote returns $$ or $tag$ where a text begins with it.
func dollarQuote(text string) string {
	n := 1 + spanOf(text[1:], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	if n >= len(text) || text[n] != '$' || n > 1 && text[1] >= '0' && text[1] <= '9' {
		return ""
	}
	return text[:n+1]
}

func spanOf(text string, of func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !of(r) }); n >= 0 {
		return n
	}
	return len(text)
}
