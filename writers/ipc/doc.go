// Package ipc writes Arrow IPC: the random-access file ("ipc") and the stream ("ipc-stream"), with buffers
// compressed by lz4 or zstd, or not compressed. Nothing of any type is lost. Two types are refused: a dictionary whose values
// are a dictionary, for which the format has no place, and an extension type over a dictionary, which the arrow module cannot
// describe.
//
// The arrow module's package ipc makes the schema message. The batches are made here, because that package writes slices
// (apache/arrow#41993), some unions and the deltas of nested dictionaries wrongly, and cannot write a file whose dictionaries
// change. In a file, a dictionary that differs from the one before is added to it as a delta, and indices are shifted; in a
// stream, it replaces the one before. Equal dictionaries are written once. A dictionary that contains dictionaries cannot have
// deltas; if it changes, only a stream can be written.
//
//	"ARROW1" 00 00                                            (file)
//	schema message, dictionary and batch messages, end of stream
//	footer: flatbuffer Footer, in which the schema is the schema message's own bytes, int32 its length, "ARROW1"   (file)
package ipc
