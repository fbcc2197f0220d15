package bitpack

import (
	"encoding/binary"
	"unsafe"
)

const tops = 0x8080808080808080

// ASCII says whether no byte of b has its top bit set.
func ASCII(b []byte) bool {
	// With equal length and capacity, and more than a turn left, slicing costs one addition.
	b = b[:len(b):len(b)]
	var x uint64
	for len(b) > 64 {
		s := (*[64]byte)(b)
		x = binary.LittleEndian.Uint64(s[:]) | binary.LittleEndian.Uint64(s[8:]) |
			binary.LittleEndian.Uint64(s[16:]) | binary.LittleEndian.Uint64(s[24:]) |
			binary.LittleEndian.Uint64(s[32:]) | binary.LittleEndian.Uint64(s[40:]) |
			binary.LittleEndian.Uint64(s[48:]) | binary.LittleEndian.Uint64(s[56:])
		if x&tops != 0 {
			return false
		}
		b = b[64:]
	}
	for ; len(b) >= 8; b = b[8:] {
		x |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		x |= uint64(c)
	}
	return x&tops == 0
}

// UTF8 reports whether b is valid UTF-8, as utf8.Valid does.
func UTF8(b []byte) bool {
	const short = 256 // what is longer may be ASCII in part
	return len(b) <= short && ASCII(b) || validUTF8(b)
}

// UTF8String is UTF8 of a string.
func UTF8String(s string) bool { return UTF8(unsafe.Slice(unsafe.StringData(s), len(s))) }

// FirstNotUTF8 returns the index of the first of the strings that offsets cut data into that is not valid UTF-8, or -1.
// offsets must be ascending and within data.
func FirstNotUTF8(offsets []int32, data []byte) int {
	if len(offsets) < 2 {
		return -1
	}
	end := offsets[len(offsets)-1]
	all := data[offsets[0]:end]
	if ASCII(all) {
		return -1
	}
	// Each string is valid if all of them together are and none begins inside a character.
	if validUTF8(all) {
		inside := int32(0) // negative after a byte of 80..bf, which are the least as signed ones
		for _, o := range offsets {
			if o >= end {
				break
			}
			inside |= int32(int8(data[o])) + 64
		}
		if inside >= 0 {
			return -1
		}
	}
	for i, o := range offsets[:len(offsets)-1] {
		if !UTF8(data[o:offsets[i+1]]) {
			return i
		}
	}
	return -1
}
