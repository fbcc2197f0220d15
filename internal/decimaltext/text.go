package decimaltext

import (
	"math/bits"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// Append128 appends v divided by 10 to the power of scale.
func Append128(dst []byte, v decimal128.Num, scale int32) []byte {
	var room [40]byte
	return Append(dst, digits(room[:0], v.LowBits(), uint64(v.HighBits())), scale)
}

// Append256 appends v divided by 10 to the power of scale.
func Append256(dst []byte, v decimal256.Num, scale int32) []byte {
	w := v.Array()
	if sign := uint64(int64(w[1]) >> 63); w[2] == sign && w[3] == sign {
		var room [40]byte
		return Append(dst, digits(room[:0], w[0], w[1]), scale)
	}
	return Append(dst, v.BigInt().Append(nil, 10), scale)
}

// digits appends the digits of a number of 128 bits, two's complement, after its sign.
func digits(dst []byte, low, high uint64) []byte {
	if high == uint64(int64(low)>>63) {
		return strconv.AppendInt(dst, int64(low), 10)
	}
	if int64(high) < 0 {
		dst = append(dst, '-')
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	const pow = 1e19 // the largest power of ten that a word holds; high is at most 1<<63, which is less
	q, r := bits.Div64(high, low, pow)
	if q == 0 {
		return strconv.AppendUint(dst, r, 10)
	}
	dst = strconv.AppendUint(dst, q, 10)
	from := len(dst)
	dst = append(dst, "0000000000000000000"...)
	for i := len(dst) - 1; r > 0 && i >= from; i-- {
		dst[i] = byte('0' + r%10)
		r /= 10
	}
	return dst
}

// Append appends the digits of an integer, which a sign may precede, with the point of a scale between them. A scale below 0 is
// zeros behind them.
func Append(dst, digits []byte, scale int32) []byte {
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale <= 0 {
		dst = append(dst, digits...)
		if len(digits) > 1 || digits[0] != '0' {
			for ; scale < 0; scale++ {
				dst = append(dst, '0')
			}
		}
		return dst
	}
	if whole := len(digits) - int(scale); whole > 0 {
		return append(append(append(dst, digits[:whole]...), '.'), digits[whole:]...)
	}
	dst = append(dst, '0', '.')
	for k := int(scale) - len(digits); k > 0; k-- {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
