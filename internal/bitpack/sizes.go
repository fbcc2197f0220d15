package bitpack

// UsedBits returns the values, as integers of 64 bits, combined by or. Where zigzag is set, those that are negative are inverted first: the
// result has one bit less than the zig-zag code of the value that has most.
func UsedBits[T ~int8 | ~int16 | ~int32 | ~int64](v []T, zigzag bool) uint64 {
	signs := int64(0)
	if zigzag {
		signs = -1
	}
	all, k := bitsVectors(v, uint64(signs))
	a, b := int64(all), int64(0)
	for v = v[k:]; len(v) >= 4; v = v[4:] {
		q := (*[4]T)(v)
		x0, x1, x2, x3 := int64(q[0]), int64(q[1]), int64(q[2]), int64(q[3])
		a |= (x0 ^ x0>>63&signs) | (x1 ^ x1>>63&signs)
		b |= (x2 ^ x2>>63&signs) | (x3 ^ x3>>63&signs)
	}
	for _, x := range v {
		a |= int64(x) ^ int64(x)>>63&signs
	}
	return uint64(a | b)
}

// Within reports whether all numbers of two words, the low one first, are -limit to limit. limit has up to 63 bits.
func Within(words [][2]uint64, limit uint64) bool {
	ok, k := withinVectors(words, limit)
	if !ok {
		return false
	}
	var least, great int64
	var wide uint64
	for i := range words[k:] {
		w := &words[k+i]
		low := int64(w[0])
		least, great = min(least, low), max(great, low)
		wide |= w[1] ^ uint64(low>>63)
	}
	return wide == 0 && least >= -int64(limit) && great <= int64(limit)
}
