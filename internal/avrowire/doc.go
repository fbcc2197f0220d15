// Package avrowire turns the framing of Avro container files into Go values and back: header, blocks, codecs. It does no I/O. The
// schemas of records, and how they become Arrow, are those of package trevniwire: Trevni columns are Avro records cut up.
//
// A file ("varint" is a zig-zag varint of up to 64 bits; docs/formats/avro.md):
//
//	+--------+-------------------------------------+----------+---------+---------+---
//	| magic  | metadata: a map of bytes            | sync     | block 0 | block 1 | …
//	| Obj 01 | avro.schema, avro.codec, user's own | 16 bytes |         |         |
//	+--------+-------------------------------------+----------+---------+---------+---
//
// A block:
//
//	+--------+--------------+--------------------------------+----------+
//	| rows   | stored bytes | the rows, one after another,   | sync     |
//	| varint | varint       | packed by the codec            | 16 bytes |
//	+--------+--------------+--------------------------------+----------+
package avrowire
