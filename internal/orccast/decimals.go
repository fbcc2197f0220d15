package orccast

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

func scaleOf(f column) int { return int(f.typ.(*arrow.Decimal128Type).Scale) }

// signs are booleans of decimals: unlike those of other numbers nothing is cut off before.
func signs(in *input) []int64 {
	out := make([]int64, in.n)
	for i, x := range in.decimals() {
		if x != (decimal128.Num{}) {
			out[i] = 1
		}
	}
	return out
}

func intsOfDecimals(f column) func(in *input) []int64 {
	scale := scaleOf(f)
	return func(in *input) []int64 {
		out := make([]int64, in.n)
		for i, x := range in.decimals() {
			var ok bool
			if out[i], ok = numberOf(x, scale).long(); !ok {
				in.drop(i)
			}
		}
		return out
	}
}

// exactTens are the powers of ten that a double holds.
var exactTens = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

func doublesOfDecimals(f column) func(in *input) []float64 {
	scale := scaleOf(f)
	return func(in *input) []float64 {
		out := make([]float64, in.n)
		var b []byte
		for i, x := range in.decimals() {
			n := numberOf(x, scale)
			if n.digits.hi == 0 && n.digits.lo < 1<<53 && scale < len(exactTens) {
				out[i] = float64(n.digits.lo) / exactTens[scale] // both exact, so rounded once
				if n.negative {
					out[i] = -out[i]
				}
				continue
			}
			b = n.append(b[:0])
			out[i], _ = strconv.ParseFloat(string(b), 64)
		}
		return out
	}
}

func decimalKernel(f, t column) func(in *input) (output, error) {
	to := t.typ.(*arrow.Decimal128Type)
	p, s := int(to.Precision), int(to.Scale)
	if p < 1 || p > 38 || s < 0 || s > p {
		return nil
	}
	var one func(in *input, put func(i int, x number, ok bool))
	switch f.family {
	case boolean, integer:
		one = func(in *input, put func(int, number, bool)) {
			for i, x := range in.longs() {
				put(i, numberOfLong(x), true)
			}
		}
	case floating:
		one = func(in *input, put func(int, number, bool)) {
			var b []byte
			for i, x := range in.doubles() {
				b = appendDouble(b[:0], x)
				n, ok := parseDecimal(b)
				put(i, n, ok)
			}
		}
	case decimal:
		from := f.typ.(*arrow.Decimal128Type)
		if from.Scale < 0 || from.Scale <= to.Scale && from.Precision-from.Scale <= to.Precision-to.Scale {
			return nil // widened
		}
		one = func(in *input, put func(int, number, bool)) {
			for i, x := range in.decimals() {
				put(i, numberOf(x, int(from.Scale)), true)
			}
		}
	case text:
		one = func(in *input, put func(int, number, bool)) {
			texts := in.texts()
			for i := range in.n {
				n, ok := parseDecimal(texts.at(i))
				put(i, n, ok)
			}
		}
	case instant:
		one = func(in *input, put func(int, number, bool)) {
			times := in.times()
			for i, secs := range times.secs {
				put(i, secondsOf(secs, times.nanos[i]), true)
			}
		}
	default:
		return nil
	}
	return func(in *input) (output, error) {
		b := buffer[[16]byte](in.mem, in.n)
		dst := values128(b.Bytes(), in.n)
		one(in, func(i int, x number, ok bool) {
			if ok {
				dst[i], ok = x.fit(p, s)
			}
			if !ok {
				dst[i] = decimal128.Num{}
				in.drop(i)
			}
		})
		return output{b}, nil
	}
}

func values128(b []byte, n int) []decimal128.Num {
	if n == 0 {
		return nil
	}
	return arrow.GetData[decimal128.Num](b)[:n]
}

// secondsOf is a time as orc-core makes a decimal of it: the second before 1970 counts upwards from 0, as the one after.
func secondsOf(secs int64, nanos int32) number {
	if secs < 0 && nanos > 0 {
		secs++
		nanos = 1_000_000_000 - nanos
	}
	n := numberOfLong(secs)
	n.digits, _ = n.digits.times(1_000_000_000)
	n.digits, n.scale = n.digits.plus(uint64(nanos)), 9
	return n
}

// parseDecimal reads a decimal as Hive does: blanks around it go; digits before the point, if there are none at most
// digits behind it and nothing more; the 39th digit rounds the 38th; of an exponent two digits.
func parseDecimal(b []byte) (x number, ok bool) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) > 1 && (b[0] == '-' || b[0] == '+') {
		x.negative, b = b[0] == '-', b[1:]
	}
	i, digits := 0, 0 // digits are those that count: no leading zeros
	for ; i < len(b) && isDigit(b[i]); i++ {
		if digits > 0 || b[i] != '0' {
			if digits++; digits > 38 {
				return x, false
			}
			x.digits = x.digits.push(b[i])
		}
	}
	whole := i > 0
	var roundUp bool
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && isDigit(b[i]); i++ {
			if digits == 38 {
				roundUp = b[i] >= '5'
				for i < len(b) && isDigit(b[i]) {
					i++
				}
				break
			}
			digits++
			x.digits, x.scale = x.digits.push(b[i]), x.scale+1
		}
		if x.scale == 0 && !whole && !roundUp || !whole && digits < 38 && i < len(b) {
			return x, false
		}
	} else if !whole {
		return x, false
	}
	if roundUp {
		if x.digits = x.digits.plus(1); !x.digits.less(powers[38]) {
			if x.scale == 0 {
				return x, false
			}
			x.digits, x.scale = x.digits.cut(1), x.scale-1
		}
	}
	b = b[i:]
	exponent := 0
	if len(b) > 0 && b[0]|0x20 == 'e' {
		if exponent, b, ok = parseExponent(b[1:]); !ok {
			return x, false
		}
	}
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) > 0 {
		return x, false
	}
	return x.shifted(exponent)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (w wide) push(c byte) wide {
	w, _ = w.times(10)
	return w.plus(uint64(c - '0'))
}

// parseExponent reads what stands behind the letter. A sign must have something behind it, which may be a blank.
func parseExponent(b []byte) (exponent int, rest []byte, ok bool) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	if len(b) == 0 {
		return 0, nil, false
	}
	for significant := 0; len(b) > 0 && isDigit(b[0]); b = b[1:] {
		if significant == 2 {
			return 0, nil, false
		}
		if b[0] != '0' || exponent != 0 {
			exponent = exponent*10 + int(b[0]-'0')
			significant++
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, b, true
}

// shifted returns x * 10^k, rounded to 38 digits behind the point; false = it has more before it.
func (x number) shifted(k int) (number, bool) {
	if x.digits == (wide{}) {
		return number{}, true
	}
	if x.scale -= k; x.scale > 38 {
		x.digits, x.scale = x.digits.halfUp(x.scale-38), 38
	}
	if x.scale < 0 {
		d, ok := x.digits.scaled(-x.scale)
		if !ok || !d.less(powers[38]) {
			return x, false
		}
		x.digits, x.scale = d, 0
	}
	return x, true
}
