//go:build amd64 && !purego

package bitpack

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:generate sh -c "cd unshuffleasm && go run ./putvarints -out ../putvarint_amd64.s -stubs ../putvarint_amd64.go -pkg bitpack"

var hasLZCNT = cpuid.CPU.Supports(cpuid.LZCNT)

// putsFast reports whether the machine has what the kernels need.
func putsFast() bool { return useBMI2 && hasLZCNT }

// putZigzagFast writes zig-zag varints of src to dst, up to the first that takes more than 56 bits, or would begin at room or behind; dst
// has eight bytes behind room. It returns how many it wrote, and the bytes they take: none if the machine cannot.
func putZigzagFast[T Signed](dst []byte, room int, src []T) (values, size int) {
	if !putsFast() || len(src) == 0 || room <= 0 {
		return 0, 0
	}
	_ = dst[room+7]
	d, s := &dst[0], (*byte)(unsafe.Pointer(&src[0]))
	switch unsafe.Sizeof(src[0]) {
	case 4:
		return putZigzag32BMI2(d, room, s, len(src))
	case 8:
		return putZigzag64BMI2(d, room, s, len(src))
	}
	return 0, 0
}

// putDecimalsFast is putZigzagFast for numbers of two words.
func putDecimalsFast(dst []byte, room int, src [][2]uint64) (values, size int) {
	if !putsFast() || len(src) == 0 || room <= 0 {
		return 0, 0
	}
	_ = dst[room+7]
	return putZigzag128BMI2(&dst[0], room, (*byte)(unsafe.Pointer(&src[0])), len(src))
}
