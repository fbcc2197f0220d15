package cfilewire

import "encoding/binary"

// ParseNulls cuts the null header off a block of a nullable column (docs/formats/cfile.md §4):
//
//	varint rows | varint bytes | bitmap of so many bytes | the block of the values that are not null
//
// bitmap is an RLE stream of one bit for each of rows, 1 = not null: RLEBits.OpenStream reads it. rest is the block of
// values, which is there even if it has none. Both are parts of b. Neither is compared with rows, or with one another:
// a run of nulls takes a few bytes whatever its length, so rows alone is no size to allocate by.
func ParseNulls(b []byte) (rows uint32, bitmap, rest []byte, err error) {
	rows, b, ok := varint32(b)
	if !ok {
		return 0, nil, nil, errNullHead
	}
	n, b, ok := varint32(b)
	if !ok || uint64(n) > uint64(len(b)) {
		return 0, nil, nil, errNullHead
	}
	return rows, b[:n], b[n:], nil
}

// varint32 reads a varint of 32 bits and returns what is behind it.
func varint32(b []byte) (v uint32, rest []byte, ok bool) {
	x, n := binary.Uvarint(b)
	if n <= 0 || x > 1<<32-1 {
		return 0, nil, false
	}
	return uint32(x), b[n:], true
}
