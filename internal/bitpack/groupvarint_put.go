package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// GroupVarintRoom returns how many bytes PutGroupVarint needs at most for n values, its scratch included.
func GroupVarintRoom(n int) int { return (n+3)/4*groupBytes + 3 }

// PutGroupVarint writes src in group varint coding, as DecodeGroupVarint reads it, to dst, which must have
// GroupVarintRoom(len(src)) bytes. The last group is filled up with zeros. It returns how many bytes that were; the rest
// of dst is scratch.
func PutGroupVarint(dst []byte, src []uint32) (p int) {
	_ = dst[:GroupVarintRoom(len(src))]
	for len(src) >= 4 {
		p += putGroup((*[groupBytes + 3]byte)(dst[p:]), (*[4]uint32)(src))
		src = src[4:]
	}
	if len(src) > 0 {
		var last [4]uint32
		copy(last[:], src)
		p += putGroup((*[groupBytes + 3]byte)(dst[p:]), &last)
	}
	return p
}

// putGroup writes four values, each in four bytes of which the next value keeps as many as are needed.
func putGroup(d *[groupBytes + 3]byte, v *[4]uint32) int {
	a, b, c := more(v[0]), more(v[1]), more(v[2])
	e := more(v[3])
	d[0] = byte(a<<6 | b<<4 | c<<2 | e)
	p := uint(1)
	binary.LittleEndian.PutUint32(d[p&31:], v[0])
	p += a + 1
	binary.LittleEndian.PutUint32(d[p&31:], v[1])
	p += b + 1
	binary.LittleEndian.PutUint32(d[p&31:], v[2])
	p += c + 1
	binary.LittleEndian.PutUint32(d[p&31:], v[3])
	return int(p + e + 1)
}

// more returns how many bytes v has above its first.
func more(v uint32) uint { return uint(bits.Len32(v|1)-1) >> 3 }
