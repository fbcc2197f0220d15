// Package blockcodec compresses and decompresses whole blocks with a hard output size.
//
// A block arrives with the size that its container declares for it; a Decoder never writes past that size and calls
// anything else corrupt. Nothing here frames, splits or streams: chunk headers, checksums and declared sizes belong to
// the container, and what is stored between them is exactly one of
//
//	None     the bytes themselves
//	Deflate  raw RFC 1951, no header, no checksum                          Trevni "deflate", ORC ZLIB
//	Zlib     78 xx | raw deflate | Adler-32 of the output, big-endian      Kudu ZLIB
//	Snappy   varint output size | elements                                 raw block: no stream identifier, no CRC
//	LZ4      sequences: token | literals | offset | match length           raw block: no frame, no size prefix
//	LZO      LZO1X instructions … 11 00 00                                 no lzop header
//	Zstd     28 b5 2f fd | frame header | blocks | [xxhash64]              one frame or more, skippable ones too
//	Brotli   RFC 7932
//	Bzip2    "BZh" '1'…'9' | blocks | 17 72 45 38 50 90 | CRC              the first stream only
//
// Bytes behind the end of a Deflate, Zlib or Bzip2 stream do not harm it, as the Java readers have it; Decoder.Trailing
// tells how many there were. Behind every other codec they are corrupt. A stream that is cut before its end is always
// corrupt, even where all of the declared bytes came out.
//
// LZO and Bzip2 are read, not written.
package blockcodec
