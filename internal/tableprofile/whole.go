package tableprofile

// ends returns the least and the greatest of some numbers.
func ends(values []int64) (low, high int64) {
	low, high = values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// count returns how many of the values are v.
func count[T int64 | uint64](values []T, v T) (n int64) {
	for _, x := range values {
		if x == v {
			n++
		}
	}
	return n
}

// negatives returns how many of the values are below zero.
func negatives(values []int64) (n int64) {
	for _, v := range values {
		n += int64(uint64(v) >> 63)
	}
	return n
}

// away returns the difference of two numbers, rounded once.
func away(v, from int64) float64 {
	switch {
	case v^from >= 0:
		return float64(v - from)
	case v < 0:
		return -float64(uint64(from) - uint64(v))
	}
	return float64(uint64(v) - uint64(from))
}

// awayAll sets dst to how far numbers between low and high are away from one. Where no difference has more than 64 bits, which is nearly
// always, no sign has to be looked at.
func awayAll(dst []float64, values []int64, from, low, high int64) {
	if near(low, from) && near(high, from) {
		for i, v := range values {
			dst[i] = float64(v - from)
		}
		return
	}
	for i, v := range values {
		dst[i] = away(v, from)
	}
}

// near reports whether the difference of two numbers is one of 64 bits.
func near(v, from int64) bool { return (v^from)&(v^(v-from)) >= 0 }
