package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// word returns 64 bits from bit position i on; bits behind the end of b are zero.
func word(b []byte, i int) uint64 {
	k, r := i>>3, uint(i&7)
	if len(b)-k > 8 {
		s := (*[9]byte)(b[k:])
		return binary.LittleEndian.Uint64(s[:])>>r | uint64(s[8])<<1<<(63-r)
	}
	return lastWord(b, i)
}

func lastWord(b []byte, i int) uint64 {
	k, r := i>>3, uint(i&7)
	var s [8]byte
	if k < len(b) {
		copy(s[:], b[k:])
	}
	return binary.LittleEndian.Uint64(s[:]) >> r
}

// putWord writes 64 bits at bit position i; they must lie within b.
func putWord(b []byte, i int, v uint64) {
	k, r := i>>3, uint(i&7)
	if r == 0 {
		binary.LittleEndian.PutUint64(b[k:], v)
		return
	}
	s := (*[9]byte)(b[k:])
	low := s[0] & (1<<r - 1)
	binary.LittleEndian.PutUint64(s[:], v<<r|uint64(low))
	s[8] = s[8]&^(1<<r-1) | byte(v>>(64-r))
}

// putBits writes the lowest n bits of v at bit position i.
func putBits(b []byte, i int, v uint64, n int) {
	for n > 0 {
		k, r := i>>3, i&7
		m := min(8-r, n)
		mask := byte(1<<m-1) << r
		b[k] = b[k]&^mask | byte(v)<<r&mask
		v >>= uint(m)
		i += m
		n -= m
	}
}

// CopyBits copies n bits from bit position srcOff of src to dstOff of dst, lowest bit of each byte first. Other bits of
// dst stay as they are. Where the ranges overlap, dst must be the one that begins earlier.
func CopyBits(dst []byte, dstOff int, src []byte, srcOff, n int) {
	if n <= 0 {
		return
	}
	_ = src[(srcOff+n-1)>>3]
	if r := dstOff & 7; r != 0 {
		// To a byte of dst.
		head := min(8-r, n)
		putBits(dst, dstOff, word(src, srcOff), head)
		dstOff, srcOff, n = dstOff+head, srcOff+head, n-head
	}
	d, s, r := dst[dstOff>>3:], src[srcOff>>3:], uint(srcOff&7)
	if r == 0 {
		whole := n >> 3
		copy(d[:whole], s)
		d, s, n = d[whole:], s[whole:], n&7
	}
	for n >= 64 && len(s) >= 9 {
		b := (*[9]byte)(s)
		binary.LittleEndian.PutUint64(d, binary.LittleEndian.Uint64(b[:])>>(r&63)|uint64(b[8])<<((64-r)&63))
		d, s, n = d[8:], s[8:], n-64
	}
	for off := 0; n > 0; n -= 64 { // one word, or one and a rest
		putBits(d, off, word(s, int(r)+off), min(n, 64))
		off += 64
	}
}

// FillBits sets n bits of b from bit position off on to v.
func FillBits(b []byte, off, n int, v bool) {
	if n <= 0 {
		return
	}
	var x byte
	if v {
		x = 0xff
	}
	first, last := off>>3, (off+n-1)>>3
	head := byte(0xff) << (off & 7)
	tail := byte(0xff) >> (7 - (off+n-1)&7)
	if first == last {
		head &= tail
		b[first] = b[first]&^head | x&head
		return
	}
	b[first] = b[first]&^head | x&head
	b[last] = b[last]&^tail | x&tail
	mid := b[first+1 : last]
	for ; len(mid) >= 8; mid = mid[8:] {
		binary.LittleEndian.PutUint64(mid, uint64(x)*0x0101010101010101)
	}
	for i := range mid {
		mid[i] = x
	}
}

// CountBits returns how many of the n bits of b from bit position off on are set.
func CountBits(b []byte, off, n int) (set int) {
	if n <= 0 {
		return 0
	}
	_ = b[(off+n-1)>>3]
	if r := off & 7; r != 0 {
		head := min(8-r, n)
		set = bits.OnesCount8(b[off>>3] >> r & (1<<head - 1))
		off, n = off+head, n-head
	}
	s := b[off>>3:]
	for ; n >= 256; n -= 256 {
		q := (*[32]byte)(s)
		set += bits.OnesCount64(binary.LittleEndian.Uint64(q[:])) + bits.OnesCount64(binary.LittleEndian.Uint64(q[8:])) +
			bits.OnesCount64(binary.LittleEndian.Uint64(q[16:])) + bits.OnesCount64(binary.LittleEndian.Uint64(q[24:]))
		s = s[32:]
	}
	for ; n >= 64; n -= 64 {
		set += bits.OnesCount64(binary.LittleEndian.Uint64(s))
		s = s[8:]
	}
	return set + bits.OnesCount64(word(s, 0)&(1<<uint(n)-1))
}

// ReverseBits writes the bytes of src to dst with the order of the bits in each reversed: from a format whose first
// value is in the highest bit to Arrow, or back. dst must be as long as src and may be src itself.
func ReverseBits(dst, src []byte) {
	dst = dst[:len(src)]
	i := 0
	for ; i <= len(src)-8; i += 8 {
		x := binary.LittleEndian.Uint64(src[i:])
		x = x>>1&0x5555555555555555 | x&0x5555555555555555<<1
		x = x>>2&0x3333333333333333 | x&0x3333333333333333<<2
		x = x>>4&0x0f0f0f0f0f0f0f0f | x&0x0f0f0f0f0f0f0f0f<<4
		binary.LittleEndian.PutUint64(dst[i:], x)
	}
	for ; i < len(src); i++ {
		dst[i] = bits.Reverse8(src[i])
	}
}

// Runs walks over the runs of set bits of a bitmap.
type Runs struct {
	b        []byte
	off      int
	pos, end int
}

// NewRuns returns the runs among the n bits of b from bit position off on.
func NewRuns(b []byte, off, n int) Runs {
	if n > 0 {
		_ = b[(off+n-1)>>3]
	}
	return Runs{b: b, off: off, pos: off, end: off + max(n, 0)}
}

// Next returns the next run: its start, counted from the first of the n bits, and its length. A length of 0 is the end.
func (r *Runs) Next() (start, n int) {
	pos := r.find(r.pos, 0)
	if pos == r.end {
		r.pos = pos
		return pos - r.off, 0
	}
	r.pos = r.find(pos, ^uint64(0))
	return pos - r.off, r.pos - pos
}

// find returns the first position from pos on of a bit that differs from those of flip, or the end.
func (r *Runs) find(pos int, flip uint64) int {
	for pos < r.end {
		if w := word(r.b, pos) ^ flip; w != 0 {
			return min(pos+bits.TrailingZeros64(w), r.end)
		}
		pos += 64
	}
	return r.end
}
