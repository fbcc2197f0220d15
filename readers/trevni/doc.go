// Package trevni reads Trevni files into Arrow: the format of Apache Avro's trevni-core and trevni-avro (Java), which is
// the only writer there is, and what its specification allows beyond that. docs/formats/trevni.md describes the bytes.
//
// A file is one row group. Open reads the header; the block descriptors of a column are read when it is first needed.
// Splits are row ranges of about 8 MiB, cut at block edges of the widest column:
//
//	rows      0          200k         400k         600k
//	splits    |-----0-----|-----1------|-----2------|
//	id        |--|--|--|--|--|--|--|---|--|--|--|---|     blocks of a column end where they like;
//	tags[]    |----|----|----|----|----|----|----|--|     a split decodes the ones it touches
//	flag      |--------------------|----------------|
//
// Within a split every tree of columns is walked in segments that no block edge of the tree lies in, so that each column
// decodes straight out of one unpacked block. A column that is skipped is walked only from the start of a block that is
// needed, and lengths of parents only where a child needs to know how many elements to pass.
//
// Two views, option trevni-view: records rebuilds the Avro records that the file's avro.schema describes; columns shows
// what is stored.
package trevni
