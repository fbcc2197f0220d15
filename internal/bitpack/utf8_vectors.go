//go:build (amd64 || arm64) && !purego

package bitpack

import "unicode/utf8"

// pairFaults says what two bytes in a row must not be: a fault has a bit that is set for the upper half of the first byte, for its lower
// half, and for the upper half of the second one. Method: Keiser and Lemire, Validating UTF-8 In Less Than One Instruction Per Byte (2020).
var pairFaults = makePairFaults()

// twoContinuations is the bit of a pair that is no fault where the second byte is the third or the fourth of a character.
const twoContinuations = 1 << 7

func makePairFaults() (t [3][16]uint8) {
	fault := func(bit uint8, high, low, second [2]int) { // ranges of halves, both ends included
		for i, r := range [][2]int{high, low, second} {
			for k := r[0]; k <= r[1]; k++ {
				t[i][k] |= bit
			}
		}
	}
	anyLow, ascii, continuation, lead := [2]int{0, 15}, [2]int{0, 7}, [2]int{8, 11}, [2]int{12, 15}
	fault(1, lead, anyLow, ascii)                             // a character is cut off
	fault(1, lead, anyLow, lead)                              // likewise
	fault(2, ascii, anyLow, continuation)                     // a continuation of nothing
	fault(4, [2]int{14, 14}, [2]int{0, 0}, [2]int{8, 9})      // e0 80..9f: fits in two bytes
	fault(8, [2]int{15, 15}, [2]int{4, 15}, [2]int{9, 11})    // f4 90.. and above: beyond U+10FFFF
	fault(16, [2]int{14, 14}, [2]int{13, 13}, [2]int{10, 11}) // ed a0..bf: surrogates
	fault(32, [2]int{12, 12}, [2]int{0, 1}, continuation)     // c0, c1: fits in one byte
	fault(64, [2]int{15, 15}, [2]int{5, 15}, [2]int{8, 8})    // f5 and above
	fault(64, [2]int{15, 15}, [2]int{0, 0}, [2]int{8, 8})     // f0 80..8f: fits in three bytes
	fault(twoContinuations, continuation, anyLow, continuation)
	return t
}

// shortUTF8 is up to how many bytes the blocks do not pay.
const shortUTF8 = 24

func validUTF8(b []byte) bool {
	if len(b) <= shortUTF8 || !hasUTF8() {
		return utf8.Valid(b)
	}
	var tail [utf8Block]byte // zeros behind what is left: a character that goes on there is cut off
	blocks := len(b) / utf8Block
	copy(tail[:], b[blocks*utf8Block:])
	return utf8Blocks(&b[0], blocks, &tail[0], &pairFaults[0][0])
}
