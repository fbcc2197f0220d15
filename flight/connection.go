package flight

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// connection knows the messages that the transport of a connection still refers to. gRPC gives back what it has written,
// and what was cancelled, but not what waits when a connection breaks: that is given back here, when nothing of the
// transport runs any more.
type connection struct {
	raw   net.Conn      // nil = it is not known
	taken atomic.Uint64 // counts up whenever the transport is done with a part of a message

	mu     sync.Mutex
	ended  bool
	conn   *gatherConn // nil = gRPC writes itself
	unsent map[*outbound]struct{}
	latest *outbound // that owner has found
}

// knownListener gives connections that are found again by the address of the other side.
type knownListener struct{ net.Listener }

func (l knownListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return knownConn{c, &connection{raw: c}}, nil
}

type knownConn struct {
	net.Conn
	from *connection
}

// RemoteAddr implements net.Conn.
func (c knownConn) RemoteAddr() net.Addr { return knownAddr{c.Conn.RemoteAddr(), c.from} }

// knownAddr is the address of the other side of a connection.
type knownAddr struct {
	net.Addr
	of *connection
}

// add takes note of a message; false = the connection has ended.
func (c *connection) add(m *outbound) bool {
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
func (c *connection) remove(m *outbound) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.unsent[m]
	delete(c.unsent, m)
	return ok
}

// maxOwners bounds the search of owner: among more messages it takes longer than a copy.
const maxOwners = 64

// owner returns a message whose memory b is of, with a reference for the caller; nil = none was found.
func (c *connection) owner(b []byte) *outbound {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.unsent[c.latest]; ok && c.latest.owns(b) && c.latest.ref() {
		return c.latest
	}
	if len(c.unsent) > maxOwners {
		return nil
	}
	for m := range c.unsent {
		if m.owns(b) && m.ref() {
			c.latest = m
			return m
		}
	}
	return nil
}

// waits reports whether the transport refers to messages.
func (c *connection) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.unsent) > 0
}

// peer is the address of the other side, where the connection is known.
func (c *connection) peer() string {
	if c.raw == nil {
		return ""
	}
	return c.raw.RemoteAddr().String()
}

// abort breaks the connection, where it is known; end follows.
func (c *connection) abort() {
	if c.raw != nil {
		_ = c.raw.Close() // nobody is left to be told
	}
}

func (c *connection) end() {
	if c.conn != nil {
		<-c.conn.stopped // nothing is written any more
	}
	c.mu.Lock()
	left := c.unsent
	c.unsent, c.latest, c.ended = nil, nil, true
	c.mu.Unlock()
	for m := range left {
		m.release()
	}
}

type connectionKey struct{}

func connectionFrom(ctx context.Context) *connection {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		return c
	}
	return &connection{}
}

// connections implements stats.Handler: it tells the connection of a call from its context, and when it has ended.
type connections struct{}

func (connections) TagConn(ctx context.Context, i *stats.ConnTagInfo) context.Context {
	c := &connection{}
	if a, ok := i.RemoteAddr.(knownAddr); ok {
		c = a.of
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

func (connections) HandleConn(ctx context.Context, s stats.ConnStats) {
	if _, ok := s.(*stats.ConnEnd); ok {
		connectionFrom(ctx).end()
	}
}

func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (connections) HandleRPC(context.Context, stats.RPCStats)                       {}
