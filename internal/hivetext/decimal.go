package hivetext

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// rounded returns a decimal number with so many digits behind the point, half away from zero; nil = it is none, or has too many digits in
// front of it.
func rounded(v []byte, precision, scale int) []byte {
	number, exponent, _ := bytes.Cut(bytes.ToLower(v), []byte{'e'})
	if len(exponent) > 4 || len(v) > 400 || len(number) < len(v) && len(exponent) == 0 {
		return nil
	}
	sign := ""
	if len(number) > 0 && (number[0] == '-' || number[0] == '+') {
		sign, number = string(number[:1]), number[1:]
	}
	for _, c := range number {
		if c != '.' && c-'0' > 9 {
			return nil
		}
	}
	shift := 0
	if len(exponent) > 0 {
		n, err := strconv.Atoi(string(exponent))
		if err != nil {
			return nil
		}
		shift = n
	}
	whole, fraction, _ := strings.Cut(string(number), ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return nil
	}
	places := shift - len(fraction) + scale // of the last digit, from that of the scale
	if places >= 0 {
		digits.Mul(digits, power(places))
	} else {
		by := power(-places)
		digits.Add(digits, new(big.Int).Rsh(by, 1)) // a power of ten is even, or 1
		digits.Quo(digits, by)
	}
	if digits.Cmp(power(precision)) >= 0 {
		return nil
	}
	if sign == "+" {
		sign = ""
	}
	return []byte(sign + digits.String() + "e" + strconv.Itoa(-scale))
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
