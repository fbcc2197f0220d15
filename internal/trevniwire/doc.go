// Package trevniwire turns Trevni bytes into Go values and back: header, metadata, block descriptors, array lengths,
// and the tree that says how stored columns make up Arrow fields. It does no I/O; only arrow_*.go know Arrow.
//
// A file (all integers little-endian; "varint" is a zig-zag varint; docs/formats/trevni.md tells the whole story):
//
//	+--------+---------+-----------+-----------+--------------------+-------------------+---------------------+
//	| magic  | rows    | columns n | file      | column metadata    | column starts     | column 0, 1, … n-1  |
//	| Trv 02 | fixed64 | fixed32   | metadata  | n times            | fixed64, n times  | at their starts     |
//	+--------+---------+-----------+-----------+--------------------+-------------------+---------------------+
//
// Metadata is a varint count of (string key, bytes value) pairs. A column:
//
//	+------------+------------------------------------------------+---------------------------+
//	| blocks b   | descriptor, b times                            | block, b times            |
//	| fixed32    | rows, raw size, packed size: fixed32           | packed bytes, checksum    |
//	|            | [first value, if trevni.values]                |                           |
//	+------------+------------------------------------------------+---------------------------+
//
// An unpacked block of a plain column is values, one after another. Of an array column it is entries:
//
//	length n >= 0, n values        one entry of n elements
//	length -1, -3, -5, …           2, 3, 4, … entries of no elements
//	length -2, -4, -6, …           2, 3, 4, … entries of one element, their values one after another
//
// A column with trevni.parent holds one entry (or value) for each element of its parent instead of each row.
package trevniwire
