package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// Messages makes the messages of a stream for a transport such as Flight, which frames them itself and need not copy them. It
// must be used by one goroutine at a time; messages may be released by any goroutine.
type Messages struct {
	enc encoder
	out []Message
}

// Message is one message of a stream.
type Message struct {
	Metadata []byte   // flatbuffer Message, without prefix or padding
	Body     [][]byte // buffers, which may be empty; the sender adds zeros after each up to a multiple of 8
	Size     int64    // bytes of the body, including these zeros
	held     []arrow.Array
	values   arrow.ArrayData
}

// Release frees the arrays whose memory is in Body. Call it once.
func (m *Message) Release() {
	releaseAll(m.held)
	if m.values != nil {
		m.values.Release()
	}
	*m = Message{}
}

// NewMessages prepares a stream of records with schema s. compression is "none", "lz4" or "zstd"; "" = none. mem allocates
// memory for columns that must be copied, those of slices; nil = memory.DefaultAllocator.
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

// Schema returns the first message of the stream.
func (m *Messages) Schema() Message { return Message{Metadata: m.enc.d.meta} }

// Encode returns the messages of a record: first those of dictionaries that are new or have changed, then that of the record.
// The caller keeps rec and releases the messages. The slice is valid until the next call.
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

// Close frees the dictionaries that were sent. Messages that were returned can still be used.
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
