package flight

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/auth"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// LimitOptions says what all calls together, and the calls of one client, may use. Clients are told apart by the name that the
// Authorizer returns, or without one by their address. 0 = the default, -1 = no limit.
type LimitOptions struct {
	Streams       int // number of simultaneous calls that carry rows; default 1000
	ClientStreams int // default half of Streams

	// SentBytes bounds the bytes of batches that were handed to the transport and that clients have not received yet. A call that
	// would exceed it waits.
	SentBytes       int64 // default 1 GiB
	ClientSentBytes int64 // default half of SentBytes

	// Memory bounds the memory budgets of all scans together. Each scan gets at most StreamMemory and at most a quarter of the
	// free memory, but at least MinMemory. If not even that is free, it waits until other scans end.
	Memory       int64         // default 4 × StreamMemory
	ClientMemory int64         // default half of Memory
	StreamMemory int64         // default 256 MiB; -1 also means the default
	MinMemory    int64         // default 16 MiB, at most StreamMemory
	Wait         time.Duration // how long a call may wait for memory; default 2 minutes, -1 = as long as the client waits
}

// Limits is a Limiter with fixed bounds: see LimitOptions.
type Limits struct {
	o      LimitOptions
	sent   *pool
	memory *pool

	mu       sync.Mutex
	streams  int
	byClient map[string]int
}

// NewLimits returns a new Limits.
func NewLimits(o LimitOptions) (*Limits, error) {
	if o.StreamMemory <= 0 {
		o.StreamMemory = 256 << 20
	}
	if o.MinMemory <= 0 {
		o.MinMemory = 16 << 20
	}
	o.MinMemory = min(o.MinMemory, o.StreamMemory)
	setLimit(&o.Streams, 1000)
	setLimit(&o.ClientStreams, max(1, o.Streams/2))
	setLimit(&o.SentBytes, 1<<30)
	setLimit(&o.ClientSentBytes, max(1, o.SentBytes/2))
	setLimit(&o.Memory, 4*o.StreamMemory)
	setLimit(&o.ClientMemory, max(1, o.Memory/2))
	if o.Wait == 0 {
		o.Wait = 2 * time.Minute
	}
	for _, v := range []struct {
		flag, wholeFlag    string
		share, whole, none int64
		text               func(int64) string
	}{
		{"max-client-streams", "max-streams", int64(o.ClientStreams), int64(o.Streams), noStreamLimit, func(n int64) string { return strconv.FormatInt(n, 10) }},
		{"max-client-sent-bytes", "max-sent-bytes", o.ClientSentBytes, o.SentBytes, noLimit, size},
		{"max-client-memory", "max-memory", o.ClientMemory, o.Memory, noLimit, size},
	} {
		if v.share > v.whole && v.share < v.none {
			return nil, errs.Errorf(errs.ErrOption, "%w is %s, which is more than all clients together may have: %s (%w)",
				errs.Opt(v.flag, ""), v.text(v.share), v.text(v.whole), errs.Opt(v.wholeFlag, ""))
		}
	}
	if o.MinMemory > o.Memory {
		return nil, errs.Errorf(errs.ErrOption, "all streams together may have %s of memory (%w), but one needs %s", size(o.Memory), errs.Opt("max-memory", ""), size(o.MinMemory))
	}
	if o.MinMemory > o.ClientMemory {
		return nil, errs.Errorf(errs.ErrOption, "the streams of one client may have %s of memory (%w, or else half of %w), but one needs %s",
			size(o.ClientMemory), errs.Opt("max-client-memory", ""), errs.Opt("max-memory", ""), size(o.MinMemory))
	}
	return &Limits{
		o: o, byClient: map[string]int{},
		sent: newPool(o.SentBytes, o.ClientSentBytes), memory: newPool(o.Memory, o.ClientMemory),
	}, nil
}

const (
	noLimit       = 1 << 62
	noStreamLimit = min(noLimit, math.MaxInt)
)

func setLimit[T int | int64](v *T, def T) {
	switch {
	case *v == 0:
		*v = def
	case *v < 0:
		*v = T(min(noLimit, int64(math.MaxInt)))
	}
}

func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// carriesRows are the methods that count as streams. The others are answered at once.
var carriesRows = map[string]bool{"DoGet": true, "DoPut": true, "DoExchange": true, "DoAction": true, readMethod: true}

// clientKey returns what a call's limits are counted by.
func clientKey(c *Call) string {
	if c.Client.Name != "" {
		return "name " + c.Client.Name
	}
	return auth.Host(c.Peer)
}

// Begin implements Limiter.
func (l *Limits) Begin(ctx context.Context, c *Call) (Lease, error) {
	if !carriesRows[c.Method] {
		return unlimited{}, nil
	}
	e := &limitLease{l: l, client: clientKey(c)}
	if err := l.enter(e.client); err != nil {
		return nil, err
	}
	if c.Method != "DoGet" && c.Method != "DoAction" && c.Method != readMethod {
		return e, nil
	}
	want := l.o.StreamMemory
	if c.Method != "DoGet" { // most need none
		want = l.o.MinMemory
	}
	if err := e.reserve(ctx, want); err != nil {
		l.leave(e.client)
		return nil, err
	}
	return e, nil
}

