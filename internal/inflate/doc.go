// Package inflate decodes raw deflate streams (RFC 1951) whole: all of the input is at hand and the output has a hard
// limit, as for the blocks of a columnar file. That is what makes it about twice as fast as a streaming decoder: 64
// bits of input are loaded at once, matches are copied 16 or 32 bytes at a time, and the output is its own window.
//
// A stream is a sequence of blocks, read from the least significant bit of each byte:
//
//	final 1 bit | type 2 bits | body                 last block: final = 1
//
//	type 0, stored    to the next byte; size 16 bits; its complement 16 bits; size bytes
//	type 1, fixed     symbols in the fixed codes, up to symbol 256
//	type 2, dynamic   code lengths (below); symbols in these codes, up to symbol 256
//	type 3            not legal
//
//	lengths of the    HLIT 5 bits: 257..286 literal/length codes; HDIST 5 bits: 1..30 distance codes;
//	dynamic codes     HCLEN 4 bits: 4..19 lengths of 3 bits, in the order 16 17 18 0 8 7 9 …, of the code
//	                  that codes all HLIT + HDIST lengths: 0..15 a length, 16 repeat the last 3..6 times,
//	                  17 and 18 repeat zero 3..10 and 11..138 times
//
//	symbol 0..255     a literal byte
//	symbol 256        end of block
//	symbol 257..285   a match: length 3..258 with 0..5 extra bits, then a distance symbol
//	distance 0..29    1..32768 with 0..13 extra bits
//
// The same streams are accepted and refused as by compress/flate, which fuzzing holds it to. In particular a code may
// be incomplete only if it has no symbols, or one symbol of one bit, and is refused only if a missing code is used.
//
// Two loops decode symbols: assembly for amd64 with AVX2 and BMI2, which looks up whole tokens (tokens.go), and portable
// Go for other machines, for what is short, and with the build tag purego. A third, careful one takes the last bytes of
// either side. They give the same bytes and errors, which tests hold them to. The assembly reads and writes only within
// the slices given: it runs while so much room is left on both sides that no symbol leads out of it.
package inflate
