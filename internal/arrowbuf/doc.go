// Package arrowbuf moves values between decoders and Arrow arrays: memory, buffers and bitmaps, the arrays that
// decoders fill, and rows copied out of arrays that exist.
//
// # Memory
//
// A Pool is the allocator of a scan. What it hands out is 64-byte aligned, not zeroed, and has Slack more bytes of
// capacity than asked for, so that kernels may store past the end instead of handling a tail:
//
//	            len: what was asked for            Slack
//	|------------------------------------------|==========|- - - -|
//	0                                                         cap = 2^k + 3*Slack
//
// Reused memory is dirty. Code that fills a buffer clears what it leaves out: null slots, the unused bits of a bitmap's
// last byte, the padding up to the next multiple of 64. Clean is for code of others that expects zeroes.
//
// # Rows
//
// An Appender, made once per data type, collects ranges of rows of any number of arrays of that type into one array;
// Narrow and Concat do it for records. They exist because arrow's own kernels do not cover every type: filter and take
// know neither maps nor dictionaries, and array.Concatenate no unions. One node per nested type holds the buffers that
// are being built; runs of rows travel down the tree and become runs of the children:
//
//	rows      list<struct<a, b>>     [3,5) [9,10)
//	          offsets                  |      |       copied and rebased: an array that leaves here starts at 0
//	children  struct, a, b           [7,15) [20,21)   one memmove per run and buffer
//
// Whatever the inputs look like (sliced, foreign offsets, other dictionaries), the result has offset 0 at every level,
// offsets buffers that start at 0 and exact null counts; what was copied has no validity bitmap where it has no nulls.
package arrowbuf
