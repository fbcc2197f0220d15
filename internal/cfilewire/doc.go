// Package cfilewire turns bytes of Kudu's CFiles into Go values and back: header and footer, blocks and their checksums,
// indexes, encoded keys, the encodings of values, and what bloom and delta files hold. It does no I/O; only arrow.go
// knows Arrow.
//
// A file is one column, or an index, the changes or the bloom filters of a rowset (all integers little-endian unless it
// says otherwise; docs/formats/cfile.md tells the whole story):
//
//	+----------+-----+--------------+-----+---------+-----+---------+-----+--------------+----------+-----+
//	| kuducfl2 | u32 | CFileHeader- | crc | block 0 | ... | block n | crc | CFileFooter- | kuducfl2 | u32 |
//	| magic    | len | PB           |     |         |     |         |     | PB           | magic    | len |
//	+----------+-----+--------------+-----+---------+-----+---------+-----+--------------+----------+-----+
//	|<----- of these: the crc ----->|                                     |<---- of these: the crc ------>|
//
// It is read from its end: the last twelve bytes are the magic and the length of the footer's message, which names the
// type, the encoding, the compression, and the roots of the indexes. All blocks, of whatever kind, are wrapped alike:
//
//	stored     | size of the block | payload: compressed, or the block itself | crc |
//	             u32, if the file     where that is not at least a tenth less   u32
//	             is compressed
//
// A positional index leads from the ordinal of a row to the data block that holds it, a value index from an encoded key.
// Both are trees of blocks:
//
//	         root: entries | offsets | trailer           entry: | length | key | offset | size |
//	        /               \                                     varint         varint   varint
//	    leaf                 leaf
//	   /    \               /    \                       key:   ordinal, u32, big-endian; or
//	data     data        data    data                           a key, or what of it tells blocks apart
//
// A data block of a nullable column begins with a bitmap; only values that are not null follow:
//
//	| rows   | bytes of the bitmap | bitmap: runs of bits, 1 = value | values, by their encoding |
//	  varint   varint
//
// Values of a delta file are
//
//	| row: ordered varint | time: ordered varint | op: 1, 2 or 3 | { column id, 1 + length, value } ... |
//
// and blocks of a bloom file
//
//	| length | BloomBlockHeaderPB: number of hashes | bits |
package cfilewire
