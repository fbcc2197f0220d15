//go:build amd64 && !purego

package bitpack

import "unsafe"

//go:generate sh -c "cd unshuffleasm && go run ./sums -out ../sums_amd64.s -stubs ../sums_amd64.go -pkg bitpack"

// offsetVectors makes offsets of lengths, as many as fill vectors, and returns how many those are, and whether a length is negative or an
// offset is.
func offsetVectors(lens []int32, start int32) (k int, negative, overflow bool) {
	k = len(lens) &^ 7
	if k == 0 || !useAVX2 {
		return 0, false, false
	}
	signs := sums32AVX2((*byte)(unsafe.Pointer(&lens[0])), k/8, uint32(start))
	return k, signs&0xff != 0, signs>>8 != 0
}

// stepVectors is Steps for as many as fill vectors, and returns how many those are.
func stepVectors[T Integer](steps []T, start T, down bool) int {
	if len(steps) < 8 || !useAVX2 {
		return 0
	}
	d := (*byte)(unsafe.Pointer(&steps[0]))
	switch size := unsafe.Sizeof(start); {
	case size == 8:
		flip := uint64(0)
		if down {
			flip--
		}
		sums64AVX2(d, len(steps)/4, uint64(start), flip)
		return len(steps) &^ 3
	case size == 4 && !down:
		sums32AVX2(d, len(steps)/8, uint32(start))
		return len(steps) &^ 7
	}
	return 0
}
