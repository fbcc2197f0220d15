package flight

import (
	"context"
	"sync"

	"google.golang.org/grpc/stats"
)

// connection knows the messages that the transport of a connection still refers to. gRPC gives back what it has written,
// and what was cancelled, but not what waits when a connection breaks: that is given back here, when nothing of the
// transport runs any more.
type connection struct {
	mu     sync.Mutex
	ended  bool
	conn   *gatherConn // nil = gRPC writes itself
	unsent map[*outbound]struct{}
	latest *outbound // that owner has found
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
	if a, ok := i.RemoteAddr.(gatherAddr); ok {
		c = a.conn.from
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
