package cfilewire

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// gather moves the values of n slots that are valid to dst, which has room for all n, and returns how many those are. src
// is slots of width bytes; slot 0 belongs to bit off of valid.
func gather(dst, src []byte, width int, valid []byte, off, n int) int {
	switch width {
	case 1:
		return gatherCells(cells[[1]byte](dst, n), cells[[1]byte](src, n), valid, off)
	case 2:
		return gatherCells(cells[[2]byte](dst, n), cells[[2]byte](src, n), valid, off)
	case 4:
		return gatherCells(cells[[4]byte](dst, n), cells[[4]byte](src, n), valid, off)
	case 8:
		return gatherCells(cells[[8]byte](dst, n), cells[[8]byte](src, n), valid, off)
	}
	return gatherCells(cells[[16]byte](dst, n), cells[[16]byte](src, n), valid, off)
}

// cells is b as n cells; arrays of bytes lie anywhere.
func cells[T any](b []byte, n int) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b[:n*int(unsafe.Sizeof(t))])/int(unsafe.Sizeof(t)))
}

func gatherCells[T any](dst, src []T, valid []byte, off int) (k int) {
	i := 0
	for ; len(src)-i >= 8; i += 8 {
		s := (*[8]T)(src[i:])
		m := byte(bitsAt(valid, off+i))
		switch m {
		case 0:
			continue
		case 0xff:
			*(*[8]T)(dst[k:]) = *s
			k += 8
			continue
		}
		// There is room: what is in dst behind k comes later.
		d := (*[8]T)(dst[k:])
		j := 0
		for b := range 8 {
			d[j&7] = s[b]
			j += int(m >> b & 1)
		}
		k += bits.OnesCount8(m)
	}
	for ; i < len(src); i++ {
		if bitsAt(valid, off+i)&1 != 0 {
			dst[k] = src[i]
			k++
		}
	}
	return k
}

// extracts has, for four bits that are valid or not and four values, the values that are, in the lowest bits.
var extracts = makeExtracts()

func makeExtracts() (t [16][16]uint8) {
	for m := range 16 {
		for v := range 16 {
			k := 0
			for b := range 4 {
				if m>>b&1 != 0 {
					t[m][v] |= uint8(v>>b&1) << k
					k++
				}
			}
		}
	}
	return t
}

// gatherBits moves the bits of n slots that are valid to the start of dst, which has room for all n and 64, and returns how many
// those are. Bits of the room behind them may be anything.
func gatherBits(dst, src []byte, srcOff int, valid []byte, off, n int) (k int) {
	var word uint64
	have, at := 0, 0
	for i := 0; i < n; i += window {
		m, v := bitsAt(valid, off+i), bitsAt(src, srcOff+i)
		m &= 1<<min(window, n-i) - 1
		for left := m; left != 0; left >>= 4 {
			word |= uint64(extracts[left&15][v&15]) << have
			have += bits.OnesCount8(uint8(left & 15))
			v >>= 4
			if have >= window {
				binary.LittleEndian.PutUint64(dst[at:], word)
				at += window / 8
				word >>= window
				have -= window
			}
		}
	}
	for k = at*8 + have; have > 0; have -= 8 {
		dst[at] = byte(word)
		word >>= 8
		at++
	}
	return k
}
