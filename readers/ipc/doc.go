// Package ipc reads Arrow IPC: the random-access file ("ipc") and the stream ("ipc-stream").
//
// A file, as https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format defines it:
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
// Types, arrays and memory are those of the arrow module, but its package ipc is not used to read: it trusts metadata (one
// flipped bit makes it panic or allocate up to 2^63 bytes), reads every column of a batch, and keeps the dictionaries of a file
// in a map that concurrent readers write to. This package checks every flatbuffers offset before it follows it, every count
// against the bytes of the file, every buffer against the body, and every array against its type (package arrowcheck), so
// hostile input is an error. It does not fetch columns that are not asked for. Batches without compression are views of the
// bytes that were read.
//
// It reads metadata versions 4 and 5, little-endian data, and every type of arrow v15. Decimals of 32 and 64 bits become
// decimals of 128 bits, and fixed-size lists of size 0 become lists. Dictionaries may be nested and have deltas, and in a
// stream replacements. Extension types must be registered; otherwise the column has the storage type. A file is split at its
// batches, into splits of about 16 MiB. A stream is one split of unknown length.
package ipc
