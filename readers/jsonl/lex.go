package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// token is what a JSON value starts with.
type token uint8

const (
	tokenNull token = iota
	tokenFalse
	tokenTrue
	tokenNumber
	tokenString
	tokenArray
	tokenObject
)

// lexer reads one line of JSON, strictly as RFC 8259 has it. Its methods leave pos behind what they read.
type lexer struct {
	b    []byte
	pos  int
	text []byte // scratch of string
}

const (
	wantDigit     = "a digit"
	minusInfinity = "-Infinity"
)

var errEnd = errors.New("the line ends inside a value")

// unexpected is the error of a byte that stands where something else must be.
func (l *lexer) unexpected(want string) error {
	if l.pos >= len(l.b) {
		return errEnd
	}
	return fmt.Errorf("byte %d is %q; %s is expected there", l.pos+1, l.b[l.pos], want)
}

func (l *lexer) space() {
	for l.pos < len(l.b) && (l.b[l.pos] == ' ' || l.b[l.pos] == '\t' || l.b[l.pos] == '\r' || l.b[l.pos] == '\n') {
		l.pos++
	}
}

// accept passes over c, and the space in front of it, if it comes next.
func (l *lexer) accept(c byte) bool {
	l.space()
	if l.pos < len(l.b) && l.b[l.pos] == c {
		l.pos++
		return true
	}
	return false
}

func (l *lexer) expect(c byte, want string) error {
	if !l.accept(c) {
		return l.unexpected(want)
	}
	return nil
}

// begin passes over the brace that a line begins with.
func (l *lexer) begin() error {
	switch {
	case l.accept('{'):
		return nil
	case l.accept('['):
		return errors.New("the line begins with '[', as a JSON array does; JSON lines have one object a line")
	case l.pos >= len(l.b):
		return errEnd
	}
	return fmt.Errorf("the line begins with %q, not with '{'; JSON lines have one object a line", l.b[l.pos])
}

// next tells what comes next and passes over it where it says everything: null, false, true, and the brackets.
func (l *lexer) next() (token, error) {
	l.space()
	if l.pos >= len(l.b) {
		return 0, errEnd
	}
	switch c := l.b[l.pos]; {
	case c == '"':
		return tokenString, nil
	case c == '-' || c-'0' <= 9:
		return tokenNumber, nil
	case c == '{':
		l.pos++
		return tokenObject, nil
	case c == '[':
		l.pos++
		return tokenArray, nil
	}
	for t, word := range [...]string{tokenNull: "null", tokenFalse: "false", tokenTrue: "true"} {
		if len(l.b)-l.pos >= len(word) && string(l.b[l.pos:l.pos+len(word)]) == word {
			l.pos += len(word)
			return token(t), nil
		}
	}
	for word := range notNumbers {
		if bytes.HasPrefix(l.b[l.pos:], []byte(word)) {
			return 0, l.unquoted(word)
		}
	}
	return 0, l.unexpected("a value")
}

// unquoted is the error of a float that JSON has no number for, written without quotes.
func (l *lexer) unquoted(word string) error {
	return fmt.Errorf("%s at byte %d is not JSON; it needs quotes: %q", word, l.pos+1, word)
}

// number reads a number and tells whether it has neither fraction nor exponent.
func (l *lexer) number() (text []byte, integer bool, err error) {
	start := l.pos
	if l.b[l.pos] == '-' {
		if bytes.HasPrefix(l.b[l.pos:], []byte(minusInfinity)) {
			return nil, false, l.unquoted(minusInfinity)
		}
		l.pos++
	}
	if zero := l.pos; l.pos < len(l.b) && l.b[l.pos] == '0' {
		if l.digits() > 1 {
			return nil, false, fmt.Errorf("the number at byte %d has a zero in front of it, which JSON does not allow", start+1)
		}
		l.pos = zero + 1
	} else if l.digits() == 0 {
		return nil, false, l.unexpected(wantDigit)
	}
	integer = true
	if l.pos < len(l.b) && l.b[l.pos] == '.' {
		l.pos++
		integer = false
		if l.digits() == 0 {
			return nil, false, l.unexpected(wantDigit)
		}
	}
	if l.pos < len(l.b) && l.b[l.pos]|0x20 == 'e' {
		l.pos++
		integer = false
		if l.pos < len(l.b) && (l.b[l.pos] == '+' || l.b[l.pos] == '-') {
			l.pos++
		}
		if l.digits() == 0 {
			return nil, false, l.unexpected(wantDigit)
		}
	}
	return l.b[start:l.pos], integer, nil
}

