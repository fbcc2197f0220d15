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

// spreadVectors is spreadTable for values of 32 and of 64 bits; false if the machine cannot. src has eight values more than w has bits.
func spreadVectors[T any](dst *[64]T, src []T, w uint64) bool {
	if !useAVX2 {
		return false
	}
	d, s := (*byte)(unsafe.Pointer(dst)), (*byte)(unsafe.Pointer((*[8]T)(src)))
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

// before is ends less one: places among the ends behind the first.
var before = makeBefore()

func makeBefore() (t [256][8]int8) {
	for b := range t {
		for j, k := range ends[b] {
			t[b][j] = int8(k) - 1
		}
	}
	return t
}

// spreadEndsVectors is spreadEnds; false if the machine cannot.
func spreadEndsVectors(dst *[64]int32, src []int32, w uint64) bool {
	if !useAVX2 {
		return false
	}
	spreadEndsAVX2(&dst[0], &(*[9]int32)(src)[0], w, &before[0][0])
	return true
}
