//go:build !amd64 || purego

package bitpack

func bitsVectors[T ~int8 | ~int16 | ~int32 | ~int64](_ []T, _ uint64) (all uint64, k int) {
	return 0, 0
}

func withinVectors(_ [][2]uint64, _ uint64) (ok bool, k int) { return true, 0 }
