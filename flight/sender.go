package flight

import (
	"context"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/writers/ipc"
)

// sender writes the records of one schema to a stream. It belongs to one goroutine. After an error it may only be closed.
type sender struct {
	ctx      context.Context
	stream   grpc.ServerStream
	call     *Call
	messages *ipc.Messages
	begun    bool
}

// newSender prepares to send records of schema s; close must be called. compression is that of the bodies: none, lz4,
// zstd. mem provides the memory of columns that must be copied to be sent; nil = Arrow's default.
func newSender(stream grpc.ServerStream, s *arrow.Schema, compression string, mem memory.Allocator) (*sender, error) {
	ctx := stream.Context()
	call := CallFrom(ctx)
	if call == nil { // outside of a Server
		call = &Call{lease: unlimited{}, conn: connectionFrom(ctx)}
	}
	m, err := ipc.NewMessages(s, compression, mem)
	if err != nil {
		return nil, err
	}
	return &sender{ctx: ctx, stream: stream, call: call, messages: m}, nil
}

// begin sends the schema, unless it was sent. A stream without records has one, too.
func (s *sender) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	return s.post(s.messages.Schema(), nil)
}

// send sends a record, with app_metadata. It returns when the transport has taken it, which is when what was sent before
// is nearly written. The caller keeps rec, which stays retained until the transport is done with it.
func (s *sender) send(rec arrow.Record, meta []byte) error {
	if err := s.begin(); err != nil {
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
	s.call.rows.Add(rec.NumRows())
	s.call.batches.Add(1)
	return nil
}

// post hands one message over, which it releases, now or later.
func (s *sender) post(m ipc.Message, meta []byte) error {
	if err := s.call.lease.Hold(s.ctx, m.Size); err != nil {
		m.Release()
		return exhausted(err)
	}
	lease, size := s.call.lease, m.Size
	o := &outbound{header: m.Metadata, meta: meta, body: m.Body, size: size, conn: s.call.conn, call: s.call}
	s.call.unsent.Add(1)
	o.release = func() {
		m.Release()
		lease.Free(size)
		o.call.unsent.Add(-1)
	}
	if !s.call.conn.add(o) {
		o.release()
		return failf(codes.Unavailable, "the connection has ended")
	}
	o.refs.Store(1)
	defer o.unref()
	if err := s.stream.SendMsg(o); err != nil {
		return err
	}
	s.call.bytes.Add(size)
	return nil
}

// close must be called when the stream ends. Nothing may be sent behind it.
func (s *sender) close() { s.messages.Close() }

// streaming runs the body of an RPC that sends. Where the call is cancelled it returns without waiting for run: a client that
// has stopped to read keeps SendMsg waiting, and only the end of the RPC ends that, and run.
func streaming(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() {
		var err error
		defer func() { ended <- err }()
		defer func() {
			if p := recover(); p != nil {
				err = panicked(p)
			}
		}()
		err = run()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// Unless it waits for its client it ends at once, and all that it holds is free when the call ends.
	t := time.NewTimer(endTimeout)
	defer t.Stop()
	select {
	case err := <-ended:
		return err
	case <-t.C:
		return context.Cause(ctx)
	}
}

// endTimeout is how long a cancelled stream may take to end before its RPC does.
const endTimeout = 50 * time.Millisecond
