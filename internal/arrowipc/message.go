package arrowipc

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Message headers, the union of Message.fbs.
const (
	SchemaMessage     = 1
	DictionaryMessage = 2
	BatchMessage      = 3
)

// Metadata versions.
const (
	V4 = 3 // of Arrow 0.8 to 0.17
	V5 = 4 // since 1.0
)

// Continuation stands in front of every message since Arrow 0.15.
const Continuation = 0xFFFFFFFF

// Message is Message{version, header_type, header, bodyLength, custom_metadata}.
type Message struct {
	Version int16
	Kind    uint8
	Body    int64 // length of the body behind the metadata
	header  table
	limits  errs.Limits
}

// ParseMessage reads the metadata of a message, which the Message refers to from then on.
func ParseMessage(meta []byte, limits errs.Limits) (Message, error) {
	f := newFlat(meta, limits.MetadataBytes)
	t := f.root()
	m := Message{Version: t.int16(0, 0), Kind: t.uint8(1), Body: t.int64(3), limits: limits}
	var ok bool
	m.header, ok = t.child(2)
	switch {
	case f.err != nil:
		return m, f.err
	case !ok:
		return m, corrupt("a message without a header")
	case m.Body < 0:
		return m, corrupt("a message body of %d bytes", m.Body)
	}
	return m, checkVersion(m.Version)
}

func checkVersion(v int16) error {
	if v < V4 {
		return errs.Errorf(errs.ErrUnsupported, "metadata version V%d, from before Arrow 0.8", v+1)
	}
	if v > V5 {
		return errs.Errorf(errs.ErrUnsupported, "metadata version V%d", v+1)
	}
	return nil
}

// HeaderPos returns where the table of the header is in the metadata.
func (m Message) HeaderPos() int64 { return m.header.pos }

func (m Message) expect(kind uint8) error {
	if m.Kind != kind {
		return corrupt("a message of kind %d, not %d", m.Kind, kind)
	}
	return nil
}

// Schema reads the header of a schema message.
func (m Message) Schema() (*Schema, error) {
	if err := m.expect(SchemaMessage); err != nil {
		return nil, err
	}
	return readSchema(m.header, m.limits)
}

// Batch reads the header of a record batch message. Each column of s has as many slots as the batch has rows.
func (m Message) Batch(s *Schema) (Batch, error) {
	if err := m.expect(BatchMessage); err != nil {
		return Batch{}, err
	}
	b, err := readBatch(m.header, m)
	if err != nil {
		return b, err
	}
	return b, s.checkRows(&b)
}

// Dictionary reads the header of a dictionary message, DictionaryBatch{id, data, isDelta}: values of dictionary id, to
// be added to those it has if delta.
func (m Message) Dictionary() (id int64, delta bool, b Batch, err error) {
	if err := m.expect(DictionaryMessage); err != nil {
		return 0, false, Batch{}, err
	}
	id, delta = m.header.int64(0), m.header.bool(2)
	data, ok := m.header.child(1)
	switch {
	case m.header.f.err != nil:
		err = m.header.f.err
	case !ok:
		err = corrupt("a dictionary batch without data")
	default:
		b, err = readBatch(data, m)
	}
	return id, delta, b, err
}

// Framing reads the prefix of a message: how long it is itself, and the metadata behind it. Metadata of length 0 end a
// stream.
//
//	FF FF FF FF, int32 length      since Arrow 0.15
//	int32 length                   before
func Framing(b []byte) (prefix, meta int64, err error) {
	if len(b) < 4 {
		return 0, 0, corrupt("%d bytes where a message starts", len(b))
	}
	n := binary.LittleEndian.Uint32(b)
	prefix = 4
	if n == Continuation {
		if len(b) < 8 {
			return 0, 0, corrupt("%d bytes where a message starts", len(b))
		}
		n, prefix = binary.LittleEndian.Uint32(b[4:]), 8
	}
	if int32(n) < 0 {
		return 0, 0, corrupt("metadata of %d bytes", int32(n))
	}
	return prefix, int64(n), nil
}

// Batch is RecordBatch{length, nodes, buffers, compression, variadicBufferCounts}. Every buffer lies in the body.
type Batch struct {
	Rows     int64
	Codec    int8 // None, LZ4 or ZSTD
	Version  int16
	nodes    []byte // FieldNode{int64 length, int64 null count}
	buffers  []byte // Buffer{int64 offset, int64 length}
	variadic []byte // int64 each
}

// Codecs of a body.
const (
	None = -1
	LZ4  = 0
	ZSTD = 1
)

func readBatch(t table, m Message) (Batch, error) {
	b := Batch{
		Rows: t.int64(0), nodes: t.vector(1, 16), buffers: t.vector(2, 16), variadic: t.vector(4, 8),
		Codec: None, Version: m.Version,
	}
	if c, ok := t.child(3); ok {
		b.Codec = int8(c.uint8(0))
		if method := c.uint8(1); method != 0 || b.Codec < LZ4 || b.Codec > ZSTD {
			return b, errs.Errorf(errs.ErrUnsupported, "body compression %d by method %d", b.Codec, method)
		}
	}
	if t.f.err != nil {
		return b, t.f.err
	}
	if b.Rows < 0 {
		return b, corrupt("a batch of %d rows", b.Rows)
	}
	for i := 0; i < b.NumBuffers(); i++ {
		off, n := b.Buffer(i)
		if off < 0 || n < 0 || off > m.Body || n > m.Body-off {
			return b, corrupt("buffer %d of %d bytes at %d of a body of %d", i, n, off, m.Body)
		}
	}
	return b, nil
}

// NumNodes returns the number of field nodes.
func (b *Batch) NumNodes() int { return len(b.nodes) / 16 }

// NumBuffers returns the number of buffers.
func (b *Batch) NumBuffers() int { return len(b.buffers) / 16 }

// NumVariadic returns the number of variadic counts, of which each field of views has one.
func (b *Batch) NumVariadic() int { return len(b.variadic) / 8 }

// Node returns the slots of field node i and how many are said to be null. Neither was checked.
func (b *Batch) Node(i int) (n, nulls int64) { return pair(b.nodes, i) }

// Buffer returns where buffer i lies in the body.
func (b *Batch) Buffer(i int) (off, n int64) { return pair(b.buffers, i) }

// Variadic returns how many buffers of data a field of views has. It was not checked.
func (b *Batch) Variadic(i int) int64 { return int64(binary.LittleEndian.Uint64(b.variadic[8*i:])) }

func pair(v []byte, i int) (x, y int64) {
	p := v[16*i : 16*i+16]
	return int64(binary.LittleEndian.Uint64(p)), int64(binary.LittleEndian.Uint64(p[8:]))
}
