package textvalues

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

func decimal128Of(t *arrow.Decimal128Type) func([]byte) (decimal128.Num, bool) {
	precision, scale := int(t.Precision), int(t.Scale)
	return func(v []byte) (decimal128.Num, bool) {
		w, negative, ok := unscaled(v, precision, scale)
		if !ok || w[3]|w[2] != 0 || w[1]>>63 != 0 {
			return decimal128.Num{}, false
		}
		x := decimal128.New(int64(w[1]), w[0])
		if negative {
			x = x.Negate()
		}
		return x, true
	}
}

func decimal256Of(t *arrow.Decimal256Type) func([]byte) (decimal256.Num, bool) {
	precision, scale := int(t.Precision), int(t.Scale)
	return func(v []byte) (decimal256.Num, bool) {
		w, negative, ok := unscaled(v, precision, scale)
		if !ok || w[3]>>63 != 0 {
			return decimal256.Num{}, false
		}
		x := decimal256.New(w[3], w[2], w[1], w[0])
		if negative {
			x = x.Negate()
		}
		return x, true
	}
}

const maxPrecision = 76

// words is an unsigned number, its lowest 64 bits first.
type words [4]uint64

// push makes of a number ten times that and a digit.
func (w *words) push(digit byte) {
	carry := uint64(digit)
	for i, x := range w {
		high, low := bits.Mul64(x, 10)
		low, over := bits.Add64(low, carry, 0)
		w[i], carry = low, high+over
	}
}

// unscaled reads a decimal number, a sign, digits with at most one point, an exponent, as a whole number of units of
// 10^-scale. It reports false for any other text, and for a number that has more digits than the precision or digits behind the
// last unit.
func unscaled(v []byte, precision, scale int) (x words, negative, ok bool) {
	if len(v) > 0 && (v[0] == '-' || v[0] == '+') {
		negative, v = v[0] == '-', v[1:]
	}
	most := min(precision, maxPrecision)
	digits, zeros, behind := 0, 0, 0 // digits in x; zeros read behind these; digits behind the point
	any, point := false, false
	i := 0
	for ; i < len(v); i++ {
		c := v[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c-'0' > 9 {
			break
		}
		any = true
		if point {
			behind++
		}
		if c == '0' {
			if digits > 0 {
				zeros++
			}
			continue
		}
		if digits += zeros + 1; digits > most {
			return x, false, false
		}
		for ; zeros > 0; zeros-- {
			x.push(0)
		}
		x.push(c - '0')
	}
	exponent, ok := exponentOf(v[i:])
	if !ok || !any {
		return x, false, false
	}
	if digits == 0 {
		return x, false, true
	}
	shift := zeros - behind + exponent + scale
	if shift < 0 || shift > most-digits {
		return x, false, false
	}
	for ; shift > 0; shift-- {
		x.push(0)
	}
	return x, negative, true
}

// exponentOf reads e, a sign and digits, or nothing.
func exponentOf(v []byte) (int, bool) {
	if len(v) == 0 {
		return 0, true
	}
	if v[0] != 'e' && v[0] != 'E' {
		return 0, false
	}
	v = v[1:]
	sign := 1
	if len(v) > 0 && (v[0] == '-' || v[0] == '+') {
		if v[0] == '-' {
			sign = -1
		}
		v = v[1:]
	}
	x := 0
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		x = min(10*x+int(c-'0'), 1<<40) // far beyond what any digits make up for
	}
	return sign * x, len(v) > 0
}
