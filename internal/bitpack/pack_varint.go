package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// PutVarints writes src as varints, zig-zag coded if they are signed, to dst, which must have MaxVarint64 bytes for each
// and VarintRoom behind. It returns how many bytes that were; the rest of dst is scratch.
func PutVarints[T Integer](dst []byte, src []T, signed bool) int {
	_ = dst[len(src)*MaxVarint64+VarintRoom-1]
	if signed {
		return putVarints[T, zigzag](dst, src)
	}
	return putVarints[T, plain](dst, src)
}

func putVarints[T Integer, Z coding](dst []byte, src []T) (p int) {
	for _, v := range src {
		x := packed[T, Z](v)
		b := (*[VarintRoom]byte)(dst[p:])
		if x < 0x80 {
			b[0] = byte(x)
			p++
			continue
		}
		p += putLong(b, x)
	}
	return p
}

// putLong writes a varint of any size.
func putLong(b *[VarintRoom]byte, x uint64) int {
	f := &forms[bits.Len64(x)]
	binary.LittleEndian.PutUint64(b[:], expand(x)|f.more)
	if f.size > 8 {
		b[8] = byte(x>>56)&0x7f | byte(x>>63)<<7
		b[9] = byte(x >> 63)
	}
	return f.size
}

// DecimalRoom is the space for one decimal of PutDecimals.
const DecimalRoom = maxVarint128

// PutDecimals writes numbers of two words, low and high, as zig-zag varints of up to 128 bits to dst, which must have
// DecimalRoom bytes for each and VarintRoom behind. It returns how many bytes that were; the rest of dst is scratch.
func PutDecimals(dst []byte, src [][2]uint64) (p int) {
	_ = dst[len(src)*DecimalRoom+VarintRoom-1]
	if !putsFast() {
		return putDecimals(dst, src)
	}
	slow := slowVarints
	for len(src) > 0 {
		n, k := putDecimalsFast(dst[p:], len(dst)-VarintRoom-p, src)
		src, p = src[n:], p+k
		if slow = 2 * slow; n > 0 {
			slow = slowVarints
		}
		n = min(len(src), slow)
		p += putDecimals(dst[p:], src[:n])
		src = src[n:]
	}
	return p
}

func putDecimals(dst []byte, src [][2]uint64) (p int) {
	for i := range src {
		low, high := src[i][0], src[i][1]
		sign := uint64(int64(high) >> 63)
		x := low<<1 ^ sign
		b := (*[VarintRoom]byte)(dst[p:])
		if (low^sign)>>55|(high^sign) == 0 { // 56 bits
			f := &forms[bits.Len64(x)]
			binary.LittleEndian.PutUint64(b[:], expand(x)|f.more)
			p += f.size
			continue
		}
		high = (high<<1 | low>>63) ^ sign
		for ; high != 0; p++ {
			dst[p] = byte(x) | 0x80
			x = x>>7 | high<<57
			high >>= 7
		}
		p += putLong((*[VarintRoom]byte)(dst[p:]), x)
	}
	return p
}
