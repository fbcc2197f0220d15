package ipc

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
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

// Compression says how the bodies of messages are compressed. A buffer that compression would make longer stays as it is.
type Compression struct {
	Codec   string   // "none", "lz4" or "zstd"; "" = none
	Columns []string // names of the columns that are compressed, with their dictionaries; nil = all
}

// NewMessages prepares a stream of records with schema s. mem allocates memory for columns that must be copied, those of slices;
// nil = memory.DefaultAllocator. A name in c.Columns that s does not have is an error.
func NewMessages(s *arrow.Schema, c Compression, mem memory.Allocator) (*Messages, error) {
	p, err := StreamFormat().Plan(s, arrowio.WriteOptions{Compression: c.Codec})
	if err != nil {
		return nil, err
	}
	plain, err := c.plain(s)
	if err != nil {
		return nil, err
	}
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	m := &Messages{enc: encoder{format: p.Format, d: p.Driver.(*driver), plain: plain}}
	m.enc.out = m
	m.enc.dicts = newDictionaries(m.enc.d.schema.Columns, false, mem)
	return m, nil
}

// plain returns which columns of s are not compressed; nil = all are.
func (c Compression) plain(s *arrow.Schema) ([]bool, error) {
	if c.Columns == nil {
		return nil, nil
	}
	plain := slices.Repeat([]bool{true}, s.NumFields())
	for _, name := range c.Columns {
		if !s.HasField(name) {
			return nil, errs.Errorf(errs.ErrOption, "no column is named %q, which is to be compressed", name)
		}
		for _, i := range s.FieldIndices(name) {
			plain[i] = false
		}
	}
	return plain, nil
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
	if !b.holdsViews() { // its buffers are its own
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
	if b.holdsViews() {
		values.Retain()
	} else {
		values = nil
	}
	m.out = append(m.out, Message{Metadata: b.metadata(&d), Body: b.body, Size: b.size, values: values})
	return nil
}
