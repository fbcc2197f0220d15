package expr

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

const (
	maxDigits128 = 38
	maxDigits256 = 76
)

var (
	errNumber      = errors.New("not a number")
	errNumberLong  = errors.New("a number of more than 76 digits")
	errNumberRange = errors.New("a number out of the range of float64")
)

// parseNumber reads [sign] digits [. digits] [e exponent] without rounding: an int64, a uint64, a decimal, or, if it has
// an exponent and fits none of them, a float64.
func parseNumber(s string) (scalar.Scalar, error) {
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 {
		return nil, errNumber
	}
	mantissa, exponent, hasExp := body, 0, false
	if i := strings.IndexAny(body, "eE"); i >= 0 {
		mantissa, hasExp = body[:i], true
		e, err := strconv.Atoi(body[i+1:])
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, errNumber
		}
		exponent = min(max(e, -1e6), 1e6)
	}
	whole, frac, hasPoint := strings.Cut(mantissa, ".")
	if digits(whole) != len(whole) || digits(frac) != len(frac) || whole+frac == "" {
		return nil, errNumber
	}
	text := strings.TrimLeft(whole+frac, "0")
	scale := len(frac) - exponent
	if hasPoint || hasExp { // at least one digit after the point tells it from an integer
		if pad := 1 - scale; pad > 0 && len(text)+pad <= maxDigits256 {
			text, scale = text+strings.Repeat("0", pad), 1
		}
		if text == strings.Repeat("0", len(text)) {
			text, scale = "", min(max(scale, 1), maxDigits256)
		}
	}
	if len(text) > maxDigits256 || scale > maxDigits256 || scale < 0 {
		if !hasExp {
			return nil, errNumberLong
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f == 0 {
			return nil, errNumberRange
		}
		return scalar.NewFloat64Scalar(f), nil
	}
	n, ok := new(big.Int).SetString("0"+text, 10)
	if !ok {
		return nil, errNumber
	}
	if s[0] == '-' {
		n.Neg(n)
	}
	switch {
	case scale > 0:
	case n.IsInt64():
		return scalar.NewInt64Scalar(n.Int64()), nil
	case n.IsUint64():
		return scalar.NewUint64Scalar(n.Uint64()), nil
	}
	return decimalScalar(n, max(len(text), scale, 1), scale), nil
}

// decimalScalar makes the narrower decimal that has the digits.
func decimalScalar(n *big.Int, precision, scale int) scalar.Scalar {
	if precision <= maxDigits128 {
		return scalar.NewDecimal128Scalar(toDecimal128(n), &arrow.Decimal128Type{Precision: int32(precision), Scale: int32(scale)})
	}
	return scalar.NewDecimal256Scalar(toDecimal256(n), &arrow.Decimal256Type{Precision: int32(precision), Scale: int32(scale)})
}

// toDecimal128 takes the low 128 bits of n in two's complement.
func toDecimal128(n *big.Int) decimal128.Num {
	w := words256(n)
	return decimal128.New(int64(w[1]), w[0])
}

// toDecimal256 takes the low 256 bits of n in two's complement.
func toDecimal256(n *big.Int) decimal256.Num {
	w := words256(n)
	return decimal256.New(w[3], w[2], w[1], w[0])
}

func words256(n *big.Int) (w [4]uint64) {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	rest := new(big.Int).Set(n)
	for i := range w {
		w[i] = new(big.Int).And(rest, mask).Uint64()
		rest.Rsh(rest, 64)
	}
	return w
}

// bigOf128 and bigOf256 are exact for every bit pattern; arrow's own conversions are not for the least value.
func bigOf128(n decimal128.Num) *big.Int {
	b := big.NewInt(n.HighBits())
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(n.LowBits()))
}

func bigOf256(n decimal256.Num) *big.Int {
	w := n.Array()
	b := big.NewInt(int64(w[3]))
	for i := 2; i >= 0; i-- {
		b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(w[i]))
	}
	return b
}

// decimalText writes n / 10^scale.
func decimalText(n *big.Int, scale int) string {
	s, sign := n.String(), ""
	if s[0] == '-' {
		s, sign = s[1:], "-"
	}
	switch {
	case scale > maxScale || scale < -maxScale:
		return fmt.Sprintf("%s%se%d", sign, s, -scale)
	case scale <= 0:
		if s == "0" {
			return s
		}
		return sign + s + strings.Repeat("0", -scale)
	case len(s) <= scale:
		s = strings.Repeat("0", scale-len(s)+1) + s
	}
	return sign + s[:len(s)-scale] + "." + s[len(s)-scale:]
}

// parseDouble reads DOUBLE '…', for the floats that plain numbers do not reach.
func parseDouble(s string) (scalar.Scalar, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("DOUBLE takes a number, NaN or Infinity; %q is out of range or none", s)
	}
	return scalar.NewFloat64Scalar(f), nil
}

func floatText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "DOUBLE 'Infinity'"
	case math.IsInf(f, -1):
		return "DOUBLE '-Infinity'"
	case f == math.Trunc(f) && math.Abs(f) < 1<<53: // also -0, which compares as 0
		return strconv.FormatInt(int64(f), 10)
	}
	return "DOUBLE '" + strconv.FormatFloat(f, 'g', -1, 64) + "'"
}
