package pathjson

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Path is a path or URL. In JSON, a byte that is no part of UTF-8 is the lone surrogate U+DC00 + byte, as in Python (PEP 383,
// surrogateescape). All other texts are as those of a string.
type Path string

// Of returns paths as values of this type.
func Of(paths []string) []Path {
	out := make([]Path, len(paths))
	for i, p := range paths {
		out[i] = Path(p)
	}
	return out
}

// MarshalJSON implements json.Marshaler.
func (p Path) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(p)) {
		return json.Marshal(string(p))
	}
	out := []byte{'"'}
	for len(p) > 0 {
		n := 0 // the length of what is UTF-8
		for n < len(p) {
			r, size := utf8.DecodeRuneInString(string(p[n:]))
			if r == utf8.RuneError && size == 1 {
				break
			}
			n += size
		}
		b, err := json.Marshal(string(p[:n]))
		if err != nil {
			return nil, err
		}
		out = append(out, b[1:len(b)-1]...)
		if n < len(p) {
			out = append(out, `\udc`...)
			out = append(out, strconv.FormatUint(uint64(p[n]), 16)...) // two digits: it is 0x80 or more
			n++
		}
		p = p[n:]
	}
	return append(out, '"'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Path) UnmarshalJSON(b []byte) error {
	var all string
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	if len(b) == 0 || b[0] != '"' { // null
		return nil
	}
	b = b[1 : len(b)-1]
	var out []byte
	text := 0 // where what has no such surrogate begins
	flush := func(to int) error {
		var s string
		err := json.Unmarshal(append(append([]byte{'"'}, b[text:to]...), '"'), &s)
		out = append(out, s...)
		return err
	}
	for i := 0; i < len(b); {
		u := escaped(b[i:])
		switch {
		case b[i] != '\\':
			i++
		case u < 0:
			i += 2
		case utf16.DecodeRune(u, escaped(b[i+6:])) != utf8.RuneError:
			i += 12
		case u >= 0xdc80 && u <= 0xdcff:
			if err := flush(i); err != nil {
				return err
			}
			out = append(out, byte(u-0xdc00))
			i += 6
			text = i
		default:
			i += 6
		}
	}
	if text == 0 {
		*p = Path(all)
		return nil
	}
	if err := flush(len(b)); err != nil {
		return err
	}
	*p = Path(out)
	return nil
}

// escaped returns the code unit of the escape \uXXXX that b begins with; -1 = there is none.
func escaped(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(u)
}
