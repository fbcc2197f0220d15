package flight

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/transport"
	"github.com/arrowio/arrowio/internal/tracing"
	"github.com/arrowio/arrowio/internal/workers"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// RequestIDHeader is the header with the id of a call. A client may send it; otherwise the server makes an id. Every answer has
// it. Logs and errors contain the id, and the action "cancel" takes it.
const RequestIDHeader = "x-request-id"

// Call is one RPC in progress. Its exported fields do not change after Observer.Started was called; its methods may be called
// concurrently.
type Call struct {
	ID      string // of the request
	Method  string // "DoGet"
	Peer    string // address of the client
	Client  Client
	Started time.Time
	Trace   string // id of the call's trace, see Options.TraceStatements; "" = it has none

	aboutMu   sync.Mutex
	dataset   atomic.Pointer[string]
	query     atomic.Pointer[string]
	statement atomic.Pointer[string]
	putRows   atomic.Int64
	putBytes  atomic.Int64
	tried     string // see loginName

	sent   transport.Sent
	lease  Lease
	conn   *transport.Connection
	cancel context.CancelCauseFunc

	session atomic.Pointer[sqlSession]
	offered bool // whether the client was offered one
}

// Dataset returns the name of the dataset that the client has asked for, or that its statement reads, several with commas between; "" =
// none, or not known yet. What client asks for need not be there.
func (c *Call) Dataset() string { return load(&c.dataset) }

// maxAbout is how long the names of a call's datasets are together, about.
const maxAbout = 500

// about records that the call is about a dataset.
func (c *Call) about(name string) {
	if c == nil || !ValidName(name) {
		return
	}
	c.aboutMu.Lock()
	defer c.aboutMu.Unlock()
	switch had := c.Dataset(); {
	case had == "":
		c.dataset.Store(&name)
	case len(had) < maxAbout && !slices.Contains(strings.Split(had, ","), name):
		had += "," + name
		c.dataset.Store(&had)
	}
}

// Sent returns how many rows, batches and bytes the call has handed to the transport.
func (c *Call) Sent() (rows, batches, bytes int64) { return c.sent.Totals() }

func load(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

type callKey struct{}

// CallFrom returns the call whose context is ctx; nil = none.
func CallFrom(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// calls are those under way, and what the latest of those that have ended have read.
type calls struct {
	mu      sync.Mutex
	running map[*Call]struct{}
	whole   map[string]string // by the id of a FlightInfo: the client that has read an endpoint to its end
	order   []string          // the keys of whole, oldest first
}

// mostWhole is how many FlightInfos are kept in mind that were read to the end.
const mostWhole = 4096

// readWhole notes that c has sent everything that its ticket stands for.
func (cs *calls) readWhole(c *Call) {
	query := load(&c.query)
	if query == "" || len(query) > 64 { // none is longer, but clients make tickets, too
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.whole == nil {
		cs.whole = map[string]string{}
	}
	if _, known := cs.whole[query]; !known {
		cs.order = append(cs.order, query)
	}
	cs.whole[query] = c.Client.Name
	if len(cs.order) > mostWhole {
		delete(cs.whole, cs.order[0])
		cs.order = cs.order[1:]
	}
}

// wasRead reports whether a call that matches has read an endpoint of one of these FlightInfos to its end.
func (cs *calls) wasRead(queries map[string]bool, match func(*Call) bool) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for query := range queries {
		if name, ok := cs.whole[query]; ok && match(&Call{Client: Client{Name: name}}) {
			return true
		}
	}
	return false
}

func (cs *calls) add(c *Call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.running == nil {
		cs.running = map[*Call]struct{}{}
	}
	cs.running[c] = struct{}{}
}

func (cs *calls) remove(c *Call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.running, c)
}

// list returns the calls under way that match, oldest first.
func (cs *calls) list(match func(*Call) bool) []*Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var out []*Call
	for c := range cs.running {
		if match(c) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *Call) int { return a.Started.Compare(b.Started) })
	return out
}

// newRequestID returns the client's name for a call, or a new one.
func newRequestID(md metadata.MD) string {
	if v := md.Get(RequestIDHeader); len(v) > 0 && validRequestID(v[0]) {
		return v[0]
	}
	return randomID()
}

func randomID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, says crypto/rand
	return hex.EncodeToString(b[:])
}

func validRequestID(s string) bool {
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:", r))
	}) < 0
}

