// Package cfile reads Kudu's CFiles: columns one by one, and what else Kudu keeps in files of that shape. Package
// internal/kudu makes tables of them.
//
//	column file     positional index -> blocks -> one Arrow array, with nulls where the blocks' bitmaps say so
//	key             the same with a value index: the rows ascend, so predicates leave out blocks
//	key index       value index -> blocks of encoded keys, of rowsets whose key has several columns
//	delta file      value index -> blocks of changes: which row, when, what
//	bloom filters   value index -> blocks of bits; they have no rows
//
// A Reader is an open file of any of these kinds; a Column decodes rows of one, forward only:
//
//	        ┌ window: stored blocks, read shortly before they are used ┐
//	block   crc ok? → unpack → row count and bitmap → values by encoding
//	Column  Skip(n) moves a number; Read(n) appends to Arrow buffers; Take() hands the array over
//
// The wire format is drawn in internal/cfilewire.
package cfile
