package bitpack

import "math"

// Offsets turns lengths into offsets in place: offsets[0] is the start, offsets[1:] hold lengths, and each becomes the
// sum up to and with it. It returns the last offset. A negative length is ErrNegative, a sum above the reach of int32
// ErrOverflow; then offsets is undefined.
func Offsets(offsets []int32) (last int32, err error) {
	if len(offsets) == 0 {
		return 0, nil
	}
	// One test at the end: lengths below 2^31 cannot take the 64-bit sum around.
	sum, all := int64(offsets[0]), offsets[0]
	lens := offsets[1:]
	for i, l := range lens {
		all |= l
		sum += int64(l)
		lens[i] = int32(sum)
	}
	if all < 0 {
		return 0, ErrNegative
	}
	if sum > math.MaxInt32 {
		return 0, ErrOverflow
	}
	return int32(sum), nil
}
