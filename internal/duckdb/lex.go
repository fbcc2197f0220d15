package duckdb

import (
	"regexp"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// token is a part of a statement, as far as the parts matter here: what is not told apart is other.
type token struct {
	kind tokenKind
	text string
}

type tokenKind uint8

const (
	other tokenKind = iota
	blank           // white space or a comment
	parameter
	semicolon
)

// lex cuts SQL where DuckDB's scanner would, which is PostgreSQL's: parameters and semicolons in strings, names and
// comments are none.
func lex(sql string) (out []token) {
	for len(sql) > 0 {
		n, kind := 1, other
		switch c := sql[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			kind = blank
		case strings.HasPrefix(sql, "--"):
			n, kind = lineEnd(sql), blank
		case strings.HasPrefix(sql, "/*"):
			n, kind = commentEnd(sql), blank
		case c == '\'' || c == '"':
			n = quoteEnd(sql, 1, c, false)
		case (c == 'e' || c == 'E') && strings.HasPrefix(sql[1:], "'"):
			n = quoteEnd(sql, 2, '\'', true)
		case c == ';':
			kind = semicolon
		case c == '$':
			n, kind = dollar(sql)
		case c == '?':
			kind = parameter
		case isWord(c):
			for n < len(sql) && (isWord(sql[n]) || sql[n] == '$') {
				n++
			}
		}
		out = append(out, token{kind, sql[:n]})
		sql = sql[n:]
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func lineEnd(s string) int {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return i
	}
	return len(s)
}

// commentEnd finds the end of a comment, in which there may be others.
func commentEnd(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quoteEnd finds the end of what a quote before i began; a doubled quote is none, nor is one behind a backslash.
func quoteEnd(s string, i int, quote byte, backslash bool) int {
	for ; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] != quote:
		case i+1 < len(s) && s[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// dollar is $name, or a string $tag$ … $tag$.
func dollar(s string) (int, tokenKind) {
	n := 1
	for n < len(s) && isWord(s[n]) {
		n++
	}
	if n < len(s) && s[n] == '$' && (n == 1 || s[1] < '0' || s[1] > '9') {
		tag := s[:n+1]
		if end := strings.Index(s[n+1:], tag); end >= 0 {
			return n + 1 + end + len(tag), other
		}
		return len(s), other
	}
	if n == 1 {
		return 1, other
	}
	return n, parameter
}

// statements cuts SQL into its statements, without those that are empty.
func statements(sql string) (out []string) {
	var b strings.Builder
	filled := false
	flush := func() {
		if filled {
			out = append(out, b.String())
		}
		b.Reset()
		filled = false
	}
	for _, t := range lex(sql) {
		if t.kind == semicolon {
			flush()
			continue
		}
		filled = filled || t.kind != blank
		b.WriteString(t.text)
	}
	flush()
	return out
}

// Parameters puts values, as literals, in the place of $name. Numbers, TRUE, FALSE and NULL are what they look like, and
// so is 'text' in quotes; anything else is text. A value that no parameter takes is ErrOption.
func Parameters(sql string, values map[string]string) (string, error) {
	used := map[string]bool{}
	var b strings.Builder
	for _, t := range lex(sql) {
		if t.kind == parameter {
			if v, ok := values[t.text[1:]]; ok {
				used[t.text[1:]] = true
				b.WriteString(literal(v))
				continue
			}
		}
		b.WriteString(t.text)
	}
	for name := range values {
		if !used[name] {
			return "", errs.Errorf(errs.ErrOption, "sql: there is no parameter $%s", name)
		}
	}
	return b.String(), nil
}

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) })

func literal(v string) string {
	switch {
	case number().MatchString(v):
		return "(" + v + ")" // a sign must not become a part of what stands before it
	case strings.EqualFold(v, "true"), strings.EqualFold(v, "false"), strings.EqualFold(v, "null"):
		return " " + v + " "
	case len(v) > 1 && v[0] == '\'' && v[len(v)-1] == '\'':
		return quote(strings.ReplaceAll(v[1:len(v)-1], "''", "'"))
	}
	return quote(v)
}

// quote makes a string of SQL.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName makes a name of SQL.
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
