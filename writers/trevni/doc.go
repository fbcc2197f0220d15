// Package trevni writes Trevni files that Java's trevni-core and trevni-avro read. docs/formats/trevni.md describes the
// bytes.
//
// A batch passes through one tree of fields, column by column. Rows are never assembled:
//
//	Arrow field        what its columns get
//	nullable           an array column of lengths 0 and 1; the values without the nulls
//	list, map          an array column of lengths; the elements without gaps
//	struct             its fields
//	union              an array column of lengths 0 and 1 for each branch
//	flat               a column of values, or the values behind their lengths in the array column above
//
// Blocks end by Java's rule: a row begins a new block when 64 KiB are buffered. A file is one row group, and its header, which
// comes first, says where columns start. So the packed blocks of a file are kept in memory, or beyond WriteOptions.Memory in a
// scratch file, until all rows are written. WriteOptions.RowGroupBytes and MaxFileBytes end files sooner; without them the
// output is one file. The rows alone decide where files end: the same rows make the same files, however they are divided into
// batches and however many columns are encoded at once.
package trevni
