// Package annotate prints the bytes of a file with their meaning, as `arrowio dump` and the golden tests of the wire
// formats show them: one line for each range, sections nested by two spaces.
//
//	header
//	  0-4: x 54 72 76 02  # magic: Trv, version 2
//	  4-12: x 03 00 00 00 00 00 00 00  # rows: 3
//	column 0
//	  block 0
//	    170-65706: x 00 02 04 06 08 0a 0c 0e … f8 fa fc fe (65536 bytes)  # values
//	not explained
//	  65706-65708: x 00 00
//
// Offsets are absolute and half-open. Only the bytes that are shown are read, so files may be of any size. Every byte
// of the file should have a meaning: Close lists those that no range covered, and a range that covers bytes a second
// time says so.
package annotate
