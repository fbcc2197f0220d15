package transport

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
)

// Account is what the messages of a call are charged to.
type Account struct {
	Conn  *Connection
	Lease Lease
	Sent  *Sent
}

// Lease bounds the memory that waits for a client. See package flight.
type Lease interface {
	// Hold is called before n bytes are handed to the transport. It may wait.
	Hold(ctx context.Context, n int64) error
	// Free is called, from any goroutine, when the transport is done with n bytes.
	Free(n int64)
}

// Sent counts what a call has sent. Its methods may be called by any goroutine. The zero value is ready to use.
type Sent struct {
	rows    atomic.Int64
	batches atomic.Int64
	bytes   atomic.Int64
	unsent  atomic.Int64  // messages that the client has not taken: with the transport, or waiting for it
	taken   atomic.Uint64 // counts up whenever the client has taken a part of one
}

// Totals returns how many rows, in how many batches of how many bytes, were handed to the transport.
func (s *Sent) Totals() (rows, batches, bytes int64) {
	return s.rows.Load(), s.batches.Load(), s.bytes.Load()
}

// Add counts what was sent by other means than Send.
func (s *Sent) Add(rows, batches, bytes int64) {
	s.rows.Add(rows)
	s.batches.Add(batches)
	s.bytes.Add(bytes)
}

// Waits reports whether there are messages that the client has not taken.
func (s *Sent) Waits() bool { return s.unsent.Load() > 0 }

// Taken is a count that changes whenever the client has taken a part of a message.
func (s *Sent) Taken() uint64 { return s.taken.Load() }

// Send sends a message over a stream; until it returns, the message counts as one that waits.
func (s *Sent) Send(stream grpc.ServerStream, m any) error {
	s.unsent.Add(1)
	defer func() {
		s.unsent.Add(-1)
		s.taken.Add(1)
	}()
	return stream.SendMsg(m)
}
