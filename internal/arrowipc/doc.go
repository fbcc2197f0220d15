// Package arrowipc reads the metadata of Arrow IPC: messages, schemas, record batches, file footers, as
// https://arrow.apache.org/docs/format/Columnar.html and Message.fbs, Schema.fbs and File.fbs of the Arrow format have
// them. It takes nothing on trust: each flatbuffers offset is checked before it is followed, each count against the
// bytes that are there, each buffer of a batch against the body, and what references to one table unfold to is bounded.
//
//	FF FF FF FF     continuation (missing before Arrow 0.15)
//	int32           metadata length, padding included
//	metadata        flatbuffer Message{version, header: Schema | DictionaryBatch | RecordBatch, body length}
//	body            buffers, each at a multiple of 8
//
// It does no I/O and touches no body. Metadata versions 4 and 5, little endian.
package arrowipc
