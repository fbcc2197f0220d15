package encode

import (
	"encoding/binary"
	"slices"
)

// AppendHybrid appends values of width bits, 0 to 32, as runs of one value and groups of eight that are bit-packed:
//
//	run    varint count<<1       | the value, little-endian, in as few bytes as width takes
//	packed varint groups<<1 | 1  | values, the first in the lowest bits; the last group is filled up with zeroes
func AppendHybrid[T uint8 | uint32](dst []byte, src []T, width uint) []byte {
	first := 0 // of the values that will be packed
	for i := 0; i < len(src); {
		n := runLength(src[i:])
		if n < 8 && (i > first || i+n < len(src)) {
			i = min(i+8, len(src))
			continue
		}
		dst = appendPacked(dst, src[first:i], width)
		dst = binary.AppendUvarint(dst, uint64(n)<<1)
		for v, w := uint32(src[i]), width; ; v, w = v>>8, w-8 {
			if w == 0 {
				break
			}
			dst = append(dst, byte(v))
			if w <= 8 {
				break
			}
		}
		i += n
		first = i
	}
	return appendPacked(dst, src[first:], width)
}

func runLength[T uint8 | uint32](src []T) int {
	v := src[0]
	for i := 1; i < len(src); i++ {
		if src[i] != v {
			return i
		}
	}
	return len(src)
}

func appendPacked[T uint8 | uint32](dst []byte, src []T, width uint) []byte {
	if len(src) == 0 {
		return dst
	}
	groups := (len(src) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	at, size := len(dst), groups*int(width)
	dst = slices.Grow(dst, size+8)[:at+size+8]
	out := dst[at:]
	whole := len(src) &^ 7
	p := pack(out, src[:whole], width)
	if whole < len(src) {
		var last [8]T
		copy(last[:], src[whole:])
		pack(out[p:], last[:], width)
	}
	return dst[:at+size]
}

// pack packs values, a multiple of eight of them, and returns how many bytes they take. dst has eight bytes more.
func pack[T uint8 | uint32](dst []byte, src []T, width uint) (p int) {
	if width <= 8 {
		for ; len(src) >= 8; src = src[8:] {
			s := src[:8:8]
			v := uint64(s[0]) | uint64(s[1])<<width | uint64(s[2])<<(2*width) | uint64(s[3])<<(3*width) |
				uint64(s[4])<<(4*width) | uint64(s[5])<<(5*width) | uint64(s[6])<<(6*width) | uint64(s[7])<<(7*width)
			binary.LittleEndian.PutUint64(dst[p:], v)
			p += int(width)
		}
		return p
	}
	var acc uint64
	var n uint
	for _, v := range src {
		acc |= uint64(v) << n
		n += width
		if n >= 32 {
			binary.LittleEndian.PutUint32(dst[p:], uint32(acc))
			p += 4
			acc >>= 32
			n -= 32
		}
	}
	for ; n > 0; n -= min(n, 8) { // eight values end on a byte
		dst[p] = byte(acc)
		acc >>= 8
		p++
	}
	return p
}
