//go:build amd64 && !purego

package bitpack

import "unsafe"

//go:generate sh -c "cd unshuffleasm && go run ./sizes -out ../sizes_amd64.s -stubs ../sizes_amd64.go -pkg bitpack"

// sizesTurn is how many bytes the kernels look at at once.
const sizesTurn = 128

// bitsVectors is UsedBits of the first k values.
func bitsVectors[T ~int8 | ~int16 | ~int32 | ~int64](v []T, invert uint64) (all uint64, k int) {
	var x T
	size := unsafe.Sizeof(x)
	turns := len(v) * int(size) / sizesTurn
	if turns == 0 || !useAVX2 {
		return 0, 0
	}
	src := (*byte)(unsafe.Pointer(&v[0]))
	switch size {
	case 4:
		return uint64(T(sizes32AVX2(src, turns, uint32(invert)))), turns * sizesTurn / 4
	case 8:
		return sizes64AVX2(src, turns, invert), turns * sizesTurn / 8
	}
	return 0, 0
}

// withinVectors is Within of the first k numbers.
func withinVectors(words [][2]uint64, limit uint64) (ok bool, k int) {
	turns := len(words) * 16 / sizesTurn
	if turns == 0 || !useAVX2 {
		return true, 0
	}
	return withinAVX2((*byte)(unsafe.Pointer(&words[0])), turns, limit) == 0, turns * sizesTurn / 16
}
