// Package bitpack holds the inner loops of decoding and encoding: packed integers, varints, bitmaps, offsets, the
// spreading of values over null slots, and length-prefixed strings. Wire packages say what the bytes mean; everything
// here takes plain slices and does one thing to all of them.
//
// Bit orders. ORC packs integers big-endian, the first value in the highest bits of the first byte; Kudu and Arrow go
// from the lowest bit up. Values of three bits:
//
//	big-endian     aaabbbcc cdddeeef ffggghhh     UnpackBE, UnpackZigzagBE
//	little-endian  ccbbbaaa fe…                   UnpackLE; bitmaps
//
// Varints are base-128, lowest seven bits first, the top bit of each byte saying that more follow:
//
//	1 = 01    300 = ac 02    signed values are zig-zag coded first: 0 -1 1 -2 … become 0 1 2 3 …
//
// # Slack
//
// Kernels work in wide loads and stores: eight values a turn, 64 bytes of varints, 16 bytes of a string. They never
// leave the slices they are given, and give the same result for slices of exact size, but near the end of a slice they
// go value by value. So a buffer that a kernel reads should have SrcSlack bytes behind the values where there are any
// (the rest of the block or window, whatever it holds), and one that it writes DstSlack bytes of room. Each function
// says what it may do to that room.
//
// # Errors
//
// A kernel that meets bad bytes returns one of the package's error values, unadorned; callers know the column and the
// offset. Arguments that contradict each other (a bitmap shorter than the slots it is for) are bugs of the caller and
// panic like any index out of range.
//
// All functions are pure in that they keep nothing, and may be called concurrently on different destinations.
package bitpack

import "errors"

// Room that lets kernels go at full speed to the end of a buffer; see the package comment.
const (
	SrcSlack = 72 // readable bytes behind a source
	DstSlack = 64 // writable bytes behind a destination
)

// Errors of the kernels, returned as they are.
var (
	ErrShort    = errors.New("bitpack: not enough bytes")
	ErrVarint   = errors.New("bitpack: varint is too long")
	ErrNegative = errors.New("bitpack: length is negative")
	ErrOverflow = errors.New("bitpack: offset or value does not fit")
	ErrRoom     = errors.New("bitpack: destination is full")
	ErrScale    = errors.New("bitpack: decimal scale is above that of the column")
)
