// Package kudu reads tables from the directories of a Kudu tablet server that does not run: what the operator of a broken
// cluster has left. docs/formats/kudu.md describes the files.
//
//	OpenDirs     instance files: whose directories are these, which block manager
//	OpenBlocks   block id -> bytes: a file each, or a part of a container
//	superblock   tablet -> schema, rowsets, the blocks of each
//	replay       write-ahead log -> rows that were never flushed, changes to rows on disk
//
// A table is one arrowio.File. Its splits are ranges of rows of one rowset each, then what each tablet has in its log
// only. Columns are found by id, whatever their names were:
//
//	rowset   column blocks ─ cfile.Column ─┐
//	         UNDO and REDO blocks ─ state ─┼─ live rows, changed cells ─ batch
//	log      changes to these rows ────────┘
//
// A set (OpenSet) is the same without a server: rowsets in files of their own, which schema.json describes.
//
// Rows that are gone are never decoded into a batch: the rows of a split are the live ones, and runs of them are what
// columns read. Changed cells are put into the arrays before a batch is handed out.
package kudu