func (l *lexer) digits() int {
	start := l.pos
	for l.pos < len(l.b) && l.b[l.pos]-'0' <= 9 {
		l.pos++
	}
	return l.pos - start
}

// string reads a string. The result is valid until the next call.
func (l *lexer) string() ([]byte, error) {
	if err := l.expect('"', "a string"); err != nil {
		return nil, err
	}
	start := l.pos
	for l.pos < len(l.b) {
		switch c := l.b[l.pos]; {
		case c == '"':
			l.pos++
			return l.checked(l.b[start : l.pos-1])
		case c == '\\':
			l.text = append(l.text[:0], l.b[start:l.pos]...)
			return l.escaped()
		case c < 0x20:
			return nil, l.unescaped()
		}
		l.pos++
	}
	return nil, errEnd
}

func (l *lexer) checked(s []byte) ([]byte, error) {
	if !utf8.Valid(s) {
		return nil, fmt.Errorf("%.40q is not UTF-8", s)
	}
	return s, nil
}

// unescaped is the error of a control character in a string.
func (l *lexer) unescaped() error {
	return fmt.Errorf("byte %d is %q; in a string it must be written as an escape", l.pos+1, l.b[l.pos])
}

// escaped reads the rest of a string into text.
func (l *lexer) escaped() ([]byte, error) {
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		switch {
		case c == '"':
			l.pos++
			return l.checked(l.text)
		case c < 0x20:
			return nil, l.unescaped()
		case c != '\\':
			l.text = append(l.text, c)
			l.pos++
			continue
		}
		l.pos++
		if err := l.escape(); err != nil {
			return nil, err
		}
	}
	return nil, errEnd
}

// escape reads what stands behind a backslash.
func (l *lexer) escape() error {
	if l.pos >= len(l.b) {
		return errEnd
	}
	c := l.b[l.pos]
	if c == 'u' {
		return l.unicode()
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range len(from) {
		if from[i] == c {
			l.text = append(l.text, to[i])
			l.pos++
			return nil
		}
	}
	return l.unexpected(`one of " \ / b f n r t u`)
}

// unicode reads uXXXX, and the second half of a surrogate pair. Half a pair has no UTF-8.
func (l *lexer) unicode() error {
	r, err := l.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if len(l.b)-l.pos < 2 || l.b[l.pos] != '\\' || l.b[l.pos+1] != 'u' {
			return fmt.Errorf("half a surrogate pair in front of byte %d", l.pos+1)
		}
		l.pos++
		low, err := l.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return fmt.Errorf("half a surrogate pair in front of byte %d", l.pos+1)
		}
	}
	l.text = utf8.AppendRune(l.text, r)
	return nil
}

// hex reads uXXXX.
func (l *lexer) hex() (rune, error) {
	if len(l.b)-l.pos < 5 {
		return 0, errEnd
	}
	l.pos++
	var r rune
	for range 4 {
		c := l.b[l.pos]
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case (c|0x20)-'a' <= 5:
			r = r<<4 | rune((c|0x20)-'a'+10)
		default:
			return 0, l.unexpected("a hexadecimal digit")
		}
		l.pos++
	}
	return r, nil
}

// skip passes over one value, whatever it is, of at most so much nesting.
func (l *lexer) skip(depth int) error {
	t, err := l.next()
	if err != nil {
		return err
	}
	if depth <= 0 && (t == tokenArray || t == tokenObject) {
		return errDepth
	}
	switch t {
	case tokenNumber:
		_, _, err = l.number()
	case tokenString:
		_, err = l.string()
	case tokenArray:
		err = l.elements(func() error { return l.skip(depth - 1) })
	case tokenObject:
		err = l.members(func([]byte) error { return l.skip(depth - 1) })
	}
	return err
}

// elements calls f in front of each element of an array whose bracket was read.
func (l *lexer) elements(f func() error) error {
	if l.accept(']') {
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		if !l.accept(',') {
			return l.expect(']', "',' or ']'")
		}
	}
}

// members calls f in front of the value of each member of an object whose brace was read. name is valid until f reads.
func (l *lexer) members(f func(name []byte) error) error {
	if l.accept('}') {
		return nil
	}
	for {
		name, err := l.string()
		if err != nil {
			return err
		}
		if err := l.expect(':', "':'"); err != nil {
			return err
		}
		if err := f(name); err != nil {
			return err
		}
		if !l.accept(',') {
			return l.expect('}', "',' or '}'")
		}
	}
}

// end checks that nothing but space is left.
func (l *lexer) end() error {
	l.space()
	if l.pos < len(l.b) {
		return l.unexpected("the end of the line")
	}
	return nil
}