// unary and stream put every RPC through the same: a request id, a panic guard, who it is, what they may use, and an
// answer whose error is a gRPC status.
func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	err = s.call(ctx, info.FullMethod, func(ctx context.Context) (err error) {
		resp, err = handler(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return s.call(ss.Context(), info.FullMethod, func(ctx context.Context) error {
		return handler(srv, &callStream{ServerStream: ss, ctx: ctx, call: CallFrom(ctx)})
	})
}

// callStream is a stream whose context is the call's, which is told when it waits for its client.
type callStream struct {
	grpc.ServerStream
	ctx  context.Context
	call *Call
}

func (s *callStream) Context() context.Context { return s.ctx }

func (s *callStream) SendMsg(m any) error { return s.call.sent.Send(s.ServerStream, m) }

// newSender prepares to send records of schema s as a part of the stream's call; see transport.NewSender.
func newSender(stream grpc.ServerStream, s *arrow.Schema, c outipc.Compression, mem memory.Allocator) (*transport.Sender, error) {
	call := CallFrom(stream.Context())
	if call == nil { // outside of a Server
		call = &Call{lease: unlimited{}, conn: transport.ConnectionOf(stream.Context())}
	}
	return transport.NewSender(stream, transport.Account{Conn: call.conn, Lease: call.lease, Sent: &call.sent}, s, c, mem)
}

// call runs one RPC.
func (s *Server) call(ctx context.Context, method string, run func(context.Context) error) error {
	md, _ := metadata.FromIncomingContext(ctx)
	c := &Call{ID: newRequestID(md), Method: method[strings.LastIndexByte(method, '/')+1:], Started: time.Now(), lease: unlimited{}}
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		c.Peer = p.Addr.String()
	}
	c.Trace = tracing.ID(ctx)
	c.conn = transport.ConnectionOf(ctx)
	ctx, c.cancel = context.WithCancelCause(context.WithValue(ctx, callKey{}, c))
	defer c.cancel(nil)
	// Fails only where the answer has begun, which it has not.
	_ = grpc.SetHeader(ctx, metadata.Pairs(RequestIDHeader, c.ID))

	err := workers.Catch(func() error { return s.guarded(ctx, c, run) })
	if cause := context.Cause(ctx); cause != nil && err != nil && errors.Is(cause, errStopped) {
		err = cause // whatever it stumbled over on its way out
	}
	c.tried = loginName(err)
	st := s.status(c, err)
	for _, o := range s.o.Observers {
		o.Ended(c, st)
	}
	s.log(ctx, c, err, st)
	s.trace(ctx, c)
	return st
}

// guarded does everything that may fail or panic.
func (s *Server) guarded(ctx context.Context, c *Call, run func(context.Context) error) (err error) {
	if s.draining.Load() {
		return errDraining
	}
	if a := s.o.Authorizer; a != nil {
		if c.Client, err = a.Authenticate(ctx, c); err != nil {
			return unauthenticated(err)
		}
		if !c.Client.Until.IsZero() {
			end := time.AfterFunc(time.Until(c.Client.Until), func() { c.cancel(errExpired) })
			defer end.Stop()
		}
	}
	if l := s.o.Limiter; l != nil {
		lease, err := l.Begin(ctx, c)
		if err != nil {
			return exhausted(err)
		}
		c.lease = lease
		defer lease.End()
	}
	s.calls.add(c)
	defer s.calls.remove(c)
	for _, o := range s.o.Observers {
		o.Started(c)
	}
	if err := run(ctx); err != nil {
		return err
	}
	s.calls.readWhole(c)
	return nil
}

// authorize is where every use of a dataset, and of the server itself, is permitted.
func (s *Server) authorize(ctx context.Context, p Permission, dataset string) error {
	if s.o.Authorizer == nil {
		return nil
	}
	c := CallFrom(ctx)
	if c == nil {
		return errs.Errorf(errs.ErrInternal, "no call to authorize")
	}
	return denied(s.o.Authorizer.Authorize(ctx, c, p, dataset))
}

// open and look are the only ways to a dataset: by its name in the catalog, for a client that may.
func (s *Server) open(ctx context.Context, p Permission, name string, options map[string]string) (*Entry, error) {
	CallFrom(ctx).about(name)
	return s.look(ctx, p, name, options)
}

// look is open for calls that are not about this dataset.
func (s *Server) look(ctx context.Context, p Permission, name string, options map[string]string) (*Entry, error) {
	if err := s.authorize(ctx, p, name); err != nil {
		return nil, err
	}
	shares, err := s.shares(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(shares) == 0 {
		return s.o.Catalog.Lookup(ctx, name, options)
	}
	if len(options) > 0 { // they change columns and types, which is what the client is restricted by
		return nil, rpcerr.Errorf(codes.PermissionDenied, "this client may read only a part of %s, and may set no options and no dictionary for it", name)
	}
	e, err := s.o.Catalog.Lookup(ctx, name, nil)
	if err != nil && codeOf(s.status(&Call{}, err)) != codes.NotFound {
		return nil, (&Entry{Name: name, of: &served{catalog: s.o.Catalog}, guard: &guard{}}).failed(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	return s.sharedWith(ctx, e)
}

// listed returns a dataset, which the client may read, for a list of several; nil = it is gone, or never could be opened.
func (s *Server) listed(ctx context.Context, name string) (*Entry, error) {
	e, err := s.o.Catalog.listed(ctx, name)
	if codeOf(s.status(&Call{}, err)) == codes.NotFound {
		return nil, nil // taken out meanwhile
	}
	if err != nil || e == nil {
		return nil, err
	}
	return s.sharedWith(ctx, e)
}

// Calls returns the calls in progress, oldest first.
func (s *Server) Calls() []*Call { return s.calls.list(func(*Call) bool { return true }) }

// Cancel ends the calls with this request id for which match returns true; nil = all with this id. It returns their number.
func (s *Server) Cancel(id string, match func(*Call) bool) int {
	return s.cancelCalls(func(c *Call) bool { return c.ID == id && (match == nil || match(c)) })
}

func (s *Server) cancelCalls(match func(*Call) bool) int {
	found := s.calls.list(match)
	for _, c := range found {
		c.cancel(errCancelled)
	}
	return len(found)
}

func (s *Server) log(ctx context.Context, c *Call, err, st error) {
	rows, _, bytes := c.Sent()
	attrs := []any{
		"request_id", c.ID, "method", c.Method, "peer", c.Peer, "client", c.Client.Name, "dataset", c.Dataset(),
		"duration", time.Since(c.Started), "rows", rows, "bytes", bytes, "code", codeOf(st).String(),
	}
	if c.Trace != "" {
		attrs = append(attrs, "trace_id", c.Trace)
	}
	switch {
	case err == nil:
		s.logger.InfoContext(ctx, "call", attrs...)
	case errors.Is(err, errs.ErrInternal):
		s.logger.ErrorContext(ctx, "call", append(attrs, "error", err.Error())...)
	default:
		s.logger.InfoContext(ctx, "call", append(attrs, "error", fmt.Sprint(err))...)
	}
}
