package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Token is what a JSON value starts with.
type Token uint8

// Tokens.
const (
	Null Token = iota
	False
	True
	Number
	String
	Array
	Object
)

// Lexer reads one line of JSON, strictly as RFC 8259 has it. Its methods leave Pos behind what they read.
type Lexer struct {
	Line []byte
	Pos  int
	text []byte // scratch of Text
}

const (
	wantDigit     = "a digit"
	minusInfinity = "-Infinity"
)

var errEnd = errors.New("the line ends inside a value")

// ErrDepth is the error of values in too many values.
var ErrDepth = errors.New("values nested too deep (Limits.Depth)")

// unexpected is the error of a byte that stands where something else must be.
func (l *Lexer) unexpected(want string) error {
	if l.Pos >= len(l.Line) {
		return errEnd
	}
	return fmt.Errorf("byte %d is %q; %s is expected there", l.Pos+1, l.Line[l.Pos], want)
}

// Space passes over white space.
func (l *Lexer) Space() {
	for l.Pos < len(l.Line) && (l.Line[l.Pos] == ' ' || l.Line[l.Pos] == '\t' || l.Line[l.Pos] == '\r' || l.Line[l.Pos] == '\n') {
		l.Pos++
	}
}

// accept passes over c, and the space in front of it, if it comes next.
func (l *Lexer) accept(c byte) bool {
	l.Space()
	if l.Pos < len(l.Line) && l.Line[l.Pos] == c {
		l.Pos++
		return true
	}
	return false
}

func (l *Lexer) expect(c byte, want string) error {
	if !l.accept(c) {
		return l.unexpected(want)
	}
	return nil
}

// Begin passes over the brace that a line begins with.
func (l *Lexer) Begin() error {
	switch {
	case l.accept('{'):
		return nil
	case l.accept('['):
		return errors.New("the line begins with '[', as a JSON array does; JSON lines have one object a line")
	case l.Pos >= len(l.Line):
		return errEnd
	}
	return fmt.Errorf("the line begins with %q, not with '{'; JSON lines have one object a line", l.Line[l.Pos])
}

// Next tells what comes next and passes over it where it says everything: null, false, true, and the brackets.
func (l *Lexer) Next() (Token, error) {
	l.Space()
	if l.Pos >= len(l.Line) {
		return 0, errEnd
	}
	switch c := l.Line[l.Pos]; {
	case c == '"':
		return String, nil
	case c == '-' || c-'0' <= 9:
		return Number, nil
	case c == '{':
		l.Pos++
		return Object, nil
	case c == '[':
		l.Pos++
		return Array, nil
	}
	for t, word := range [...]string{Null: "null", False: "false", True: "true"} {
		if len(l.Line)-l.Pos >= len(word) && string(l.Line[l.Pos:l.Pos+len(word)]) == word {
			l.Pos += len(word)
			return Token(t), nil
		}
	}
	for word := range NotNumbers {
		if bytes.HasPrefix(l.Line[l.Pos:], []byte(word)) {
			return 0, l.unquoted(word)
		}
	}
	return 0, l.unexpected("a value")
}

// unquoted is the error of a float that JSON has no number for, written without quotes.
func (l *Lexer) unquoted(word string) error {
	return fmt.Errorf("%s at byte %d is not JSON; it needs quotes: %q", word, l.Pos+1, word)
}

// Number reads a number and tells whether it has neither fraction nor exponent.
func (l *Lexer) Number() (text []byte, integer bool, err error) {
	start := l.Pos
	if l.Line[l.Pos] == '-' {
		if bytes.HasPrefix(l.Line[l.Pos:], []byte(minusInfinity)) {
			return nil, false, l.unquoted(minusInfinity)
		}
		l.Pos++
	}
	if zero := l.Pos; l.Pos < len(l.Line) && l.Line[l.Pos] == '0' {
		if l.digits() > 1 {
			return nil, false, fmt.Errorf("the number at byte %d has a zero in front of it, which JSON does not allow", start+1)
		}
		l.Pos = zero + 1
	} else if l.digits() == 0 {
		return nil, false, l.unexpected(wantDigit)
	}
	integer = true
	if l.Pos < len(l.Line) && l.Line[l.Pos] == '.' {
		l.Pos++
		integer = false
		if l.digits() == 0 {
			return nil, false, l.unexpected(wantDigit)
		}
	}
	if l.Pos < len(l.Line) && l.Line[l.Pos]|0x20 == 'e' {
		l.Pos++
		integer = false
		if l.Pos < len(l.Line) && (l.Line[l.Pos] == '+' || l.Line[l.Pos] == '-') {
			l.Pos++
		}
		if l.digits() == 0 {
			return nil, false, l.unexpected(wantDigit)
		}
	}
	return l.Line[start:l.Pos], integer, nil
}