func (l *Limits) enter(client string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byClient[client] >= l.o.ClientStreams {
		return rpcerr.Errorf(codes.ResourceExhausted, "this client may have no more than %d streams at once: wait until one has ended", l.byClient[client])
	}
	if l.streams >= l.o.Streams {
		return rpcerr.Errorf(codes.ResourceExhausted, "this server may have no more than %d streams at once: try again later, or another server", l.streams)
	}
	l.streams++
	l.byClient[client]++
	return nil
}

func (l *Limits) leave(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams--
	if l.byClient[client]--; l.byClient[client] == 0 {
		delete(l.byClient, client)
	}
}

// Usage is what calls use at one time, and the limits.
type Usage struct {
	Streams, MaxStreams     int
	Sent, MaxSent           int64 // bytes
	Memory, MaxMemory       int64 // bytes
	SentWaiting, MemWaiting int   // calls
}

// Usage returns what is used now.
func (l *Limits) Usage() Usage {
	u := Usage{MaxStreams: l.o.Streams, MaxSent: l.o.SentBytes, MaxMemory: l.o.Memory}
	u.Sent, u.SentWaiting = l.sent.usage()
	u.Memory, u.MemWaiting = l.memory.usage()
	l.mu.Lock()
	defer l.mu.Unlock()
	u.Streams = l.streams
	return u
}

// limitLease is the Lease of one call.
type limitLease struct {
	l      *Limits
	client string
	memory int64
}

func (e *limitLease) reserve(ctx context.Context, want int64) (err error) {
	wait, stop := ctx, context.CancelFunc(func() {})
	if e.l.o.Wait > 0 {
		wait, stop = context.WithTimeout(ctx, e.l.o.Wait)
	}
	defer stop()
	e.memory, err = e.l.memory.take(wait, e.client, min(e.l.o.MinMemory, want), want)
	if ctx.Err() != nil && err != nil {
		return status.FromContextError(ctx.Err()).Err() // not a limit's doing
	}
	if err != nil {
		used, waiting := e.l.memory.usage()
		return rpcerr.Errorf(codes.ResourceExhausted, "no memory for another stream after %s: %s of %s are taken, %d more calls wait: run fewer at once, or try again later", e.l.o.Wait, size(used), size(e.l.o.Memory), waiting)
	}
	return err
}

func (e *limitLease) Scan(o *arrowio.ScanOptions) {
	if e.memory > 0 && (o.MemoryBudget <= 0 || o.MemoryBudget > e.memory) {
		o.MemoryBudget = e.memory
	}
}

func (e *limitLease) Hold(ctx context.Context, n int64) error {
	if _, err := e.l.sent.take(ctx, e.client, n, n); err != nil {
		return status.FromContextError(ctx.Err()).Err() // not a limit's doing
	}
	return nil
}

func (e *limitLease) Free(n int64) { e.l.sent.give(e.client, n) }

func (e *limitLease) End() {
	if e.memory > 0 {
		e.l.memory.give(e.client, e.memory)
	}
	e.l.leave(e.client)
}

// pool is an amount that callers take from and give back. Who waits is served in turn; those whose client has all that it
// may have do not keep others waiting. An amount that is more than there ever will be is given to whom is alone.
type pool struct {
	limit, perClient int64

	mu       sync.Mutex
	used     int64
	byClient map[string]int64
	waiting  []*waiter
}

type waiter struct {
	client      string
	least, most int64
	got         int64
	ready       chan struct{} // closed when got is set
}

func newPool(limit, perClient int64) *pool {
	return &pool{limit: limit, perClient: perClient, byClient: map[string]int64{}}
}

func (p *pool) usage() (used int64, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, len(p.waiting)
}

// take waits for at least least, and returns how much it got, at most most. Where it fails it took nothing.
func (p *pool) take(ctx context.Context, client string, least, most int64) (int64, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	w := &waiter{client: client, least: least, most: most, ready: make(chan struct{})}
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
		p.put(client, w.got)
	default:
		for i, other := range p.waiting {
			if other == w {
				p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
				break
			}
		}
	}
	p.serve() // it may have stood in front of others
	return 0, context.Cause(ctx)
}

func (p *pool) give(client string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(client, n)
	p.serve()
}

func (p *pool) put(client string, n int64) {
	p.used -= n
	if p.byClient[client] -= n; p.byClient[client] == 0 {
		delete(p.byClient, client)
	}
}

// serve gives those who wait what there is.
func (p *pool) serve() {
	left := p.waiting[:0]
	blocked := false
	for _, w := range p.waiting {
		own := p.byClient[w.client]
		mine := own+w.least <= p.perClient || own == 0
		room := p.used+w.least <= p.limit || p.used == 0
		if blocked || !mine || !room {
			blocked = blocked || mine // its turn is next, even if others need less
			left = append(left, w)
			continue
		}
		free := min(p.limit-p.used, p.perClient-own)
		w.got = w.least
		if w.most > w.least {
			w.got = max(w.least, min(w.most, free/4))
		}
		p.used += w.got
		p.byClient[w.client] += w.got
		close(w.ready)
	}
	clear(p.waiting[len(left):])
	p.waiting = left
}
