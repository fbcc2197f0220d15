// Package trevni writes Trevni files that Java's trevni-core and trevni-avro read. docs/formats/trevni.md describes the
// bytes.
//
// A batch goes through one tree of fields, column by column; no row is ever put together:
//
//	Arrow field        what its columns get
//	nullable           an array column of lengths 0 and 1; the values without the nulls
//	list, map          an array column of lengths; the elements without gaps
//	struct             its fields
//	union              an array column of lengths 0 and 1 for each branch
//	flat               a column of values, or the values behind their lengths in the array column above
//
// Blocks are closed by Java's rule: a row begins a new block when 64 KiB are buffered. One file is one row group and
// its header, which comes first, says where columns start: the packed blocks of a file wait in memory, and beyond
// WriteOptions.Memory in a scratch file, until all rows are there. WriteOptions.RowGroupBytes and MaxFileBytes end files
// sooner; without them the output is one file. Where that is follows from the rows alone: the same
// rows make the same files, however they are cut into batches and however many columns are encoded at once.
package trevni
