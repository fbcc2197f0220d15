// Package ipc writes Arrow IPC: the random-access file ("ipc") and the stream ("ipc-stream"), whole or with its buffers
// compressed by lz4 or zstd. Nothing is lost of any type.
//
// Messages are made by arrow's own package. It is given batches at offset 0 (apache/arrow#41993: it writes slices
// wrongly), and for files it is kept from replacing a dictionary, which the format does not allow: a dictionary that
// differs from the one before is put behind it as a delta, with the indices moved. Equal dictionaries stay one.
// Dictionaries with dictionaries inside cannot have deltas; where they change, only the stream takes them.
//
// The file's framing is made here, because arrow's own has no place for deltas:
//
//	"ARROW1" 00 00
//	schema message, dictionary and batch messages, end of stream
//	footer: flatbuffer Footer, in which the schema is the schema message's own bytes
//	int32 footer length, "ARROW1"
package ipc
