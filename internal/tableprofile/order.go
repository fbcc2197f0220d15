package tableprofile

import "math"

// The order of a number is an unsigned number: that of a smaller number is smaller, and no two have the same.

const signBit = 1 << 63

func orderOfInt(v int64) uint64 { return uint64(v) ^ signBit }

func intOfOrder(o uint64) int64 { return int64(o ^ signBit) }

// orderOfNaN is below that of all other floating point numbers.
const orderOfNaN = 0

// orderOfFloat is of numbers that are no NaN; both zeros have one order.
func orderOfFloat(v float64) uint64 {
	b := math.Float64bits(v + 0) // -0 + 0 = 0
	return b ^ (uint64(int64(b)>>63) | signBit)
}

func floatOfOrder(o uint64) float64 {
	return math.Float64frombits(o ^ (uint64(int64(^o)>>63) | signBit))
}

// mix makes a hash of a number; different numbers have different hashes. It is the last step of MurmurHash3 (fmix64).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
