//go:build amd64 && !purego

package bitpack

import "golang.org/x/sys/cpu"

// vectorTurn is wordTurn for the vector kernels.
const vectorTurn = 32

// useAVX2 is a variable for the sake of tests.
var useAVX2 = cpu.X86.HasAVX2

// unshuffleVectors is Unshuffle with 32 bytes of a plane at a time. It reports false, and does nothing, if planes are
// too short or the machine cannot.
func unshuffleVectors(dst, src []byte, st, width int) bool {
	if !useAVX2 || st < vectorTurn {
		return false
	}
	d, s := &dst[0], &src[0] // both hold 8*width*st bytes: st comes from their length
	switch width {
	case 1:
		unshuffle1AVX2(d, s, st)
	case 2:
		unshuffle2AVX2(d, s, st)
	case 4:
		unshuffle4AVX2(d, s, st)
	case 8:
		unshuffle8AVX2(d, s, st)
	case 16:
		unshuffle16AVX2(d, s, st)
	}
	return true
}

// codesVectors is UnshuffleCodes likewise, for widths 1 and 2.
func codesVectors(dst []int32, src []byte, st, width int) bool {
	if !useAVX2 || st < vectorTurn {
		return false
	}
	if width == 1 {
		codes1AVX2(&dst[0], &src[0], st)
	} else {
		codes2AVX2(&dst[0], &src[0], st)
	}
	return true
}
