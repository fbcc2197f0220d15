package transport

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/writers/ipc"
)

// Sender writes the records of one schema to a stream. It belongs to one goroutine. After an error it may only be closed.
type Sender struct {
	ctx      context.Context
	stream   grpc.ServerStream
	to       Account
	messages *ipc.Messages
	begun    bool
}

// NewSender prepares to send records of schema s; Close must be called. c is that of the bodies. mem provides the memory of columns that must be
// copied to be sent; nil = Arrow's default.
func NewSender(stream grpc.ServerStream, to Account, s *arrow.Schema, c ipc.Compression, mem memory.Allocator) (*Sender, error) {
	m, err := ipc.NewMessages(s, c, mem)
	if err != nil {
		return nil, err
	}
	return &Sender{ctx: stream.Context(), stream: stream, to: to, messages: m}, nil
}

// Begin sends the schema, unless it was sent. A stream without records has one, too.
func (s *Sender) Begin() error { return s.BeginWith(nil) }

// BeginWith is Begin with app_metadata for the schema's message.
func (s *Sender) BeginWith(meta []byte) error {
	if s.begun {
		return nil
	}
	s.begun = true
	return s.post(s.messages.Schema(), meta)
}

// Send sends a record, with app_metadata. It returns when the transport has taken it, which is when what was sent before
// is nearly written. The caller keeps rec, which stays retained until the transport is done with it.
func (s *Sender) Send(rec arrow.Record, meta []byte) error {
	if err := s.Begin(); err != nil {
		return err
	}
	out, err := s.messages.Encode(rec)
	if err != nil {
		return err
	}
	for i := range out {
		var md []byte
		if i == len(out)-1 {
			md = meta
		}
		if err := s.post(out[i], md); err != nil {
			for j := i + 1; j < len(out); j++ {
				out[j].Release()
			}
			return err
		}
	}
	s.to.Sent.rows.Add(rec.NumRows())
	s.to.Sent.batches.Add(1)
	return nil
}

// post hands one message over, which it releases, now or later.
func (s *Sender) post(m ipc.Message, meta []byte) error {
	if err := s.to.Lease.Hold(s.ctx, m.Size); err != nil {
		m.Release()
		return rpcerr.WithCode(codes.ResourceExhausted, err)
	}
	lease, sent, size := s.to.Lease, s.to.Sent, m.Size
	o := &outbound{header: m.Metadata, meta: meta, body: m.Body, size: size, conn: s.to.Conn, sent: sent}
	sent.unsent.Add(1)
	o.release = func() {
		m.Release()
		lease.Free(size)
		sent.unsent.Add(-1)
	}
	if !s.to.Conn.add(o) {
		o.release()
		return rpcerr.Errorf(codes.Unavailable, "the connection has ended")
	}
	o.refs.Store(1)
	defer o.unref()
	if err := s.stream.SendMsg(o); err != nil {
		return err
	}
	s.to.Sent.bytes.Add(size)
	return nil
}

// Note sends app_metadata alone.
func (s *Sender) Note(meta []byte) error { return s.post(ipc.Message{}, meta) }

// Close must be called when the stream ends. Nothing may be sent behind it.
func (s *Sender) Close() { s.messages.Close() }
