package bitpack

import (
	"encoding/binary"
	"errors"
)

//go:generate go run unpack_generate.go

// Integer is what packed integers are unpacked into. Values wider than T lose their upper bits: who asks for fewer bits
// than the width checks the width, or the values, first.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// ErrWidth says that packed integers cannot be that wide.
var ErrWidth = errors.New("bitpack: bit width above 64")

// PackedSize returns how many bytes n values of a width take, the last one padded.
func PackedSize(n int, width uint) int { return int((uint64(n)*uint64(width) + 7) / 8) }

// UnpackBE unpacks len(dst) unsigned values of width bits, the first in the highest bits of src[0]. It returns
// PackedSize(len(dst), width), or 0 and ErrShort if src has less, or ErrWidth if width is above 64. A width of 0 means
// zeros.
func UnpackBE[T Integer](dst []T, src []byte, width uint) (n int, err error) {
	if n, err = checkPacked(len(dst), src, width); err != nil || n == 0 {
		clear(dst)
		return n, err
	}
	k := unpackBE[T, plain](dst, src, width)
	windowBE[T, plain](dst[k:], src[uint(k)*width/8:], width)
	return n, nil
}

// UnpackZigzagBE is UnpackBE for signed values that are zig-zag coded.
func UnpackZigzagBE[T Integer](dst []T, src []byte, width uint) (n int, err error) {
	if n, err = checkPacked(len(dst), src, width); err != nil || n == 0 {
		clear(dst)
		return n, err
	}
	k := unpackBE[T, zigzag](dst, src, width)
	windowBE[T, zigzag](dst[k:], src[uint(k)*width/8:], width)
	return n, nil
}

// UnpackGroupsBE is UnpackBE for runs so short that checks count: len(dst) must be a multiple of eight, width from 1 to
// 64, and src have SrcSlack bytes behind the values. It panics, or leaves dst undefined, if they are not.
func UnpackGroupsBE[T Integer](dst []T, src []byte, width uint) {
	if k := unpackBE[T, plain](dst, src, width); k < len(dst) {
		windowBE[T, plain](dst[k:], src[uint(k)*width/8:], width)
	}
}

// UnpackGroupsZigzagBE is UnpackGroupsBE for signed values that are zig-zag coded.
func UnpackGroupsZigzagBE[T Integer](dst []T, src []byte, width uint) {
	if k := unpackBE[T, zigzag](dst, src, width); k < len(dst) {
		windowBE[T, zigzag](dst[k:], src[uint(k)*width/8:], width)
	}
}

// UnpackLE is UnpackBE for values that follow each other from the lowest bit of src[0] up.
func UnpackLE[T Integer](dst []T, src []byte, width uint) (n int, err error) {
	if n, err = checkPacked(len(dst), src, width); err != nil || n == 0 {
		clear(dst)
		return n, err
	}
	k := unpackLE(dst, src, width)
	windowLE(dst[k:], src[uint(k)*width/8:], width)
	return n, nil
}

func checkPacked(values int, src []byte, width uint) (int, error) {
	if width > 64 {
		return 0, ErrWidth
	}
	if (uint64(values)*uint64(width)+7)/8 > uint64(len(src)) {
		return 0, ErrShort
	}
	return PackedSize(values, width), nil
}

// unpackBE unpacks as many groups of eight as it can read whole words for, and returns the number of values.
func unpackBE[T Integer, Z coding](dst []T, src []byte, width uint) int {
	k := vectorsBE[T, Z](dst, src, width)
	if k == len(dst) {
		return k
	}
	return k + wordsBE[T, Z](dst[k:], src[uint(k)*width/8:], width)
}

// unpackLE is unpackBE for values that begin at the lowest bit.
func unpackLE[T Integer](dst []T, src []byte, width uint) int {
	k := vectorsLE(dst, src, width)
	if k == len(dst) {
		return k
	}
	return k + wordsLE(dst[k:], src[uint(k)*width/8:], width)
}

// unpacked makes a value of its bits.
func unpacked[T Integer, Z coding](x uint64) T {
	var z Z
	if len(z) == 0 {
		return T(x)
	}
	return T(x>>1 ^ -(x & 1))
}

// field makes a value of width bits of x, from bit shift on. It is inlined with constants, and then has an operation
// less than unpacked of the bits cut out.
func field[T Integer, Z coding](x uint64, shift, width uint) T {
	var z Z
	if len(z) == 0 {
		return T(x >> shift & (1<<width - 1))
	}
	return T(x>>(shift+1)&(1<<(width-1)-1)) ^ T(int64(x<<(63-shift))>>63)
}

// The window loops unpack any width: the widths without a function of their own, and what is left behind the last group
// of eight. A value of up to 64 bits touches nine bytes.
const windowBytes = 9

// windowed returns how many values, at most n, can be loaded from src without reading behind its end.
func windowed(n int, src []byte, width uint) int {
	if len(src) < windowBytes {
		return 0
	}
	return min(n, int(uint((len(src)-windowBytes)*8+7)/width)+1)
}

// remainder returns the bytes from bit position bit on with room behind them, for the values that windowed left out.
func remainder(src []byte, bit uint) (b [2 * windowBytes]byte) {
	copy(b[:], src[bit>>3:])
	return b
}

func windowBE[T Integer, Z coding](dst []T, src []byte, width uint) {
	n := windowed(len(dst), src, width)
	loadBE[T, Z](dst[:n], src, 0, width)
	if n < len(dst) {
		bit := uint(n) * width
		end := remainder(src, bit)
		loadBE[T, Z](dst[n:], end[:], bit&7, width)
	}
}

func loadBE[T Integer, Z coding](dst []T, src []byte, bit, width uint) {
	drop := (64 - width) & 63
	for i := range dst {
		s := (*[windowBytes]byte)(src[bit>>3:])
		x := binary.BigEndian.Uint64(s[:])<<(bit&7) | uint64(s[8])>>(8-bit&7)
		dst[i] = unpacked[T, Z](x >> drop)
		bit += width
	}
}

func windowLE[T Integer](dst []T, src []byte, width uint) {
	n := windowed(len(dst), src, width)
	loadLE(dst[:n], src, 0, width)
	if n < len(dst) {
		bit := uint(n) * width
		end := remainder(src, bit)
		loadLE(dst[n:], end[:], bit&7, width)
	}
}

func loadLE[T Integer](dst []T, src []byte, bit, width uint) {
	mask := ^uint64(0) >> ((64 - width) & 63)
	for i := range dst {
		s := (*[windowBytes]byte)(src[bit>>3:])
		x := binary.LittleEndian.Uint64(s[:])>>(bit&7) | uint64(s[8])<<1<<(63-bit&7)
		dst[i] = T(x & mask)
		bit += width
	}
}