func (l *Lexer) digits() int {
	start := l.Pos
	for l.Pos < len(l.Line) && l.Line[l.Pos]-'0' <= 9 {
		l.Pos++
	}
	return l.Pos - start
}

// Text reads a string. The result is valid until the next call.
func (l *Lexer) Text() ([]byte, error) {
	if err := l.expect('"', "a string"); err != nil {
		return nil, err
	}
	start := l.Pos
	for l.Pos < len(l.Line) {
		switch c := l.Line[l.Pos]; {
		case c == '"':
			l.Pos++
			return l.checked(l.Line[start : l.Pos-1])
		case c == '\\':
			l.text = append(l.text[:0], l.Line[start:l.Pos]...)
			return l.escaped()
		case c < 0x20:
			return nil, l.unescaped()
		}
		l.Pos++
	}
	return nil, errEnd
}

func (l *Lexer) checked(s []byte) ([]byte, error) {
	if !bitpack.UTF8(s) {
		return nil, fmt.Errorf("%.40q is not UTF-8", s)
	}
	return s, nil
}

// unescaped is the error of a control character in a string.
func (l *Lexer) unescaped() error {
	return fmt.Errorf("byte %d is %q; in a string it must be written as an escape", l.Pos+1, l.Line[l.Pos])
}

// escaped reads the rest of a string into text.
func (l *Lexer) escaped() ([]byte, error) {
	for l.Pos < len(l.Line) {
		c := l.Line[l.Pos]
		switch {
		case c == '"':
			l.Pos++
			return l.checked(l.text)
		case c < 0x20:
			return nil, l.unescaped()
		case c != '\\':
			l.text = append(l.text, c)
			l.Pos++
			continue
		}
		l.Pos++
		if err := l.escape(); err != nil {
			return nil, err
		}
	}
	return nil, errEnd
}

// escape reads what stands behind a backslash.
func (l *Lexer) escape() error {
	if l.Pos >= len(l.Line) {
		return errEnd
	}
	c := l.Line[l.Pos]
	if c == 'u' {
		return l.unicode()
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range len(from) {
		if from[i] == c {
			l.text = append(l.text, to[i])
			l.Pos++
			return nil
		}
	}
	return l.unexpected(`one of " \ / b f n r t u`)
}

// unicode reads uXXXX, and the second half of a surrogate pair. Half a pair has no UTF-8.
func (l *Lexer) unicode() error {
	r, err := l.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if len(l.Line)-l.Pos < 2 || l.Line[l.Pos] != '\\' || l.Line[l.Pos+1] != 'u' {
			return fmt.Errorf("half a surrogate pair in front of byte %d", l.Pos+1)
		}
		l.Pos++
		low, err := l.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return fmt.Errorf("half a surrogate pair in front of byte %d", l.Pos+1)
		}
	}
	l.text = utf8.AppendRune(l.text, r)
	return nil
}

// hex reads uXXXX.
func (l *Lexer) hex() (rune, error) {
	if len(l.Line)-l.Pos < 5 {
		return 0, errEnd
	}
	l.Pos++
	var r rune
	for range 4 {
		c := l.Line[l.Pos]
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case (c|0x20)-'a' <= 5:
			r = r<<4 | rune((c|0x20)-'a'+10)
		default:
			return 0, l.unexpected("a hexadecimal digit")
		}
		l.Pos++
	}
	return r, nil
}

// Skip passes over one value, whatever it is, of at most so much nesting.
func (l *Lexer) Skip(depth int) error {
	t, err := l.Next()
	if err != nil {
		return err
	}
	if depth <= 0 && (t == Array || t == Object) {
		return ErrDepth
	}
	switch t {
	case Number:
		_, _, err = l.Number()
	case String:
		_, err = l.Text()
	case Array:
		err = l.Elements(func() error { return l.Skip(depth - 1) })
	case Object:
		err = l.Members(func([]byte) error { return l.Skip(depth - 1) })
	}
	return err
}

// Elements calls f in front of each element of an array whose bracket was read.
func (l *Lexer) Elements(f func() error) error {
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

// Members calls f in front of the value of each member of an object whose brace was read. name is valid until f reads.
func (l *Lexer) Members(f func(name []byte) error) error {
	if l.accept('}') {
		return nil
	}
	for {
		name, err := l.Text()
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

// End checks that nothing but space is left.
func (l *Lexer) End() error {
	l.Space()
	if l.Pos < len(l.Line) {
		return l.unexpected("the end of the line")
	}
	return nil
}

// NotNumbers are the strings that stand for floats that JSON has no numbers for.
var NotNumbers = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), minusInfinity: math.Inf(-1)}
