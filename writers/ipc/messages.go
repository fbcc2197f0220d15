package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// Messages makes the messages of a stream for a transport that frames them itself, such as Flight, and need not copy
// them. It is used by one goroutine at a time; its messages may be released by any.
type Messages struct {
	enc encoder
	out []Message
}

// Message is one message of a stream.
type Message struct {
	Metadata []byte   // flatbuffer Message, without prefix or padding
	Body     [][]byte // buffers, some of them empty; each is followed by zeros up to a multiple of 8
	Size     int64    // of the body, with those zeros
	held     []arrow.Array
	values   arrow.ArrayData
}

// Release frees the arrays whose memory Body is. It is called once.
func (m *Message) Release() {
	releaseAll(m.held)
	if m.values != nil {
		m.values.Release()
	}
	*m = Message{}
}

// NewMessages prepares a stream of records of schema s. compression is "none", "lz4", "zstd" or "", which is none. mem
// provides the memory of columns that must be copied to be sent, those of slices; nil = memory.DefaultAllocator.
func NewMessages(s *arrow.Schema, compression string, mem memory.Allocator) (*Messages, error) {
	p, err := StreamFormat().Plan(s, arrowio.WriteOptions{Compression: compression})
	if err != nil {
		return nil, err
	}
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	m := &Messages{enc: encoder{format: p.Format, d: p.Driver.(*driver)}}
	m.enc.out = m
	m.enc.dicts = newDictionaries(m.enc.d.schema.Columns, false, mem)
	return m, nil
}

// Schema returns the message that comes first.
func (m *Messages) Schema() Message { return Message{Metadata: m.enc.d.meta} }

// Encode returns the messages of a record: those of dictionaries that are new or have changed, and the record's own,
// which is the last. The caller keeps rec and releases the messages; the slice is valid until the next call.
func (m *Messages) Encode(rec arrow.Record) ([]Message, error) {
	m.out = m.out[:0]
	b, settled, err := m.enc.layOut(rec)
	if err != nil {
		releaseAll(settled)
		for i := range m.out {
			m.out[i].Release()
		}
		return nil, err
	}
	if b.codec != arrowipc.None { // its buffers are its own
		releaseAll(settled)
		settled = nil
	}
	m.out = append(m.out, Message{Metadata: b.metadata(nil), Body: b.body, Size: b.size, held: settled})
	return m.out, nil
}

// Close frees the dictionaries that it knows. Messages may still be in use.
func (m *Messages) Close() {
	m.enc.dicts.release()
	m.out = nil
}

func (m *Messages) dictionary(b *batch, d dictionaryOf, values arrow.ArrayData) error {
	if b.codec == arrowipc.None {
		values.Retain()
	} else {
		values = nil
	}
	m.out = append(m.out, Message{Metadata: b.metadata(&d), Body: b.body, Size: b.size, values: values})
	return nil
}
