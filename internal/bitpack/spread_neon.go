//go:build arm64 && !purego

package bitpack

import "unsafe"

// A move fills four slots: the bytes of the values that they get, where 0xff makes a zero, and how far the values that were used reach.
type (
	moves32 struct {
		order [16][16]uint8
		used  [16]uint8
	}
	moves64 struct {
		order [16][32]uint8
		used  [16]uint8
	}
)

var (
	allMoves32 = makeMoves32()
	allMoves64 = makeMoves64()
)

func makeMoves32() (m moves32) {
	for b := range m.order {
		m.used[b] = fillMoves(m.order[b][:], uint8(b), 4)
	}
	return m
}

func makeMoves64() (m moves64) {
	for b := range m.order {
		m.used[b] = fillMoves(m.order[b][:], uint8(b), 8)
	}
	return m
}

// fillMoves writes the order of four slots, of which b has the validity, for values of so many bytes, and returns the bytes they use.
func fillMoves(order []uint8, b, width uint8) uint8 {
	used := uint8(0)
	for slot := range uint8(4) {
		for i := range width {
			at := &order[slot*width+i]
			*at = 0xff
			if b>>slot&1 == 1 {
				*at = used + i
			}
		}
		used += (b >> slot & 1) * width
	}
	return used
}

// spreadVectors is spreadTable for values of 32 and of 64 bits; false if the machine cannot. src has eight values more than w has bits.
func spreadVectors[T any](dst *[64]T, src []T, w uint64) bool {
	if !useNEON {
		return false
	}
	d, s := (*byte)(unsafe.Pointer(dst)), (*byte)(unsafe.Pointer((*[8]T)(src)))
	switch unsafe.Sizeof(dst[0]) {
	case 4:
		spread32NEON(d, s, w, &allMoves32)
	case 8:
		spread64NEON(d, s, w, &allMoves64)
	default:
		return false
	}
	return true
}

func spreadEndsVectors(_ *[64]int32, _ []int32, _ uint64) bool { return false }

// spread32NEON fills 64 slots of 32 bits with the values at src of those whose bits are set; others become zero. It reads 4 values from
// where the next one is, for each 4 slots. dst may lie before src.
//
//go:noescape
func spread32NEON(dst *byte, src *byte, valid uint64, by *moves32)

// spread64NEON is spread32NEON for slots of 64 bits.
//
//go:noescape
func spread64NEON(dst *byte, src *byte, valid uint64, by *moves64)
