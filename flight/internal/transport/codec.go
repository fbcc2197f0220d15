package transport

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec that ours falls back to
	"google.golang.org/grpc/mem"
)

// codec is what a server encodes messages with: protobuf as always, except that an outbound message is framed around
// memory that is not copied.
type codec struct{ encoding.CodecV2 }

// NewCodec returns the codec of a server.
func NewCodec() encoding.CodecV2 { return codec{encoding.GetCodecV2("proto")} }

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(*outbound); ok {
		return m.marshal(), nil
	}
	return c.CodecV2.Marshal(v)
}

// outbound is a FlightData whose body is memory of others. It is sent once.
type outbound struct {
	header []byte   // data_header
	meta   []byte   // app_metadata
	body   [][]byte // each followed by zeros up to a multiple of 8
	size   int64    // of the body

	conn    *Connection
	sent    *Sent        // of its call; nil = of none
	release func()       // of the memory; called once
	refs    atomic.Int64 // pieces that gRPC refers to, and one until it has been handed over

	pieces []piece // of the body, those that are not copied
	at     int     // the piece that was written last; it belongs to the goroutine that writes the connection
}

// piece is a part of a body, as gRPC refers to it. gRPC asks for its bytes right before it writes them, and this is how the
// connection learns which message is written.
type piece struct {
	mem.Buffer
	data []byte
	of   *outbound
}

// ReadOnlyData implements mem.Buffer.
func (p *piece) ReadOnlyData() []byte {
	p.of.conn.writes.Store(p.of)
	return p.data
}

// Tags of FlightData's fields, of wire type 2 (length-delimited).
const (
	tagHeader = 2<<3 | 2
	tagMeta   = 3<<3 | 2
	tagBody   = 1000<<3 | 2
)

const bodyAlign = 8

var zeros [bodyAlign]byte

// marshal frames
//
//	12 len data_header   1a len app_metadata   c2 3e len data_body
//
// Pieces too small to be counted by gRPC are copied into what stands in front of them; so is the padding.
func (m *outbound) marshal() mem.BufferSlice {
	small, large := 0, 0
	for _, b := range m.body {
		if mem.IsBelowBufferPoolingThreshold(len(b)) {
			small += len(b)
		} else {
			large++
		}
	}
	glue := make([]byte, 0, len(m.header)+len(m.meta)+small+bodyAlign*len(m.body)+3*(2+binary.MaxVarintLen64))
	glue = appendField(glue, tagHeader, m.header)
	if len(m.meta) > 0 {
		glue = appendField(glue, tagMeta, m.meta)
	}
	if m.size > 0 { // what is missing is empty
		glue = binary.AppendUvarint(glue, tagBody)
		glue = binary.AppendUvarint(glue, uint64(m.size))
	}
	out := make(mem.BufferSlice, 0, 2*large+1)
	m.pieces = make([]piece, 0, large)
	from := 0 // of glue, not in out yet
	for i, b := range m.body {
		if mem.IsBelowBufferPoolingThreshold(len(b)) {
			glue = append(glue, b...)
		} else {
			if from < len(glue) {
				out, from = append(out, mem.SliceBuffer(glue[from:])), len(glue)
			}
			m.refs.Add(1)
			m.pieces = append(m.pieces, piece{mem.NewBuffer(&m.body[i], m), b, m})
			out = append(out, &m.pieces[len(m.pieces)-1])
		}
		glue = append(glue, zeros[:-len(b)&(bodyAlign-1)]...)
	}
	if from < len(glue) {
		out = append(out, mem.SliceBuffer(glue[from:]))
	}
	return out
}

func appendField(dst []byte, tag uint64, b []byte) []byte {
	dst = binary.AppendUvarint(dst, tag)
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// Get and Put implement mem.BufferPool: gRPC puts back what it was given by NewBuffer when nothing refers to it.

// Get is not called: nothing is taken from a message.
func (m *outbound) Get(n int) *[]byte {
	b := make([]byte, n)
	return &b
}

// Put is called once for each piece.
func (m *outbound) Put(*[]byte) { m.unref() }

// owns reports whether b is memory of the piece that was written last, or of the next one: a message is written in order. It
// belongs to the goroutine that writes the connection.
func (m *outbound) owns(b []byte) bool {
	for i := m.at; i < min(m.at+2, len(m.pieces)); i++ {
		if within(b, m.pieces[i].data) {
			m.at = i
			return true
		}
	}
	return false
}

// within reports whether b is a part of the memory of whole.
func within(b, whole []byte) bool {
	at, from := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	return from <= at && at+uintptr(len(b)) <= from+uintptr(len(whole))
}

// ref adds a reference where there is one; false = the memory is being given back.
func (m *outbound) ref() bool {
	for {
		n := m.refs.Load()
		if n <= 0 {
			return false
		}
		if m.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (m *outbound) unref() {
	m.conn.taken.Add(1)
	if m.sent != nil {
		m.sent.taken.Add(1)
	}
	if m.refs.Add(-1) == 0 && m.conn.remove(m) { // unless the end of the connection came first
		m.release()
	}
}
