package floattext

import (
	"bytes"
	"strconv"
)

// width is what the digits of a float have to be compared with.
type width struct {
	sure     int // it keeps every decimal number of so many digits whose exponent is in the range
	exponent int
	shortest int // the shortest text that means a float has at most so many
}

var (
	width32 = width{6, 30, 9}
	width64 = width{15, 250, 17}
)

const maxDigits = 767 // no float64 has more significant digits, written out in full

// Parse returns the float64 nearest to a decimal number: an optional minus, digits with at most one point, an optional
// exponent. It reports false if that float64 is another number to a reader: printed with as many digits as the text has,
// it would show other digits. So 0.1 is kept, and so is 0.10000000000000001, as programs write 0.1 with 17 digits, but
// neither 0.1234567890123456789 nor 1e400. Zeros in front and at the end do not count.
func Parse(text []byte) (v float64, kept bool) { return ParseBits(text, 64) }

// ParseBits is Parse for floats of 64 or 32 bits.
func ParseBits(text []byte, bits int) (v float64, kept bool) {
	v, err := strconv.ParseFloat(string(text), bits)
	if err != nil {
		return v, false
	}
	w := &width64
	if bits == 32 {
		w = &width32
	}
	number := bytes.TrimPrefix(text, []byte("-"))
	exponent := 0
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		if exponent, err = strconv.Atoi(string(number[e+1:])); err != nil {
			return v, v == 0 && isZero(number[:e])
		}
		number = number[:e]
	}
	digits := len(number)
	if bytes.IndexByte(number, '.') >= 0 {
		digits--
	}
	if exponent >= -w.exponent && exponent <= w.exponent && digits <= w.sure || isZero(number) {
		return v, true
	}
	return v, v != 0 && shows(v, bytes.Trim(number, "0."), bits, w.shortest)
}

func isZero(number []byte) bool { return len(bytes.Trim(number, "0.")) == 0 }

// shows reports whether v is printed with these significant digits, which may have a point among them. Where the digits are the
// same, so is the exponent, since v is the float64 nearest to the number.
func shows(v float64, digits []byte, bits, shortest int) bool {
	n := len(digits)
	if bytes.IndexByte(digits, '.') >= 0 {
		n--
	}
	if n > maxDigits {
		return false
	}
	var room [maxDigits + 8]byte
	if same(strconv.AppendFloat(room[:0], v, 'e', n-1, 64), digits) {
		return true
	}
	// Beside a power of two the shortest text that means v is not always the nearest of its length.
	return n <= shortest && same(strconv.AppendFloat(room[:0], v, 'e', -1, bits), digits)
}

// same compares the digits of a float64 in the notation d.ddde±dd with others.
func same(printed, digits []byte) bool {
	printed = bytes.TrimPrefix(printed, []byte("-"))
	printed = printed[:bytes.IndexByte(printed, 'e')]
	for _, c := range digits {
		if c == '.' {
			continue
		}
		if len(printed) > 0 && printed[0] == '.' {
			printed = printed[1:]
		}
		if len(printed) == 0 || printed[0] != c {
			return false
		}
		printed = printed[1:]
	}
	return len(printed) == 0
}
