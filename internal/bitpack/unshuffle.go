package bitpack

import (
	"encoding/binary"
	"unsafe"
)

//go:generate sh -c "cd unshuffleasm && go run . -out ../unshuffle_amd64.s -stubs ../unshuffle_amd64.go -pkg bitpack"

// Bit-shuffled elements, as the bitshuffle library and Kudu store them: all bits of one place together, in planes of
// n/8 bytes. n elements of two bytes, n = 16:
//
//	plane 0           plane 1           …  plane 7           plane 8           …  plane 15
//	hgfedcba ponmlkji hgfedcba ponmlkji    hgfedcba ponmlkji hgfedcba ponmlkji    hgfedcba ponmlkji
//
// a to p are the elements; plane 8j+k holds bit k, counted from the lowest, of their byte j, in little-endian order.

// Unshuffle puts the bits of len(dst)/width elements of width bytes back together. The width must be 1, 2, 4, 8 or 16,
// len(dst) a multiple of eight elements, and src as long as dst; what lies behind that in src is not read. dst and src
// must not overlap. Anything else is a bug of the caller, and panics.
func Unshuffle(dst, src []byte, width int) {
	src = src[:len(dst)]
	st := stride(len(dst), width)
	switch {
	case st == 0:
	case st < wordTurn:
		unshuffleFew(dst, src, st, width)
	case unshuffleVectors(dst, src, st, width):
	default:
		unshuffleWords(dst, src, st, width)
	}
}

// UnshuffleCodes is Unshuffle for unsigned elements of 1, 2 or 4 bytes that are wanted in 32 bits, like the code words
// of a dictionary. The first len(dst)*width bytes of src are read.
func UnshuffleCodes(dst []int32, src []byte, width int) {
	n := len(dst) * width
	src = src[:n]
	st := stride(n, width)
	switch {
	case width > 4:
		panic("bitpack: codes wider than 32 bits")
	case width == 4:
		Unshuffle(bytesOf(dst), src, 4)
		if bigEndian {
			for i, b := 0, bytesOf(dst); i < len(dst); i++ {
				dst[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
			}
		}
	case st == 0:
	case st < wordTurn:
		var few [2 * 8 * wordTurn]byte
		unshuffleFew(few[:n], src, st, width)
		for i := range dst {
			dst[i] = int32(few[i])
			if width == 2 {
				dst[i] = int32(binary.LittleEndian.Uint16(few[2*i:]))
			}
		}
	case codesVectors(dst, src, st, width):
	case width == 1:
		codes1(dst, src, st)
	default:
		codes2(dst, src, st)
	}
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

func bytesOf(v []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// stride returns the bytes of a plane of size bytes of elements.
func stride(size, width int) int {
	switch width {
	case 1, 2, 4, 8, 16:
	default:
		panic("bitpack: elements to unshuffle are 1, 2, 4, 8 or 16 bytes wide")
	}
	if size%(8*width) != 0 {
		panic("bitpack: elements to unshuffle come in eights")
	}
	return size / (8 * width)
}

// unshuffleFew is for planes that are shorter than a word: they go into planes of a word each.
func unshuffleFew(dst, src []byte, st, width int) {
	var planes, elements [8 * 16 * wordTurn]byte
	for p := range 8 * width {
		copy(planes[p*wordTurn:(p+1)*wordTurn], src[p*st:(p+1)*st])
	}
	unshuffleWords(elements[:8*width*wordTurn], planes[:8*width*wordTurn], wordTurn, width)
	copy(dst, elements[:])
}
