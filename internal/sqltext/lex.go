package sqltext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
)

type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // SELECT, price
	tokenQuoted           // "any text", `any text`
	tokenText             // 'text', and with what stands before it: X'00'
	tokenNumber           //
	tokenMark             // ( ) , . ; * ? and operators
)

// token is a piece of the text.
type token struct {
	kind tokenKind
	text string // as it is written
	name string // of a word or a quoted name
	at   int    // offset in the text

	param int // of ? and $1: its number, from 1; 0 = it is no parameter
}

// is reports whether t is a keyword or a mark.
func (t token) is(word string) bool {
	return t.kind == tokenMark && t.text == word || t.kind == tokenWord && strings.EqualFold(t.text, word)
}

func (t token) isName() bool { return t.kind == tokenWord || t.kind == tokenQuoted }

func (t token) String() string {
	if t.kind == tokenEnd {
		return "the end"
	}
	return t.text
}

const maxText = 1 << 20

// errorAt is a mistake in the text, at a character counted from 1.
func errorAt(sql string, at int, format string, args ...any) error {
	return errs.Errorf(errs.ErrOption, "SQL, column %d: %s", 1+utf8.RuneCountInString(sql[:at]), fmt.Sprintf(format, args...))
}

// lex cuts the text into tokens; the last is tokenEnd.
func lex(sql string) ([]token, error) {
	if len(sql) > maxText {
		return nil, errs.Errorf(errs.ErrLimit, "SQL of %d bytes, over the limit of %d", len(sql), maxText)
	}
	if !utf8.ValidString(sql) {
		return nil, errs.Errorf(errs.ErrOption, "SQL that is not UTF-8")
	}
	var out []token
	at := 0
	for {
		n, err := blank(sql, at)
		if err != nil {
			return nil, err
		}
		if at += n; at == len(sql) {
			return append(out, token{at: at}), nil
		}
		t, err := next(sql, at)
		if err != nil {
			return nil, err
		}
		if k := len(out) - 1; t.kind == tokenText && k >= 0 && out[k].is("x") && out[k].at+1 == at {
			out[k].kind, out[k].text = tokenText, out[k].text+t.text
		} else {
			out = append(out, t)
		}
		at += len(t.text)
	}
}

// blank returns how many bytes of white space and comments come at an offset.
func blank(sql string, at int) (int, error) {
	start := at
	for at < len(sql) {
		r, n := utf8.DecodeRuneInString(sql[at:])
		switch {
		case unicode.IsSpace(r):
			at += n
		case strings.HasPrefix(sql[at:], "--"):
			k := strings.IndexByte(sql[at:], '\n')
			if k < 0 {
				k = len(sql) - at
			}
			at += k
		case strings.HasPrefix(sql[at:], "/*"):
			k := strings.Index(sql[at+2:], "*/")
			if k < 0 {
				return 0, errorAt(sql, at, "a comment without an end")
			}
			at += k + 4
		default:
			return at - start, nil
		}
	}
	return at - start, nil
}

// next returns the token at an offset.
func next(sql string, at int) (token, error) {
	rest := sql[at:]
	t := token{at: at}
	switch r, _ := utf8.DecodeRuneInString(rest); {
	case r == '\'' || r == '"' || r == '`':
		n, ok := quoted(rest)
		if !ok {
			return t, errorAt(sql, at, "%c without its end", r)
		}
		t.kind, t.text = tokenText, rest[:n]
		if q := rest[:1]; q != "'" {
			t.kind, t.name = tokenQuoted, strings.ReplaceAll(rest[1:n-1], q+q, q)
		}
	case r == '_' || unicode.IsLetter(r):
		n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(rest)
		}
		t.kind, t.text, t.name = tokenWord, rest[:n], rest[:n]
	case r >= '0' && r <= '9' || r == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		t.kind, t.text = tokenNumber, rest[:number(rest)]
	case r == '$' && len(rest) > 1 && rest[1] >= '1' && rest[1] <= '9':
		n := 1
		for n < len(rest) && n < 5 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		t.kind, t.text = tokenMark, rest[:n]
		t.param, _ = strconv.Atoi(rest[1:n]) // it is digits
	default:
		t.kind = tokenMark
		for _, m := range []string{"<>", "<=", ">=", "!=", "==", "||", "::"} {
			if strings.HasPrefix(rest, m) {
				t.text = m
				return t, nil
			}
		}
		if !strings.ContainsRune("(),.;*?=<>+-/%[]{}", r) {
			return t, errorAt(sql, at, "%q means nothing here", r)
		}
		t.text = rest[:1]
	}
	return t, nil
}

// quoted returns the length of the text in quotes that s begins with.
func quoted(s string) (int, bool) {
	for i := 1; i < len(s); i++ {
		if s[i] != s[0] {
			continue
		}
		if i+1 == len(s) || s[i+1] != s[0] {
			return i + 1, true
		}
		i++
	}
	return 0, false
}

// number returns the length of the number that s begins with.
func number(s string) int {
	i := 0
	for i < len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || c == '.':
		case (c == 'e' || c == 'E') && i > 0:
			if i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '+') {
				i++
			}
		default:
			return i
		}
		i++
	}
	return i
}
