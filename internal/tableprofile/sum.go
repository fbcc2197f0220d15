package tableprofile

import (
	"math"
	"math/big"
	"math/bits"
)

// wholeSum is the exact sum of whole numbers: 320 bits in two's complement, the lowest first, which 2^63 numbers of 256 bits cannot
// overflow.
type wholeSum struct{ limbs [5]uint64 }

// addInts adds numbers between low and high. Where their sum may have more than 64 bits, upper and lower halves are added up apart.
func (s *wholeSum) addInts(values []int64, low, high int64) {
	if most := math.MaxInt64 / int64(len(values)); low >= -most && high <= most {
		var sum int64
		for _, v := range values {
			sum += v
		}
		s.add(uint64(sum), uint64(sum>>63), uint64(sum>>63))
		return
	}
	for len(values) > 0 {
		part := values[:min(len(values), math.MaxInt32)]
		values = values[len(part):]
		var low, high int64
		for _, v := range part {
			low += v & math.MaxUint32
			high += v >> 32
		}
		s.add(uint64(high)<<32, uint64(high>>32), uint64(high>>63))
		s.add(uint64(low), 0, 0)
	}
}

// addTimes adds a number that is not negative so many times.
func (s *wholeSum) addTimes(v, times int64) {
	high, low := bits.Mul64(uint64(v), uint64(times))
	s.add(low, high, 0)
}

// add adds a number of 192 bits, top being the highest: of 128 bits, it is all ones if the number is negative, else 0.
func (s *wholeSum) add(low, high, top uint64) {
	sign := uint64(int64(top) >> 63)
	s.add256(low, high, top, sign, sign)
}

// add256 adds a number of 256 bits; sign is all ones if it is negative, else 0.
func (s *wholeSum) add256(a, b, c, d, sign uint64) {
	var carry uint64
	s.limbs[0], carry = bits.Add64(s.limbs[0], a, 0)
	s.limbs[1], carry = bits.Add64(s.limbs[1], b, carry)
	s.limbs[2], carry = bits.Add64(s.limbs[2], c, carry)
	s.limbs[3], carry = bits.Add64(s.limbs[3], d, carry)
	s.limbs[4] += sign + carry
}

// sum returns the sum.
func (s *wholeSum) sum() *big.Int {
	v := big.NewInt(int64(s.limbs[4]))
	for i := len(s.limbs) - 2; i >= 0; i-- {
		v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(s.limbs[i]))
	}
	return v
}

// meanOf returns the double next to sum / n / 10^scale; nil = it is beyond the greatest double.
func meanOf(sum *big.Int, n int64, scale int32) *float64 {
	above, below := new(big.Int).Set(sum), big.NewInt(n)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(int64(scale), -int64(scale))), nil)
	if scale < 0 {
		above.Mul(above, power)
	} else {
		below.Mul(below, power)
	}
	return nearest(new(big.Rat).SetFrac(above, below))
}

func nearest(r *big.Rat) *float64 {
	v, _ := r.Float64()
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// floatSum is the exact sum of floating point numbers: a whole number of the least positive double, 2^-1074, in digits of 32 bits, the
// lowest first, that are carried only now and then (Neal: Fast Exact Summation Using Small and Large Superaccumulators, 2015).
type floatSum struct {
	digits   [68]int64
	added    int
	infinite bool // a number was
}

const (
	fractionBits = 52
	untilCarried = 1 << 10 // numbers that add less than 2^53 each to a digit of less than 2^32
)

// addAll adds numbers, none of which is NaN.
func (s *floatSum) addAll(values []float64) {
	for _, v := range values {
		b := math.Float64bits(v)
		exponent := b >> fractionBits & 0x7ff
		fraction := b & (1<<fractionBits - 1)
		switch exponent {
		case 0x7ff:
			s.infinite = true
			continue
		case 0:
			exponent = 1
		default:
			fraction |= 1 << fractionBits
		}
		at, shift := (exponent-1)/32, (exponent-1)%32
		low, high := int64(fraction<<shift&math.MaxUint32), int64(fraction>>(32-shift))
		negative := int64(b) >> 63 // all ones, or 0
		s.digits[at] += low ^ negative - negative
		s.digits[at+1] += high ^ negative - negative
		if s.added++; s.added == untilCarried {
			s.carry()
		}
	}
}

// carry makes all digits but the last ones of 32 bits.
func (s *floatSum) carry() {
	s.added = 0
	for i := range len(s.digits) - 1 {
		s.digits[i+1] += s.digits[i] >> 32
		s.digits[i] &= math.MaxUint32
	}
}

// mean returns the double next to the mean of n numbers; nil = it is infinite, or there is none.
func (s *floatSum) mean(n int64) *float64 {
	if s.infinite {
		return nil
	}
	sum := new(big.Int)
	for i := len(s.digits) - 1; i >= 0; i-- {
		sum.Lsh(sum, 32).Add(sum, big.NewInt(s.digits[i]))
	}
	return nearest(new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(n), 1074)))
}
