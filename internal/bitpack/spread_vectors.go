//go:build amd64 && !purego

package bitpack

import "unsafe"

//go:generate sh -c "cd unshuffleasm && go run ./spread -out ../spread_amd64.s -stubs ../spread_amd64.go -pkg bitpack"

// pairs is sources for four slots of values of 64 bits, by halves of 32.
var pairs = makePairs()

func makePairs() (t [16][8]uint8) {
	for b := range t {
		for j, k := range sources[b][:4] {
			t[b][2*j], t[b][2*j+1] = nullSlot, nullSlot
			if k != nullSlot {
				t[b][2*j], t[b][2*j+1] = 2*k, 2*k+1
			}
		}
	}
	return t
}

// spreadVectors is spreadTable for values of 32 and of 64 bits; false if the machine cannot. src has 64 values.
func spreadVectors[T any](dst *[64]T, src []T, w uint64) bool {
	if !useAVX2 {
		return false
	}
	d, s := (*byte)(unsafe.Pointer(dst)), (*byte)(unsafe.Pointer((*[64]T)(src)))
	switch unsafe.Sizeof(dst[0]) {
	case 4:
		spread32AVX2(d, s, w, &sources[0][0])
	case 8:
		spread64AVX2(d, s, w, &pairs[0][0])
	default:
		return false
	}
	return true
}
