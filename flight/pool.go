package flight

import (
	"context"
	"sync"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// pool is an amount that callers take from and give back. Who waits is served in turn: it is the turn of the client that has the
// least, of its connection that has the least, and then of who came first. Those who have all that they may have are passed over. An
// amount that is more than there ever will be is given to who is alone.
type pool struct {
	limit, perClient int64
	perConnection    int64 // 0 = perClient

	mu           sync.Mutex
	used         int64
	byClient     map[string]int64
	byConnection map[holder]int64
	waiting      []*waiter
}

// holder is who takes: a client, on one of its connections.
type holder struct {
	client string
	conn   *transport.Connection // nil = not known
	peer   string                // where it is not
}

func holderOf(c *Call) holder {
	h := holder{client: clientKey(c), conn: c.conn}
	if h.conn == nil {
		h.peer = c.Peer
	}
	return h
}

type waiter struct {
	holder
	least, most int64
	got         int64
	ready       chan struct{} // closed when got is set
}

func newPool(limit, perClient int64) *pool {
	return &pool{limit: limit, perClient: perClient, byClient: map[string]int64{}, byConnection: map[holder]int64{}}
}

func (p *pool) usage() (used int64, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, len(p.waiting)
}

// usageOf returns how much a client has taken.
func (p *pool) usageOf(client string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byClient[client]
}

// take waits for at least least, and returns how much it got, at most most. Where it fails it took nothing.
func (p *pool) take(ctx context.Context, who holder, least, most int64) (int64, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	w := &waiter{holder: who, least: least, most: most, ready: make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.serve()
	p.mu.Unlock()
	select {
	case <-w.ready:
		return w.got, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.ready: // in the same moment
		p.put(who, w.got)
	default:
		p.remove(w)
	}
	p.serve() // it may have stood in front of others
	return 0, context.Cause(ctx)
}

func (p *pool) remove(w *waiter) {
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return
		}
	}
}

func (p *pool) give(who holder, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(who, n)
	p.serve()
}

func (p *pool) put(who holder, n int64) {
	p.used -= n
	if p.byClient[who.client] -= n; p.byClient[who.client] == 0 {
		delete(p.byClient, who.client)
	}
	if p.byConnection[who] -= n; p.byConnection[who] == 0 {
		delete(p.byConnection, who)
	}
}

// serve gives those who wait what there is.
func (p *pool) serve() {
	for {
		w := p.next()
		if w == nil || p.used > 0 && p.used+w.least > p.limit {
			return // its turn is next, even if others need less
		}
		w.got = w.least
		if w.most > w.least {
			free := min(p.limit-p.used, p.perClient-p.byClient[w.client])
			w.got = max(w.least, min(w.most, free/4))
		}
		p.used += w.got
		p.byClient[w.client] += w.got
		p.byConnection[w.holder] += w.got
		p.remove(w)
		close(w.ready)
	}
}

// next returns whose turn it is; nil = nobody waits who may have more.
func (p *pool) next() (best *waiter) {
	var bestClient, bestConnection int64
	for _, w := range p.waiting {
		client, connection := p.byClient[w.client], p.byConnection[w.holder]
		switch {
		case client > 0 && client+w.least > p.perClient, connection > 0 && p.perConnection > 0 && connection+w.least > p.perConnection:
			continue
		case best == nil, client < bestClient, client == bestClient && connection < bestConnection:
			best, bestClient, bestConnection = w, client, connection
		}
	}
	return best
}
