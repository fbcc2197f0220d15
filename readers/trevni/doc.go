// Package trevni reads Trevni files into Arrow: those of Apache Avro's trevni-core and trevni-avro (Java), which are the only
// other writers, and what the specification allows besides. docs/formats/trevni.md describes the bytes.
//
// A file is one row group. Open reads the header; the block descriptors of a column are read when they are first needed.
// Splits are row ranges of about 8 MiB, cut at block edges of the widest column:
//
//	rows      0          200k         400k         600k
//	splits    |-----0-----|-----1------|-----2------|
//	id        |--|--|--|--|--|--|--|---|--|--|--|---|     blocks of a column end anywhere;
//	tags[]    |----|----|----|----|----|----|----|--|     a split decodes the ones it touches
//	flag      |--------------------|----------------|
//
// Within a split each tree of columns is decoded in segments, which no block edge of the tree lies in, so each column of a
// segment is decoded from one unpacked block. To skip rows, a column is decoded only from the start of a block that is needed,
// and lengths of parents only if a child needs the number of elements to skip.
//
// The option trevni-view chooses one of two views: records are the Avro records that the file's avro.schema describes; columns
// are the columns as they are stored.
package trevni
