package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// VarintRoom is the space behind the last varint that PutZigzag wants: it stores eight bytes at a time.
const VarintRoom = 16

// PutZigzag writes zig-zag varints of src to dst. It stops at the first that would begin at len(dst)-VarintRoom or
// behind, and returns how many it wrote and the bytes they took; the rest of dst is scratch. A dst of size+VarintRoom
// bytes takes values until size bytes are reached or passed, as a Trevni block does.
func PutZigzag[T Signed](dst []byte, src []T) (values, size int) {
	if !putsFast() {
		return putZigzag(dst, src)
	}
	slow := slowVarints
	for room := len(dst) - VarintRoom; values < len(src) && size < room; {
		n := putSmall(dst[size:room], src[values:])
		values, size = values+n, size+n
		part := src[values:min(values+putAtOnce, len(src))]
		n, k := putZigzagFast(dst[size:], room-size, part)
		values, size = values+n, size+k
		if n == len(part) {
			continue
		}
		if slow = 2 * slow; n > 0 {
			slow = slowVarints
		}
		n, k = putZigzag(dst[size:], src[values:min(values+slow, len(src))])
		values, size = values+n, size+k
	}
	return values, size
}

const (
	// putAtOnce is how many values the kernels have before it is looked whether one byte each will do from there on.
	putAtOnce = 64
	// slowVarints is how many values come between two trials of the kernels, which stop at large ones; more where they take none.
	slowVarints = 16
)

// putSmall writes as many groups of eight values as take one byte each, and returns how many values that is.
func putSmall[T Signed](dst []byte, src []T) (n int) {
	for len(dst) >= 8 && len(src) >= 8 {
		d, s := (*[8]byte)(dst), (*[8]T)(src)
		a, b, c, e := zigzagOf(s[0]), zigzagOf(s[1]), zigzagOf(s[2]), zigzagOf(s[3])
		if a|b|c|e >= 0x80 {
			break
		}
		f, g, h, i := zigzagOf(s[4]), zigzagOf(s[5]), zigzagOf(s[6]), zigzagOf(s[7])
		if f|g|h|i >= 0x80 {
			break
		}
		binary.LittleEndian.PutUint64(d[:], a|b<<8|c<<16|e<<24|f<<32|g<<40|h<<48|i<<56)
		dst, src, n = dst[8:], src[8:], n+8
	}
	return n
}

func putZigzag[T Signed](dst []byte, src []T) (values, size int) {
	p := 0
	for i, v := range src {
		if p >= len(dst)-VarintRoom {
			return i, p
		}
		b := (*[VarintRoom]byte)(dst[p:])
		x := zigzagOf(v)
		if x < 0x80 {
			b[0] = byte(x)
			p++
			continue
		}
		f := &forms[bits.Len64(x)]
		binary.LittleEndian.PutUint64(b[:], expand(x)|f.more)
		if f.size > 8 {
			b[8] = byte(x>>56)&0x7f | byte(x>>63)<<7
			b[9] = byte(x >> 63)
		}
		p += f.size
	}
	return len(src), p
}

// zigzagOf maps 0 -1 1 -2 … to 0 1 2 3 ….
func zigzagOf[T Signed](v T) uint64 {
	x := int64(v)
	return uint64(x<<1) ^ uint64(x>>63)
}

// forms says, for each number of bits of a value, how many bytes its varint takes and which of the first eight have
// their top bit set.
var forms = makeForms()

type form struct {
	more uint64
	size int
}

func makeForms() (t [65]form) {
	for n := range t {
		f := &t[n]
		f.size = max((n+6)/7, 1)
		f.more = tops
		if f.size <= 8 {
			f.more &= 1<<(8*f.size-8) - 1
		}
	}
	return t
}

// expand is the inverse of compact, for the lowest 56 bits.
func expand(x uint64) uint64 {
	x = x&0x0fffffff | x&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	return x&0x007f007f007f007f | x&0x3f803f803f803f80<<1
}

// AppendZigzag appends the zig-zag varint of v.
func AppendZigzag[T Signed](dst []byte, v T) []byte { return binary.AppendVarint(dst, int64(v)) }
