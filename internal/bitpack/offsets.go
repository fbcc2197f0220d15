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
	if k, negative, overflow := offsetVectors(lens, offsets[0]); k > 0 {
		if negative || all < 0 {
			return 0, ErrNegative
		}
		if overflow {
			return 0, ErrOverflow
		}
		sum = int64(lens[k-1])
		lens = lens[k:]
	}
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

// Steps replaces steps by values: each is start and all steps up to and with it, which are added, or taken away if down is set, modulo
// what T holds.
func Steps[T Integer](steps []T, start T, down bool) {
	k := stepVectors(steps, start, down)
	if k > 0 {
		start = steps[k-1]
	}
	steps = steps[k:]
	if down {
		for i, d := range steps {
			start -= d
			steps[i] = start
		}
		return
	}
	for i, d := range steps {
		start += d
		steps[i] = start
	}
}
