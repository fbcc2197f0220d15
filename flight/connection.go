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
	unsent map[*outbound]struct{}
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

func (c *connection) end() {
	c.mu.Lock()
	left := c.unsent
	c.unsent, c.ended = nil, true
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

func (connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

func (connections) HandleConn(ctx context.Context, s stats.ConnStats) {
	if _, ok := s.(*stats.ConnEnd); ok {
		connectionFrom(ctx).end()
	}
}

func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (connections) HandleRPC(context.Context, stats.RPCStats)                       {}
