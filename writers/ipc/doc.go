// Package ipc writes Arrow IPC: the random-access file ("ipc") and the stream ("ipc-stream"), whole or with its buffers
// compressed by lz4 or zstd. Nothing is lost of any type; only a dictionary whose values are a dictionary is refused,
// because the format has no place for it, and an extension of a dictionary, which arrow's package cannot describe.
//
// Arrow's own package makes the schema message. Batches are laid out here, from arrays at offset 0: arrow's writer gets
// slices wrong (apache/arrow#41993), some unions and the deltas of nested dictionaries too, and its files hold no
// dictionary that changes. Here a dictionary that differs from the one before is put behind it as a delta, with the indices moved;
// equal ones stay one; a stream replaces them. Dictionaries with dictionaries inside cannot have deltas; where they
// change, only the stream takes them.
//
//	"ARROW1" 00 00                                            (file)
//	schema message, dictionary and batch messages, end of stream
//	footer: flatbuffer Footer, in which the schema is the schema message's own bytes, int32 its length, "ARROW1"   (file)
package ipc
