package flight

import (
	"context"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
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
	o           LimitOptions
	bulk, small lane

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
	l := &Limits{o: o, byClient: map[string]int{}}
	l.divide()
	return l, nil
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
var carriesRows = map[string]bool{"DoGet": true, "DoPut": true, "DoExchange": true, "DoAction": true, readMethod: true, sendMethod: true}

// clientKey returns what a call's limits are counted by.
func clientKey(c *Call) string {
	if c.Client.Name != "" {
		return "name " + c.Client.Name
	}
	return auth.Host(c.Peer)
}

// lane is what some of the calls share.
type lane struct{ memory, sent *pool }

// smallMemory is the memory of a scan that reads little: two batches.
const smallMemory = 2 * DefaultBatchBytes

// divide keeps an eighth of the memory, and of what may be sent, for scans that read little, where that is enough for a few. They
// wait for each other only, not for those that read much. One connection gets a quarter of it at most, so that one client behind an
// address does not keep all others back that come from there.
func (l *Limits) divide() {
	memory, clientMemory, sent, clientSent := l.o.Memory/8, l.o.ClientMemory/8, l.o.SentBytes/8, l.o.ClientSentBytes/8
	if min(clientMemory, clientSent) < 4*smallMemory {
		l.bulk = lane{newPool(l.o.Memory, l.o.ClientMemory), newPool(l.o.SentBytes, l.o.ClientSentBytes)}
		l.small = lane{newPool(0, 0), newPool(0, 0)}
		return
	}
	l.bulk = lane{newPool(l.o.Memory-memory, min(l.o.ClientMemory, l.o.Memory-memory)), newPool(l.o.SentBytes-sent, min(l.o.ClientSentBytes, l.o.SentBytes-sent))}
	l.small = lane{newPool(memory, clientMemory), newPool(sent, clientSent)}
	l.small.memory.perConnection, l.small.sent.perConnection = clientMemory/4, clientSent/4
}

// laneOf returns what calls share that read little, or much.
func (l *Limits) laneOf(small bool) *lane {
	if small && l.small.memory.limit > 0 {
		return &l.small
	}
	return &l.bulk
}

// Begin implements Limiter. The Lease is a Reserver.
func (l *Limits) Begin(_ context.Context, c *Call) (Lease, error) {
	if !carriesRows[c.Method] {
		return unlimited{}, nil
	}
	e := &limitLease{l: l, who: holderOf(c), lane: &l.bulk, want: l.o.MinMemory}
	switch c.Method {
	case "DoGet", sendMethod:
		e.want = l.o.StreamMemory
		fallthrough
	case "DoAction": // what is answered without a scan is little
		e.lane = l.laneOf(true)
	}
	if err := l.enter(e.who.client); err != nil {
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
	for _, lane := range []*lane{&l.bulk, &l.small} {
		sent, sentWaiting := lane.sent.usage()
		memory, memWaiting := lane.memory.usage()
		u.Sent, u.SentWaiting, u.Memory, u.MemWaiting = u.Sent+sent, u.SentWaiting+sentWaiting, u.Memory+memory, u.MemWaiting+memWaiting
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u.Streams = l.streams
	return u
}

// limitLease is the Lease of one call.
type limitLease struct {
	l    *Limits
	who  holder
	want int64 // memory for what is not small

	mu       sync.Mutex // scans of a call may begin at the same time
	reserved bool
	ended    bool
	lane     *lane
	memory   int64

	sent atomic.Pointer[pool] // that of what the call has sent; nil = nothing yet
}

// Reserve implements Reserver. A call reserves once.
func (e *limitLease) Reserve(ctx context.Context, small bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reserved {
		return nil
	}
	if e.ended { // what goes on of a call that was cancelled
		return status.Error(codes.Canceled, "the call has ended")
	}
	lane, least, want := e.l.laneOf(small), e.l.o.MinMemory, max(e.want, e.l.o.MinMemory)
	if lane == &e.l.small {
		least, want = smallMemory, smallMemory
	}
	wait, stop := ctx, context.CancelFunc(func() {})
	if e.l.o.Wait > 0 {
		wait, stop = context.WithTimeout(ctx, e.l.o.Wait)
	}
	defer stop()
	memory, err := lane.memory.take(wait, e.who, least, want)
	if ctx.Err() != nil && err != nil {
		return status.FromContextError(ctx.Err()).Err() // not a limit's doing
	}
	if err != nil {
		used, waiting := lane.memory.usage()
		if mine := lane.memory.usageOf(e.who.client); mine+least > lane.memory.perClient {
			return rpcerr.Errorf(codes.ResourceExhausted, "no memory for another stream of this client after %s: its streams have taken %s of the %s that one client may have (--max-client-memory of the server): run fewer at once, or try again later", e.l.o.Wait, size(mine), size(lane.memory.perClient))
		}
		return rpcerr.Errorf(codes.ResourceExhausted, "no memory for another stream after %s: %s of %s are taken, %d more calls wait: run fewer at once, or try again later", e.l.o.Wait, size(used), size(lane.memory.limit), waiting)
	}
	e.memory, e.lane, e.reserved = memory, lane, true
	return nil
}

func (e *limitLease) Scan(o *arrowio.ScanOptions) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.memory > 0 && (o.MemoryBudget <= 0 || o.MemoryBudget > e.memory) {
		o.MemoryBudget = e.memory
	}
}

func (e *limitLease) Hold(ctx context.Context, n int64) error {
	pool := e.sent.Load()
	if pool == nil {
		e.mu.Lock()
		pool = e.lane.sent
		e.mu.Unlock()
		e.sent.Store(pool)
	}
	if _, err := pool.take(ctx, e.who, n, n); err != nil {
		return status.FromContextError(ctx.Err()).Err() // not a limit's doing
	}
	return nil
}

func (e *limitLease) Free(n int64) { e.sent.Load().give(e.who, n) }

func (e *limitLease) End() {
	e.mu.Lock()
	e.ended = true
	memory, lane := e.memory, e.lane
	e.mu.Unlock()
	if memory > 0 {
		lane.memory.give(e.who, memory)
	}
	e.l.leave(e.who.client)
}
