// Package ipc reads Arrow IPC: the random-access file ("ipc") and the stream ("ipc-stream").
//
// A file, as https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format has it:
//
//	"ARROW1" 00 00
//	schema message, dictionary and record batch messages, end of stream    (a stream, whole)
//	footer: flatbuffer Footer{schema, dictionaries: [Block], record batches: [Block]}
//	int32 footer length, "ARROW1"
//
// A message, in both:
//
//	FF FF FF FF     continuation (missing before Arrow 0.15)
//	int32           metadata length, padding included
//	metadata        flatbuffer Message{version, header: Schema | DictionaryBatch | RecordBatch, body length}
//	body            buffers, each at a multiple of 8, whole or each compressed (lz4 frame, zstd) behind an int64 of its size
//
// The types, arrays and memory are arrow's; the bytes are not given to arrow's ipc package. It trusts metadata (one
// flipped bit makes it allocate what an int64 can say, or panic), reads every column of a batch, and keeps the
// dictionaries of a file in a map that concurrent readers write to. Here every flatbuffers offset is checked before it
// is followed, every count against the bytes that are there, every buffer against the body, every array against its
// type (package arrowcheck), so that hostile input ends in an error; columns that nobody asked for are not fetched;
// and batches without compression are views of the bytes as they were read.
//
// Read: metadata versions 4 and 5, little endian, every type of arrow v15, decimals of 32 and 64 bits as decimals of 128,
// fixed-size lists of size 0 as lists, dictionaries with deltas (and, in a stream, replacements; in either nested ones),
// registered extension types. A file is split at its batches, about 16 MiB a split; a stream is one split of unknown length.
package ipc
