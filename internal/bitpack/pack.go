package bitpack

import "encoding/binary"

//go:generate go run pack_generate.go

// PackSlack is how far behind the packed values the packing functions may write: they work in groups of eight values and
// words of eight bytes. The bytes there are undefined afterwards.
const PackSlack = 72

// PackBE packs the values of src in width bits each, 1 to 64, the first in the highest bits of dst[0], the last followed
// by zeros to the end of its byte. It is the reverse of UnpackBE and returns PackedSize(len(src), width), behind which
// dst must have PackSlack bytes. Values must not be negative, or be of 64 bits that are all wanted, and must fit width:
// bits above it spoil other values.
func PackBE[T Integer](dst []byte, src []T, width uint) int { return pack[T, plain](dst, src, width) }

// PackZigzagBE is PackBE for signed values, which are zig-zag coded and then must fit width.
func PackZigzagBE[T Integer](dst []byte, src []T, width uint) int {
	return pack[T, zigzag](dst, src, width)
}

func pack[T Integer, Z coding](dst []byte, src []T, width uint) int {
	size := PackedSize(len(src), width)
	if len(src) == 0 || width == 0 {
		return 0
	}
	_ = dst[size+PackSlack-1]
	whole := len(src) &^ 7
	if !packBE[T, Z](dst, src[:whole], width) {
		packAny[T, Z](dst, src, width)
		return size
	}
	if whole < len(src) {
		var end [8]T // and zeros
		copy(end[:], src[whole:])
		packBE[T, Z](dst[whole>>3*int(width):], end[:], width)
	}
	return size
}

// packAny packs values of any width.
func packAny[T Integer, Z coding](dst []byte, src []T, width uint) {
	dst[0] = 0
	bit := uint(0)
	for _, v := range src {
		x := packed[T, Z](v) << ((64 - width) & 63)
		d := (*[windowBytes]byte)(dst[bit>>3:])
		r := bit & 7
		binary.BigEndian.PutUint64(d[:], uint64(d[0])<<56|x>>r)
		d[8] = byte(x << (8 - r))
		bit += width
	}
}

// packed returns the bits of a value, the reverse of unpacked.
func packed[T Integer, Z coding](v T) uint64 {
	var z Z
	if len(z) == 0 {
		return uint64(v)
	}
	return uint64(int64(v)<<1) ^ uint64(int64(v)>>63)
}
