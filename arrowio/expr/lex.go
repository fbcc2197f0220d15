package expr

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on what Parse takes; filters may come from clients of a server.
const (
	maxText  = 1 << 20 // bytes
	maxDepth = 200     // parentheses and NOTs within one another
)

// ParseError is the error of Parse. It says what was expected, and where.
type ParseError struct {
	Column  int    // in characters, from 1
	Near    string // the text from there on, shortened; "" at the end
	Message string
}

// Error renders `at character 7, near ") OR b": expected a value, found ")"`.
func (e *ParseError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("at character %d: %s", e.Column, e.Message)
	}
	return fmt.Sprintf("at character %d, near %q: %s", e.Column, e.Near, e.Message)
}

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokPath             // a path that is no keyword; text is as written
	tokWord             // a keyword; text is in capitals
	tokNumber           // text is as written, without a sign
	tokString           // text is the content
	tokHex              // text is the content, decoded
	tokPunct            // an operator, a parenthesis, a comma, a minus
)

type token struct {
	kind tokenKind
	text string
	pos  int // bytes from the start
}

func (t token) String() string {
	switch t.kind {
	case tokEnd:
		return "the end"
	case tokString:
		return "a string"
	case tokHex:
		return "a binary value"
	}
	if len(t.text) > 40 {
		return fmt.Sprintf("%.40q…", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

func (t token) is(kind tokenKind, text string) bool { return t.kind == kind && t.text == text }

var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "IN": true, "IS": true, "NULL": true, "LIKE": true, "BETWEEN": true,
	"TRUE": true, "FALSE": true, "ESCAPE": true, "ILIKE": true,
}

func isKeyword(s string) bool { return len(s) <= 7 && keywords[strings.ToUpper(s)] }

// lexer cuts text into tokens, one at a time.
type lexer struct {
	text   string
	pos    int
	inside bool // brackets, which do not nest
}

func (l *lexer) fail(pos int, format string, args ...any) error {
	e := &ParseError{Column: utf8.RuneCountInString(l.text[:pos]) + 1, Message: fmt.Sprintf(format, args...)}
	const most = 20 // characters
	near := []rune(l.text[pos:min(len(l.text), pos+utf8.UTFMax*(most+1))])
	if len(near) > most {
		near = append(near[:most], '…')
	}
	e.Near = strings.TrimSpace(string(near))
	return e
}

func (l *lexer) next() (token, error) {
	for l.pos < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.pos]) >= 0 {
		l.pos++
	}
	start := l.pos
	if start == len(l.text) {
		return token{kind: tokEnd, pos: start}, nil
	}
	rest := l.text[start:]
	c := rest[0]
	switch {
	case c == '\'':
		s, n, ok := unquote(rest)
		if !ok {
			return token{}, l.fail(start, "a string is not closed")
		}
		l.pos += n
		return token{tokString, s, start}, nil
	case (c == 'x' || c == 'X') && len(rest) > 1 && rest[1] == '\'':
		s, n, ok := unquote(rest[1:])
		if !ok {
			return token{}, l.fail(start, "a binary value is not closed")
		}
		b, err := hex.DecodeString(s)
		if err != nil {
			return token{}, l.fail(start, "a binary value takes an even number of hexadecimal digits")
		}
		l.pos += 1 + n
		return token{tokHex, string(b), start}, nil
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return l.number(start)
	case c == '"' || c == '`' || wordLen(rest, true) > 0:
		return l.path(start)
	}
	for _, op := range [...]string{"<=", ">=", "<>", "!=", "==", "<", ">", "=", "(", ")", ",", "-", "+", "]"} {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			return token{tokPunct, op, start}, nil
		}
	}
	if c == '[' {
		return token{}, l.fail(start, "brackets follow a list or a map at once, as in tags[0]")
	}
	if word := wordFor[c]; word != "" {
		return token{}, l.fail(start, "%q has no meaning here: write %s; names with such characters go in double quotes", c, word)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, l.fail(start, "%q has no meaning here; put names with such characters in double quotes", r)
}

// wordFor has the words for signs that other languages use.
var wordFor = map[byte]string{'&': "AND", '|': "OR", '!': "NOT"}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func (l *lexer) number(start int) (token, error) {
	rest := l.text[start:]
	n := digits(rest)
	if n < len(rest) && rest[n] == '.' {
		n += 1 + digits(rest[n+1:])
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		e := n + 1
		if e < len(rest) && (rest[e] == '+' || rest[e] == '-') {
			e++
		}
		d := digits(rest[e:])
		if d == 0 {
			return token{}, l.fail(start+e, "expected the digits of an exponent")
		}
		n = e + d
	}
	if n < len(rest) && (rest[n] == '.' || wordLen(rest[n:], false) > 0) {
		return token{}, l.fail(start+n, "a number cannot go on like this; names that start with a digit go in double quotes")
	}
	l.pos += n
	return token{tokNumber, rest[:n], start}, nil
}

func (l *lexer) path(start int) (token, error) {
	rest := l.text[start:]
	n, quoted, names := 0, false, 0
	var b strings.Builder // the path, with elements written alike, if it has any
	copied := 0
	for {
		if n < len(rest) && (rest[n] == '"' || rest[n] == '`') {
			_, m, ok := unquote(rest[n:])
			if !ok {
				return token{}, l.fail(start+n, "a quoted name is not closed")
			}
			n, quoted = n+m, true
		} else {
			m := wordLen(rest[n:], n == 0)
			if m == 0 {
				return token{}, l.fail(start+n, "expected a name after the dot")
			}
			n += m
		}
		for n < len(rest) && rest[n] == '[' && !l.inside {
			key, m, err := l.element(start + n)
			if err != nil {
				return token{}, err
			}
			b.WriteString(rest[copied:n])
			writeElement(&b, key)
			n, quoted = n+m, true
			copied = n
		}
		if names++; n == len(rest) || rest[n] != '.' {
			break
		}
		n++
	}
	if n < len(rest) && (rest[n] == '"' || rest[n] == '`' || quoted && wordLen(rest[n:], false) > 0) {
		return token{}, l.fail(start+n, "expected a dot or a space before this")
	}
	if names > maxSegments {
		return token{}, l.fail(start, "%v", errSegments)
	}
	l.pos += n
	if copied > 0 {
		b.WriteString(rest[copied:n])
		return token{tokPath, b.String(), start}, nil
	}
	if word := rest[:n]; names == 1 && !quoted && isKeyword(word) {
		return token{tokWord, strings.ToUpper(word), start}, nil
	}
	return token{tokPath, rest[:n], start}, nil
}
