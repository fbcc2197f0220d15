package orc

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// decimalBounds reads bounds, which are text, as numbers of the column's scale, rounded away from the values.
func (c *subject) decimalBounds(s *orcwire.DecimalStats) (lo, hi scalar.Scalar) {
	if s == nil || !c.file.quirks.DecimalStatsTrusted(c.typ.Precision) {
		return nil, nil
	}
	return c.decimal(s.Min, false), c.decimal(s.Max, true)
}

func (c *subject) decimal(text string, up bool) scalar.Scalar {
	t := c.values.(*arrow.Decimal128Type)
	v, ok := parseDecimal(text, int(t.Scale), up)
	if !ok || v.BitLen() > 127 {
		return nil
	}
	return scalar.NewDecimal128Scalar(decimal128.FromBigInt(v), t)
}

// decimalDigits bounds the text of a decimal, exponent and digits, that is worth reading: 38 digits and some zeros.
const decimalDigits = 128

// parseDecimal returns the number that text is times 10^scale, rounded up or down; false if text is no number, or a very
// long one.
func parseDecimal(text string, scale int, up bool) (*big.Int, bool) {
	if len(text) > decimalDigits {
		return nil, false
	}
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	shift := scale
	if has {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > decimalDigits || e < -decimalDigits {
			return nil, false
		}
		shift += e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if strings.ContainsAny(fraction, "+-") {
		return nil, false
	}
	if unsigned := strings.TrimLeft(digits, "+-"); unsigned == "" || len(digits)-len(unsigned) > 1 || strings.Trim(unsigned, "0123456789") != "" {
		return nil, false
	}
	v, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, false
	}
	if shift -= len(fraction); shift >= 0 {
		return v.Mul(v, tenTo(shift)), true
	}
	v, rest := v.DivMod(v, tenTo(-shift), new(big.Int)) // Euclid's: down
	if up && rest.Sign() != 0 {
		v.Add(v, big.NewInt(1))
	}
	return v, true
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// decimalText prints v / 10^scale: no zeros at the end of the fraction, no exponent.
func decimalText(v *big.Int, scale int) string {
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	digits := new(big.Int).Abs(v).String()
	if n := scale + 1 - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	whole, fraction := digits[:len(digits)-scale], strings.TrimRight(digits[len(digits)-scale:], "0")
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}
