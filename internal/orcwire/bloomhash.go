package orcwire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Hashes of values in bloom filters (specification, "Bloom Filter Index"). What is hashed of a value:
//
//	integers, dates   HashLong; dates as days since 1970-01-01, in the file's calendar
//	float, double     HashDouble
//	timestamps        HashLong of milliseconds since 1970-01-01, in UTC in BLOOM_FILTER_UTF8
//	strings, binary   HashBytes; char with its padding
//	decimals          HashBytes of AppendDecimal's text; in ORC 2.0 with up to 18 digits HashLong of the unscaled value
//	lists, maps       HashLong of the length
//	unions            HashLong of the tag

// HashLong is Thomas Wang's hash of 64 bits, with right shifts that keep the sign, as Java's do.
func HashLong(v int64) uint64 {
	v = ^v + v<<21
	v ^= v >> 24
	v += v<<3 + v<<8
	v ^= v >> 14
	v += v<<2 + v<<4
	v ^= v >> 28
	v += v << 31
	return uint64(v)
}

// HashDouble hashes the bits of a double. All NaNs are one; 0 and -0 are two.
func HashDouble(v float64) uint64 {
	if math.IsNaN(v) {
		return HashLong(0x7ff8000000000000)
	}
	return HashLong(int64(math.Float64bits(v)))
}

const (
	murmurSeed = 104729
	murmurC1   = 0x87c37b91114253d5
	murmurC2   = 0x4cf5ad432745937f
)

// HashBytes is Hive's Murmur3 of 64 bits: one lane of the one of 128 bits, and not half of what that gives.
func HashBytes(b []byte) uint64 {
	h := uint64(murmurSeed)
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		h ^= murmurMix(binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*5 + 0x52dce729
	}
	if len(b) > 0 {
		var tail [8]byte
		copy(tail[:], b)
		h ^= murmurMix(binary.LittleEndian.Uint64(tail[:]))
	}
	h ^= uint64(n)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func murmurMix(k uint64) uint64 {
	return bits.RotateLeft64(k*murmurC1, 31) * murmurC2
}

// MayContain reports whether a value with this hash may be among those of the row group. False is certain.
func (f BloomFilter) MayContain(hash uint64) bool {
	size := uint64(len(f.Bits)) * 64
	if size == 0 {
		return true
	}
	for k := uint32(1); k <= f.Hashes; k++ {
		if bit := bloomBit(hash, k, size); f.Bits[bit/64]>>(bit%64)&1 == 0 {
			return false
		}
	}
	return true
}

// Add makes the filter contain values with this hash.
func (f BloomFilter) Add(hash uint64) {
	size := uint64(len(f.Bits)) * 64
	for k := uint32(1); k <= f.Hashes; k++ {
		bit := bloomBit(hash, k, size)
		f.Bits[bit/64] |= 1 << (bit % 64)
	}
}

// bloomBit returns the k-th bit of a hash. Sums are those of 32-bit integers.
func bloomBit(hash uint64, k uint32, size uint64) uint64 {
	c := int32(uint32(hash) + k*uint32(hash>>32))
	return uint64(c^c>>31) % size
}

// AppendDecimal appends a decimal as bloom filters hash it, of a number of 128 bits and a scale: digits, a point where
// there is a fraction, no zeros at its end.
func AppendDecimal(dst []byte, low, high uint64, scale int) []byte {
	v := toBig(low, high)
	if v.Sign() < 0 {
		dst = append(dst, '-')
		v.Neg(v)
	}
	digits := v.Append(nil, 10)
	for scale > 0 && digits[len(digits)-1] == '0' && len(digits) > 1 {
		digits, scale = digits[:len(digits)-1], scale-1
	}
	if v.Sign() == 0 {
		return append(dst, '0')
	}
	if whole := len(digits) - scale; scale > 0 && whole > 0 {
		dst = append(dst, digits[:whole]...)
		digits = digits[whole:]
	} else if scale > 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits...)
		for ; scale < 0; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(dst, '.')
	for n := scale - len(digits); n > 0; n-- {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
