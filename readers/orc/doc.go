// Package orc reads ORC files into Arrow: all versions from Hive 0.11 on, all writers, all codecs. docs/formats/orc.md
// describes the bytes.
//
// Open reads the tail. A split is a stripe, or some of its row groups where the stripe has many rows:
//
//	stripes   |---------------0---------------|---1---|------2------|
//	splits    |----0----|----1----|----2------|---3---|------4------|
//	groups    |--|--|--|--|--|--|--|--|--|--|-|--|--|-|--|--|--|--|-|    row index stride
//
// A split is decoded by a tree of nodes, one for each type of the projection. A node reads PRESENT into validity and
// has a leaf for its values, or children:
//
//	node   struct  ─┬─ node int     PRESENT ─> validity   leaf: DATA ─> values
//	                └─ node list    PRESENT ─> validity   LENGTH ─> offsets
//	                      └─ node string                  leaf: DATA, LENGTH or DATA, DICTIONARY_DATA, LENGTH ─> offsets, bytes
//
// The tree moves forward only. Rows that are not wanted are skipped by whole row groups where the row index tells the
// positions, else by decoding. Streams of a local file are read through windows of up to 256 KiB, so that memory does
// not follow the size of a stripe; what lies far away is fetched at once, in coalesced ranges.
//
// A tree that has come to the end of its split waits in the file: the next split of the same projection goes on with it,
// without decoding the beginning of a compression chunk again.
package orc
