package expr

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// segment is one name of a path. Text between quotes names one field, whatever it contains; bare names may be joined
// with their neighbours, since field names may contain dots.
type segment struct {
	name       string
	quoted     bool
	start, end int // in the path's text, quotes included
}

var (
	errQuote    = errors.New("a quote is not closed")
	errAfter    = errors.New("after a closing quote, a dot or the end is expected")
	errSegments = errors.New("a path of more than 256 names")
)

const maxSegments = 256

// splitPath cuts a path at the dots outside quotes.
func splitPath(path string) ([]segment, error) {
	var out []segment
	for i := 0; ; i++ {
		s := segment{start: i}
		if i < len(path) && (path[i] == '"' || path[i] == '`') {
			name, n, ok := unquote(path[i:])
			if !ok {
				return nil, errQuote
			}
			s.name, s.quoted, i = name, true, i+n
			if i < len(path) && path[i] != '.' {
				return nil, errAfter
			}
		} else {
			n := strings.IndexByte(path[i:], '.')
			if n < 0 {
				n = len(path) - i
			}
			s.name, i = path[i:i+n], i+n
		}
		s.end = i
		if out = append(out, s); len(out) > maxSegments {
			return nil, errSegments
		}
		if i == len(path) {
			return out, nil
		}
	}
}

// Names returns the names of a path, which it cuts at the dots outside quotes. It is false if a quote is not closed, or something but a
// dot is behind it, or there are more than 256 names. A bare name that has dots counts as several.
func Names(path string) ([]string, bool) {
	segments, err := splitPath(path)
	if err != nil {
		return nil, false
	}
	names := make([]string, len(segments))
	for i, s := range segments {
		names[i] = s.name
	}
	return names, true
}

// unquote reads the quoted text at the start of s, where a doubled quote stands for one, and tells its length.
func unquote(s string) (text string, n int, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); {
		j := strings.IndexByte(s[i:], quote)
		if j < 0 {
			break
		}
		b.WriteString(s[i : i+j])
		i += j + 1
		if i >= len(s) || s[i] != quote {
			return b.String(), i, true
		}
		b.WriteByte(quote)
		i++
	}
	return "", 0, false
}

// Quote returns the path that leads from a top-level field through the named children. It quotes names that need it.
func Quote(names ...string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte('.')
		}
		if isWord(n, i == 0) && !(len(names) == 1 && isKeyword(n)) {
			b.WriteString(n)
		} else {
			writeQuoted(&b, n, '"')
		}
	}
	return b.String()
}

// quoteAll is Quote with quotes around each name.
func quoteAll(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte('.')
		}
		writeQuoted(&b, n, '"')
	}
	return b.String()
}

// pathText is path as Parse reads it. A path that Parse could not read is quoted name by name.
func pathText(path string) string {
	base, steps, err := splitElements(path)
	if err != nil {
		return Quote(path)
	}
	segs, err := splitPath(base)
	if err != nil {
		return Quote(path)
	}
	var b strings.Builder
	for i, s := range segs {
		if i > 0 {
			b.WriteByte('.')
		}
		if s.quoted || isWord(s.name, i == 0) && !(len(segs) == 1 && len(steps) == 0 && isKeyword(s.name)) {
			b.WriteString(base[s.start:s.end])
		} else {
			writeQuoted(&b, s.name, '"')
		}
	}
	for _, s := range steps {
		switch {
		case s.key != nil:
			writeElement(&b, s.key)
		case s.field.quoted:
			b.WriteString("." + s.text)
		default:
			b.WriteString("." + fieldText(s.field.name))
		}
	}
	return b.String()
}

// fieldText is a name behind a dot.
func fieldText(name string) string {
	if isWord(name, false) {
		return name
	}
	var b strings.Builder
	writeQuoted(&b, name, '"')
	return b.String()
}

// isWord reports whether s can stand in an expression without quotes.
func isWord(s string, first bool) bool {
	n := wordLen(s, first)
	return n > 0 && n == len(s)
}

// wordLen is the length of the bare name at the start of s. Only the first name of a path may not start with a digit.
// The marks are those that column names of array columns bear.
func wordLen(s string, first bool) int {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i
		case r == '_' || unicode.IsLetter(r):
		case unicode.IsDigit(r) || unicode.IsMark(r) || r == '$' || r == '#' || r == '@':
			if i == 0 && first {
				return 0
			}
		case r == '[' && i > 0 && strings.HasPrefix(s[i:], "[]"):
			n = 2
		default:
			return i
		}
		i += n
	}
	return i
}
