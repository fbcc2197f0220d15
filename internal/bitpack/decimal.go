package bitpack

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

var pow10 = [19]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

const maxVarint128 = 19

// longBlock is how many values are decoded one by one where one has more than 63 bits.
const longBlock = 16

// DecodeDecimals decodes ORC's decimals: a zig-zag varint of up to 128 bits each, and a scale of its own, to be brought
// to scale, that of the column; nil scales are all that. dst has two words for each, low and high, as Arrow's decimal128
// on a little-endian machine. It returns how many bytes of src the varints took.
//
// A scale above that of the column, which would need rounding, is ErrScale; a value that does not fit 128 bits
// ErrOverflow; a bad varint ErrVarint or ErrShort. After an error dst is undefined. Whether values fit the column's
// precision is the caller's to check. size helps: no value is further from zero than it; math.MaxUint64 says nothing.
func DecodeDecimals[S Signed](dst []uint64, src []byte, scales []S, scale S) (n int, size uint64, err error) {
	count := len(dst) / 2
	var diff S
	if scales != nil {
		scales = scales[:count]
	}
	for _, s := range scales {
		diff |= s ^ scale
	}
	// Varints of up to 63 bits are decoded into the upper half of dst and widened from there, first to last: the words
	// of value i end at 2i+1, never behind count+i which is still to be read.
	low := dst[count:]
	p := 0
	for i := 0; i < count; {
		k, m, _ := decode[uint64, exact](low[i:], src[p:]) // what stops it is looked at below
		p += m
		if diff == 0 {
			size |= widen(dst[2*i:2*(i+k)], low[i:i+k])
		} else {
			size = math.MaxUint64
			for j := i; j < i+k; j++ {
				x := low[j]
				e := uint64(scale - scales[j])
				q := (*[2]uint64)(dst[2*j:])
				if e >= uint64(len(pow10)) {
					var ok bool
					if q[0], q[1], ok = rescale(x, uint64(int64(x)>>63), int64(scale)-int64(scales[j])); !ok {
						return p, 0, rescaleError(scales[j], scale)
					}
					continue
				}
				h, l := bits.Mul64(x, pow10[e])
				q[0], q[1] = l, h-uint64(int64(x)>>63)&pow10[e]
			}
		}
		i += k
		if i == count {
			break
		}
		// Long values come together, as a rule.
		for end := min(i+longBlock, count); i < end; i++ {
			lo, hi, m, err := varint128(src[p:])
			if err != nil {
				return p, 0, err
			}
			if diff != 0 && scales[i] != scale {
				var ok bool
				if lo, hi, ok = rescale(lo, hi, int64(scale)-int64(scales[i])); !ok {
					return p, 0, rescaleError(scales[i], scale)
				}
			}
			dst[2*i], dst[2*i+1] = lo, hi
			p += m
		}
		size = math.MaxUint64
	}
	if size < math.MaxUint64 {
		size++ // of a negative number it is one less
	}
	return p, size, nil
}

// widen stores each of src as two words, its own and its sign. dst may overlap src if no word of src lies before where
// its value goes. No value is further from zero than size, but for negative ones by one.
func widen(dst, src []uint64) (size uint64) {
	for len(src) >= 4 && len(dst) >= 8 {
		from, to := (*[4]uint64)(src), (*[8]uint64)(dst)
		a, b, c, d := from[0], from[1], from[2], from[3]
		s, t, u, v := uint64(int64(a)>>63), uint64(int64(b)>>63), uint64(int64(c)>>63), uint64(int64(d)>>63)
		size |= a ^ s | b ^ t | c ^ u | d ^ v
		to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = a, s, b, t, c, u, d, v
		src, dst = src[4:], dst[8:]
	}
	for i, x := range src {
		sign := uint64(int64(x) >> 63)
		size |= x ^ sign
		q := (*[2]uint64)(dst[2*i:])
		q[0], q[1] = x, sign
	}
	return size
}

func rescaleError[S Signed](from, to S) error {
	if from > to {
		return ErrScale
	}
	return ErrOverflow
}

// varint128 decodes a zig-zag varint of up to 128 bits.
func varint128(src []byte) (lo, hi uint64, n int, err error) {
	if len(src) < 24 {
		var room [24]byte // zeros end what goes on there
		n := copy(room[:], src)
		lo, hi, m, err := varint128(room[:])
		if m > n || errors.Is(err, ErrVarint) && n < maxVarint128 {
			return 0, 0, 0, ErrShort
		}
		return lo, hi, m, err
	}
	// The seven bits of 8, 8 and 3 bytes.
	x := binary.LittleEndian.Uint64(src)
	if stop := ^x & tops; stop != 0 {
		lo, n = compact(x&sevens&(stop^(stop-1))), bits.TrailingZeros64(stop)/8+1
	} else {
		y := binary.LittleEndian.Uint64(src[8:])
		if stop := ^y & tops; stop != 0 {
			y, n = compact(y&sevens&(stop^(stop-1))), bits.TrailingZeros64(stop)/8+9
			lo, hi = compact(x&sevens)|y<<56, y>>8
		} else {
			z := binary.LittleEndian.Uint64(src[16:])
			stop := ^z & (tops & (1<<24 - 1))
			if stop == 0 {
				return 0, 0, 0, ErrVarint
			}
			y, z, n = compact(y&sevens), compact(z&sevens&(stop^(stop-1))), bits.TrailingZeros64(stop)/8+17
			if z>>16 != 0 {
				return 0, 0, 0, ErrOverflow
			}
			lo, hi = compact(x&sevens)|y<<56, y>>8|z<<48
		}
	}
	sign := -(lo & 1)
	return (lo>>1 | hi<<63) ^ sign, hi>>1 ^ sign, n, nil
}

// rescale multiplies a 128-bit integer by 10^e; ok is false if e is negative or the product does not fit.
func rescale(lo, hi uint64, e int64) (l, h uint64, ok bool) {
	if e < 0 {
		return 0, 0, false
	}
	neg := int64(hi) < 0
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	for e > 0 && lo|hi != 0 {
		m := pow10[min(e, 18)]
		e -= min(e, 18)
		c, l := bits.Mul64(lo, m)
		over, h := bits.Mul64(hi, m)
		h, carry := bits.Add64(h, c, 0)
		if over|carry != 0 || h>>63 != 0 {
			return 0, 0, false
		}
		lo, hi = l, h
	}
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return lo, hi, true
}
