// Package puffinwire turns the bytes of Puffin files into Go values: the footer, which lists blobs, and deletion vectors, which say
// which rows of a data file are deleted. It does no I/O.
//
// A file (https://iceberg.apache.org/puffin-spec/; numbers are little-endian where nothing else is said):
//
//	+------+--------+--------+---+------+---------------+------+-------+------+
//	| PFA1 | blob 0 | blob 1 | … | PFA1 | JSON, perhaps | size | flags | PFA1 |
//	|      |        |        |   |      | packed by LZ4 | i32  | u32   |      |
//	+------+--------+--------+---+------+---------------+------+-------+------+
//	                             |------------------- footer ----------------|
//
// A blob of the type deletion-vector-v1, which is never packed:
//
//	+-------------+-------------+--------------------------------+--------------------+
//	| length of   | D1 D3 39 64 | 64-bit roaring bitmap, in the  | CRC-32 of the two  |
//	| the next    |             | portable format                | before, big-endian |
//	| two, BE u32 |             |                                |                    |
//	+-------------+-------------+--------------------------------+--------------------+
//
// The bitmap (https://github.com/RoaringBitmap/RoaringFormatSpec):
//
//	+---------+------------------------------------+---
//	| bitmaps | high 32 bits | bitmap of the low   | …    the high bits ascend
//	| u64     | u32          | 32 bits             |
//	+---------+------------------------------------+---
//
// A bitmap of 32 bits has containers of the low 16 bits, whose high 16 bits, the keys, ascend:
//
//	cookie 12346, u32 number of containers         or   cookie 12347 (u16), number of containers - 1 (u16), a bit for each:
//	                                                    it is one of runs
//	for each: key (u16), values - 1 (u16)
//	for each: where it lies (u32); not behind cookie 12347 if there are fewer than 4
//	for each: runs: their number (u16), for each the first value (u16) and how many follow it (u16)
//	          up to 4096 values: the values (u16), in ascending order
//	          more: 65536 bits
package puffinwire
