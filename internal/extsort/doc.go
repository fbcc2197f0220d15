// Package extsort sorts a stream of record batches of one schema by columns, ascending or descending, in bounded memory.
//
//	Add ──> stage: what came out of order, until it is worth sorting
//	          │ sorted by radix, copied together
//	          v
//	        chunk: sequences of batches in order <── batches that are in order, as they are
//	          │ when memory is full: merged, cut into blocks
//	          v
//	        scratch files: runs of blocks ── merged when there are too many ──> fewer runs
//	          │
//	Merge <── loser tree over the next block of each run and the sequences still in memory
//
// # Order
//
// A row's key is a string of bytes; rows are in the order of their keys compared as bytes, and rows of equal keys in the
// order in which they came. So the result depends on the rows alone, not on how they were cut into batches nor on the
// memory. A key is the encodings of the columns, one behind the other, each with a byte 0 in front, or a byte 1 and
// zeroes (a text: nothing) where the value is null: nulls come last. Where they come first, the two bytes are swapped.
// Columns that are declared to have no nulls do without that byte. The bytes of a descending column's values are inverted.
//
//	bool                        1 byte
//	int8 … int64, dates, times  big endian, sign bit flipped; unsigned as they are
//	float16, 32, 64             big endian; negative: all bits flipped, else the sign bit. 0 and -0 are equal, NaNs are
//	                            equal and behind +Inf
//	decimal128, 256             as integers of that width: the scale is the column's
//	fixed_size_binary           as it is
//	utf8, binary, their kinds   00 becomes 00 01, and 00 00 ends the value; in the last column, ascending, just the bytes
//	dictionary, run ends        by value
//	extension                   by storage
//
// Lists, maps, structs, unions and intervals of several units have no order. A child of a struct has.
//
// # Memory
//
// What is held (batches, keys, what sorting needs, blocks being merged, dictionaries) is counted as the memory that it
// keeps from others, allocators' rounding included, and stays within Options.Memory:
//
//	while rows are added   chunk <= 5/8   stage and its copy, a piece being added, a block being written: the rest
//	while runs are merged  a block of each <= 1/2   all blocks and what is left of the chunk <= 11/16   the batch given <= 1/16
//
// A batch stays the caller's until Add returns; larger ones are taken in pieces. Those that hold much more memory than
// their rows need are copied.
//
// Rows that come in order cost no sorting and, while they fit into memory, no copy: the batches come out as they went
// in. Beyond memory they become one long run, which is read back without comparing.
//
// # Dictionaries
//
// They differ from batch to batch. So within this package a dictionary, at whatever depth, is a column of codes into one
// list of all values, which is put back on the way out; see layout.go.
package extsort
