// Package unzstd decodes zstd frames (RFC 8878) whole: all of the input is at hand and the output has a hard limit, as for the chunks of a
// columnar file. The output is its own window.
//
//	frame       28 b5 2f fd | flags 1 | [window 1] | [dictionary 0, 1, 2, 4] | [content size 0, 1, 2, 4, 8] | blocks | [checksum 4]
//	skippable   50…5f 2a 4d 18 | size 4 | bytes
//	flags       width of the content size 2 bits | no window 1 | 0 | reserved 1 | checksum 1 | width of the dictionary's number 2
//	block       last 1 bit | kind 2 | size 21 | raw: bytes; same: one byte; packed: literals | sequences
//
//	literals    kind 2 bits | format 2 | size | [packed size] | raw: bytes; same: one byte; coded: [code] | [jumps 6] | 1 or 4 streams
//	code        a Huffman code: weights of the symbols, 4 bits each, or coded by FSE; the last one is what completes the code
//	sequences   count 1 to 3 | modes 1 | up to three tables | stream
//	table       usual; one symbol; counts; or that of the block before. Of literal lengths, offsets and match lengths, in this order
//	counts      log-5 4 bits | numbers of as many bits as what is left needs; after a 0, 2 bits say how many more zeros, 3 goes on
//	stream      bits that are read from the last one, below the highest 1 of the last byte, towards the first
//	sequence    extra bits of offset, match length, literal length | bits of the next states: literal length, match length, offset
//
// A sequence copies so many literals, and then so many bytes from so far back. An offset of 1, 2 or 3 is one of the last three, of n+3 n.
// What literals are left after the last sequence ends the block.
//
// The streams of literals are reversed as a whole, bit by bit, first. Then they are read forwards, as those of deflate are, in which the
// table of a code is indexed by the lowest bits, and the bits of the next symbol can be taken before the last ones are shifted out.
//
// There are two loops for each of literals and sequences: assembly for amd64 with AVX2 and BMI2, and portable Go for what is short or needs
// care, for other machines, and with the build tag purego. They give the same bytes and errors, which tests hold them to. The assembly reads
// within the frame and the Decoder alone, and writes up to Slack bytes behind the limit. The portable loops are made to be read: where the
// assembly cannot run, klauspost's decoder is faster (Fast).
//
// The same frames are accepted and refused as by klauspost/compress, which fuzzing holds it to, but for an offset of 0 and a table
// of offsets of 512 states, which libzstd refuses, too. Dictionaries are refused.
package unzstd
