//go:build amd64 && !purego

package bitpack

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:generate sh -c "cd unshuffleasm && go run ./varints -out ../varint_amd64.s -stubs ../varint_amd64.go -pkg bitpack"

// useBMI2 is a variable for the sake of tests. The kernels close gaps by PEXT, which AMD's processors before Zen 3 (family 19h) take
// a loop of microcode for: there the portable code is faster.
var useBMI2 = hasBMI2()

func hasBMI2() bool {
	slow := (cpuid.CPU.IsVendor(cpuid.AMD) || cpuid.CPU.IsVendor(cpuid.Hygon)) && cpuid.CPU.Family < 0x19
	return cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2) && !slow
}

// vectorBlocks decodes blocks of 64 bytes with room for 64 values, up to the first varint that is longer than most. It returns how many
// values it decoded, and the bytes they took; none if the machine cannot.
func vectorBlocks[T number, Z coding](dst []T, src []byte, most int) (i, p int) {
	if !useBMI2 || len(dst) < 64 || len(src) < SrcSlack {
		return 0, 0
	}
	var z Z
	d, s, signed := (*byte)(unsafe.Pointer(&dst[0])), &src[0], uint64(min(len(z), 1))
	if maxVarint[T]() == MaxVarint32 {
		return varints32BMI2(d, len(dst), s, len(src), uint64(most), signed)
	}
	return varints64BMI2(d, len(dst), s, len(src), uint64(most), signed)
}
