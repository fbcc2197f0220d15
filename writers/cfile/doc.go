// Package cfile writes sets of Kudu's CFiles: the files in which a Kudu server would store a table's rows, and schema.json,
// which describes the files. docs/formats/cfile.md and docs/formats/kudu.md describe the bytes.
//
//	format cfile, OUT.cfile/            format kudu, OUT.kudu/
//	  schema.json                         schema.json
//	  orderkey.cfile                      rowset-00000/orderkey.cfile      a column
//	  comment.cfile                       rowset-00000/comment.cfile
//	                                      rowset-00000/key-index.cfile     encoded keys, where a key has several columns
//	                                      rowset-00000/bloom.cfile         and bloom filters of them
//	                                      rowset-00001/orderkey.cfile …
//
// Columns are written in parallel, each to its own file. A column takes a few thousand rows at a time from Arrow's buffers,
// converts and checks them if Kudu's type is another, and encodes them into its block. At the same time keys are encoded, each
// is compared with the one before, and they are added to the index and the filters. Only the open block of each file is in
// memory.
//
// The rows alone decide where blocks and rowsets end: the same rows make the same files, however they are divided into batches
// and however many columns are encoded at once.
package cfile
