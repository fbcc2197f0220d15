package expr

import (
	"encoding/binary"
	"math/bits"
)

// Bits travel in words, least significant bit first, like Arrow's bitmaps read in little-endian order.

func wordsFor(n int) int { return (n + 63) / 64 }

// wordAt is the up to 64 bits of a bitmap from bit off to bit end, the bits beyond clear. The bitmap must reach end.
func wordAt(bitmap []byte, off, end int) uint64 {
	at, shift := off/8, off%8
	var w uint64
	if at+9 <= len(bitmap) {
		w = binary.LittleEndian.Uint64(bitmap[at:]) >> shift
		w |= uint64(bitmap[at+8]) << 1 << (63 - shift) // the whole shift is 64 where shift is 0
	} else {
		for i, b := range bitmap[at:] {
			if k := 8*i - shift; k >= 0 {
				w |= uint64(b) << k
			} else {
				w |= uint64(b) >> -k
			}
		}
	}
	return w & lowBits(end-off)
}

// lowBits is the mask of the lowest n bits, all for 64 and more.
func lowBits(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// loadBits copies n bits from bit off of a bitmap into dst and clears the rest of the last word. It reports whether
// the bitmap is long enough.
func loadBits(dst []uint64, bitmap []byte, off, n int) bool {
	if n > 0 && (len(bitmap) < (off+n+7)/8) {
		return false
	}
	for i := range wordsFor(n) {
		dst[i] = wordAt(bitmap, off+64*i, off+n)
	}
	return true
}

func fill(w []uint64) {
	for i := range w {
		w[i] = ^uint64(0)
	}
}

func invert(w []uint64) {
	for i := range w {
		w[i] = ^w[i]
	}
}

// full reports whether the first n bits are all set.
func full(w []uint64, n int) bool {
	for i := range n / 64 {
		if w[i] != ^uint64(0) {
			return false
		}
	}
	return n%64 == 0 || ^w[n/64]&lowBits(n%64) == 0
}

func count(w []uint64) (n int) {
	for _, x := range w {
		n += bits.OnesCount64(x)
	}
	return n
}

// setRange sets the bits from lo to hi.
func setRange(w []uint64, lo, hi int) {
	if lo >= hi {
		return
	}
	first, last := lo/64, (hi-1)/64
	head, tail := ^uint64(0)<<(lo%64), lowBits((hi-1)%64+1)
	if first == last {
		w[first] |= head & tail
		return
	}
	w[first] |= head
	fill(w[first+1 : last])
	w[last] |= tail
}

// toBytes writes the first n bits as an Arrow bitmap.
func toBytes(w []uint64, n int) []byte {
	out := make([]byte, 8*wordsFor(n))
	for i := range wordsFor(n) {
		binary.LittleEndian.PutUint64(out[8*i:], w[i])
	}
	return out[:(n+7)/8]
}
