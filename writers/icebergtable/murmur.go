package icebergtable

import (
	"encoding/binary"
	"math/bits"
)

// murmur is the hash of the transform bucket: the 32-bit variant of Murmur3 for x86, with the seed 0 (Iceberg table
// specification, "Appendix B: 32-bit Hash Requirements").
func murmur(b []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h, n := uint32(0), uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h ^= bits.RotateLeft32(binary.LittleEndian.Uint32(b)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	if len(b) > 0 {
		k := uint32(0)
		for i, x := range b {
			k |= uint32(x) << (8 * i)
		}
		h ^= bits.RotateLeft32(k*c1, 15) * c2
	}
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func murmurLong(v int64) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	return murmur(b[:])
}
