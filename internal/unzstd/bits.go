package unzstd

import "math/bits"

// backward reads a bit stream from its end: the first bit is the one below the highest set bit of the last byte. Bits of a
// number come highest first.
type backward struct {
	src []byte
	pos int // bits that are left; below zero: more were taken than there are
}

// open sets b to the start of the stream that fills src. It says whether there is one.
func (b *backward) open(src []byte) bool {
	if len(src) == 0 || src[len(src)-1] == 0 {
		return false
	}
	b.src = src
	b.pos = 8*len(src) - 1 - bits.LeadingZeros8(src[len(src)-1])
	return true
}

// take returns the next n bits, n <= 32; what is missing is zero.
func (b *backward) take(n uint) uint32 {
	b.pos -= int(n)
	return uint32(window(b.src, b.pos)) & uint32(1<<n-1)
}

// window returns 57 bits or more of src from bit pos up; what lies outside of src is zero.
func window(src []byte, pos int) uint64 {
	at := pos >> 3
	if at >= 0 && at+8 <= len(src) {
		return le64(src[at:]) >> (pos & 7)
	}
	var v uint64
	for k := range 8 {
		if i := at + k; i >= 0 && i < len(src) {
			v |= uint64(src[i]) << (8 * k)
		}
	}
	return v >> (pos & 7)
}
