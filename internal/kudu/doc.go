// Package kudu reads tables from the directories of a Kudu tablet server that is not running, for example after the loss of a
// cluster. docs/formats/kudu.md describes the files.
//
//	OpenDirs     instance files: whose directories are these, which block manager
//	OpenBlocks   block id -> bytes: a file each, or a part of a container
//	superblock   tablet -> schema, rowsets, the blocks of each
//	replay       write-ahead log -> rows that were never flushed, changes to rows on disk
//
// A table is one arrowio.File. Its splits are ranges of rows of one rowset each, then the rows that each tablet has only in its
// log. Columns are found by id, so that renaming them does not matter:
//
//	rowset   column blocks ─ cfile.Column ─┐
//	         UNDO and REDO blocks ─ state ─┼─ live rows, changed cells ─ batch
//	log      changes to these rows ────────┘
//
// A set (OpenSet) is a table without a server: rowsets in files of their own, which schema.json describes.
//
// Deleted rows are never decoded into a batch: the rows of a split are the live rows, and columns are read in runs of them.
// Changed cells are put into the arrays before a batch is returned.
package kudu
