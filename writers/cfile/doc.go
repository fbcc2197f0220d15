// Package cfile writes sets of Kudu's CFiles: what a Kudu server would have on disk of a table's rows, and schema.json,
// which says what the files are. docs/formats/cfile.md and docs/formats/kudu.md describe the bytes.
//
//	format cfile, OUT.cfile/            format kudu, OUT.kudu/
//	  schema.json                         schema.json
//	  orderkey.cfile                      rowset-00000/orderkey.cfile      a column
//	  comment.cfile                       rowset-00000/comment.cfile
//	                                      rowset-00000/key-index.cfile     encoded keys, where a key has several columns
//	                                      rowset-00000/bloom.cfile         and bloom filters of them
//	                                      rowset-00001/orderkey.cfile …
//
// Columns are written side by side, each to its own file: it takes rows from Arrow's buffers, a few thousand at a time,
// checks and converts them where Kudu's type is another, and puts them to the encoder of its blocks. Beside them keys are
// encoded, each compared with the one before, and put to index and filters. Nothing waits in memory but the block that each
// file is filling.
//
// Where blocks and rowsets end follows from the rows alone: the same rows make the same files, however they are cut into
// batches and however many columns are encoded at once.
package cfile
