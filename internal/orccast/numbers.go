package orccast

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// intsOf returns what makes integers of a column, for booleans or for integers.
func intsOf(f column, forBoolean bool) func(in *input) []int64 {
	switch f.family {
	case boolean, integer:
		return (*input).longs
	case floating:
		return intsOfDoubles
	case decimal:
		if forBoolean {
			return signs
		}
		return intsOfDecimals(f)
	case text:
		return intsOfTexts
	case instant:
		return func(in *input) []int64 { return in.times().secs }
	}
	return nil
}

func intsOfDoubles(in *input) []int64 {
	out := make([]int64, in.n)
	for i, x := range in.doubles() {
		if x >= -1<<63 && x < 1<<63 {
			out[i] = int64(x)
		} else {
			in.drop(i)
		}
	}
	return out
}

func intsOfTexts(in *input) []int64 {
	out := make([]int64, in.n)
	s := in.texts()
	for i := range out {
		var ok bool
		if out[i], ok = parseLong(s.at(i)); !ok {
			in.drop(i)
		}
	}
	return out
}

// doublesOf returns what makes doubles of a column.
func doublesOf(f column) func(in *input) []float64 {
	switch f.family {
	case boolean, integer:
		return func(in *input) []float64 {
			out := make([]float64, in.n)
			for i, x := range in.longs() {
				out[i] = float64(x)
			}
			return out
		}
	case floating:
		return (*input).doubles
	case decimal:
		return doublesOfDecimals(f)
	case text:
		return func(in *input) []float64 {
			out := make([]float64, in.n)
			s := in.texts()
			for i := range out {
				var ok bool
				if out[i], ok = parseDouble(s.at(i)); !ok {
					in.drop(i)
				}
			}
			return out
		}
	case instant:
		return func(in *input) []float64 {
			t := in.times()
			out := make([]float64, in.n)
			for i, s := range t.secs {
				out[i] = float64(s)
				if n := t.nanos[i]; n != 0 {
					out[i] += float64(n) / 1e9
				}
			}
			return out
		}
	}
	return nil
}

// parseLong is Java's Long.parseLong: a sign and digits of any script, nothing around them.
func parseLong(b []byte) (int64, bool) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var v uint64
	for len(b) > 0 {
		d := uint64(b[0] - '0')
		if d > 9 {
			r, n := utf8.DecodeRune(b)
			if d = digit(r); d > 9 {
				return 0, false
			}
			b = b[n-1:]
		}
		b = b[1:]
		if v > limit/10 || v*10 > limit-d {
			return 0, false
		}
		v = v*10 + d
	}
	if negative {
		return -int64(v), true
	}
	return int64(v), true
}

// digit returns the value of a decimal digit; more than 9 = it is none.
func digit(r rune) uint64 {
	if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
		return 10
	}
	for _, x := range unicode.Nd.R16 {
		if r >= rune(x.Lo) && r <= rune(x.Hi) {
			return uint64(r-rune(x.Lo)) % 10
		}
	}
	for _, x := range unicode.Nd.R32 {
		if r >= rune(x.Lo) && r <= rune(x.Hi) {
			return uint64(r-rune(x.Lo)) % 10
		}
	}
	return 10
}

// parseDouble is Java's Double.parseDouble: control characters and blanks around the number go, it may end in d or f, and
// what is too large is infinite.
func parseDouble(b []byte) (float64, bool) {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	rest := b
	if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	switch string(rest) {
	case "NaN":
		return math.Float64frombits(0x7ff8 << 48), true // Java has one
	case "Infinity":
		if b[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	hex := len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x'
	if n := len(b); n > 0 && (b[n-1]|0x20 == 'd' || b[n-1]|0x20 == 'f') {
		b, rest = b[:n-1], rest[:len(rest)-1]
	}
	if !isNumber(rest, hex) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// isNumber checks what ParseFloat is not to be asked about: words and underscores. Of a hexadecimal number the exponent
// is not optional.
func isNumber(b []byte, hex bool) bool {
	exponent := byte('e')
	if hex {
		b, exponent = b[2:], 'p'
	}
	digits, dot := 0, false
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9', hex && c|0x20 >= 'a' && c|0x20 <= 'f':
			digits++
		case c == '.' && !dot:
			dot = true
		case c|0x20 == exponent && digits > 0:
			return isExponent(b[i+1:])
		default:
			return false
		}
	}
	return digits > 0 && !hex
}

func isExponent(b []byte) bool {
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
