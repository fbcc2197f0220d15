package transport

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// Connection knows the messages that the transport of a connection still refers to. gRPC gives back what it has written,
// and what was cancelled, but not what waits when a connection breaks: that is given back here, when nothing of the
// transport runs any more.
type Connection struct {
	raw   net.Conn      // nil = it is not known
	taken atomic.Uint64 // counts up whenever the transport is done with a part of a message
	// writes is the message that gRPC has asked for bytes of last: it writes that one. gatherConn looks for the memory it is
	// given nowhere else.
	writes atomic.Pointer[outbound]

	mu     sync.Mutex
	ended  bool
	conn   *gatherConn // nil = gRPC writes itself
	unsent map[*outbound]struct{}
}

// Known returns a listener whose connections StatsHandler finds again. gRPC writes to them itself, as it must where they are
// encrypted.
func Known(l net.Listener) net.Listener { return knownListener{l} }

// knownListener gives connections that are found again by the address of the other side.
type knownListener struct{ net.Listener }

func (l knownListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return knownConn{c, &Connection{raw: c}}, nil
}

type knownConn struct {
	net.Conn
	from *Connection
}

// RemoteAddr implements net.Conn.
func (c knownConn) RemoteAddr() net.Addr { return knownAddr{c.Conn.RemoteAddr(), c.from} }

// knownAddr is the address of the other side of a connection.
type knownAddr struct {
	net.Addr
	of *Connection
}

// add takes note of a message; false = the connection has ended.
func (c *Connection) add(m *outbound) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if c.unsent == nil {
		c.unsent = map[*outbound]struct{}{}
	}
	c.unsent[m] = struct{}{}
	return true
}

// remove reports whether the message was still known: what it holds is given back once.
func (c *Connection) remove(m *outbound) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.unsent[m]
	delete(c.unsent, m)
	return ok
}

// owner returns the message that gRPC writes, with a reference for the caller, if b is memory of it; nil = it is not, and the
// memory is somebody else's. gRPC does not promise to ask for bytes right before it writes them; where it did not, they are
// copied. It belongs to the goroutine that writes the connection.
func (c *Connection) owner(b []byte) *outbound {
	if m := c.writes.Load(); m != nil && m.owns(b) && m.ref() {
		return m
	}
	return nil
}

// Waits reports whether the transport refers to messages.
func (c *Connection) Waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.unsent) > 0
}

// Taken is a count that changes whenever the transport is done with a part of a message.
func (c *Connection) Taken() uint64 { return c.taken.Load() }

// Peer is the address of the other side, where the connection is known.
func (c *Connection) Peer() string {
	if c.raw == nil {
		return ""
	}
	return c.raw.RemoteAddr().String()
}

// Abort breaks the connection, where it is known; end follows.
func (c *Connection) Abort() {
	if c.raw != nil {
		_ = c.raw.Close() // the connection ends, so its error is of no use
	}
}

func (c *Connection) end() {
	if c.conn != nil {
		<-c.conn.stopped // nothing is written any more
	}
	c.mu.Lock()
	left := c.unsent
	c.unsent, c.ended = nil, true
	c.writes.Store(nil)
	c.mu.Unlock()
	for m := range left {
		m.release()
	}
}

type connectionKey struct{}

// ConnectionOf returns the connection that the context of a call belongs to; one that is not known gives an empty one.
func ConnectionOf(ctx context.Context) *Connection {
	if c, ok := ctx.Value(connectionKey{}).(*Connection); ok {
		return c
	}
	return &Connection{}
}

// StatsHandler returns what a gRPC server needs to know its connections, and when they end.
func StatsHandler() stats.Handler { return connections{} }

// connections implements stats.Handler: it tells the connection of a call from its context, and when it has ended.
type connections struct{}

func (connections) TagConn(ctx context.Context, i *stats.ConnTagInfo) context.Context {
	c := &Connection{}
	if a, ok := i.RemoteAddr.(knownAddr); ok {
		c = a.of
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

func (connections) HandleConn(ctx context.Context, s stats.ConnStats) {
	if _, ok := s.(*stats.ConnEnd); ok {
		ConnectionOf(ctx).end()
	}
}

func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (connections) HandleRPC(context.Context, stats.RPCStats)                       {}
