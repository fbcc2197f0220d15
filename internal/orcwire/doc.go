// Package orcwire turns ORC bytes into Go values and back: the tail, stripe footers and indexes, compressed chunks, run
// length encodings, and what timestamps, decimals, bloom filters and encryption mean. It does no I/O; only arrow*.go
// know Arrow.
//
// A file (docs/formats/orc.md tells the whole story):
//
//	+-------+----------+-----+------------+------------+----------+--------+------------+-----------+
//	| magic | stripe 0 | ... | stripe n-1 | encrypted  | metadata | footer | postscript | length of |
//	| ORC   |          |     |            | stripe     | (stripe  |        |            | postscript|
//	|       |          |     |            | statistics | stats)   |        |            | one byte  |
//	+-------+----------+-----+------------+------------+----------+--------+------------+-----------+
//
// It is read from its end. The postscript is a protobuf message that is never compressed; it tells the lengths of the
// parts before it, the codec and the block size. All other messages and all streams are compressed in chunks where there
// is a codec, each chunk on its own:
//
//	+-----------------------------+----------------------------+
//	| length*2 + original         | length bytes: compressed,  |  a stream of length 0 has no chunk;
//	| 3 bytes, little-endian      | or as they are if original |  values go on from one chunk to the next
//	+-----------------------------+----------------------------+
//
// A stripe:
//
//	|<------------- index length ------------>|<--------- data length --------->|<- footer length ->|
//	+-----------+--------------+--------------+---------+------+--------+-------+-------------------+
//	| ROW_INDEX | BLOOM_FILTER | ...          | PRESENT | DATA | LENGTH | ...   | stripe footer     |
//	+-----------+--------------+--------------+---------+------+--------+-------+-------------------+
//
// The stripe footer lists the streams in the order in which they lie, with their lengths, and how each column is
// encoded. A column is a node of the type tree, numbered in pre-order:
//
//	0 struct<a:int,b:array<string>>
//	1   a int            PRESENT, DATA
//	2   b array<string>  PRESENT, LENGTH
//	3     string         PRESENT, DATA, LENGTH (or DATA, DICTIONARY_DATA, LENGTH)
//
// A ROW_INDEX stream has an entry for each row group, which is so many rows as the footer's stride: statistics, and the
// position of the column's streams where the row group begins. A position in a stream is
//
//	[start of the chunk, if compressed] [bytes into the chunk] [values into the run, if there are runs] [bits, if boolean]
package orcwire
