package flight

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// Visitor is a client that reaches the server over a protocol other than gRPC, such as a browser over HTTP.
type Visitor struct {
	Addr          net.Addr             // of the connection
	TLS           *tls.ConnectionState // nil = not encrypted
	Authorization []string             // values of the header authorization
	RequestID     string               // as RequestIDHeader; "" = a new one
	Reads         bool                 // rows or files will be read: it counts as a stream, and gets memory as an action does
}

// Methods of the calls that visits are, for Authorizers, Limiters and logs.
const (
	visitMethod = "Visit"     // looks at what is known
	readMethod  = "VisitRead" // reads files
)

// Visit is one call of a Visitor. It is valid until the function passed to Server.Visit returns.
type Visit struct {
	s    *Server
	call *Call
}

// Visit runs do as a call: the Authorizer says who v is, the Limiter what they may use, and Observers and the log are told,
// as for any RPC. ctx of do ends with Visit. The error is a gRPC status, fit for v to see; what do returns becomes one.
func (s *Server) Visit(ctx context.Context, v Visitor, do func(ctx context.Context, v *Visit) error) error {
	md := metadata.MD{}
	if len(v.Authorization) > 0 {
		md["authorization"] = v.Authorization
	}
	if v.RequestID != "" {
		md[RequestIDHeader] = []string{v.RequestID}
	}
	p := &peer.Peer{Addr: v.Addr}
	if v.TLS != nil {
		p.AuthInfo = credentials.TLSInfo{State: *v.TLS}
	}
	method := visitMethod
	if v.Reads {
		method = readMethod
	}
	ctx = peer.NewContext(metadata.NewIncomingContext(ctx, md), p)
	return s.call(ctx, method, func(ctx context.Context) error {
		return do(ctx, &Visit{s: s, call: CallFrom(ctx)})
	})
}

// Call returns the call as Authorizers, Observers and the log see it.
func (v *Visit) Call() *Call { return v.call }

// Names lists the datasets that the visitor may read, sorted.
func (v *Visit) Names(ctx context.Context) []string {
	var out []string
	for _, name := range v.s.o.Catalog.Names() {
		if v.s.authorize(ctx, PermitRead, name) == nil {
			out = append(out, name)
		}
	}
	return out
}

// Open returns a dataset as the catalog knows it now. A visitor without permission to read it cannot learn whether it exists.
func (v *Visit) Open(ctx context.Context, name string) (*Entry, error) {
	return v.s.open(ctx, PermitRead, name, nil)
}

// Scan reads rows of a dataset that Open has returned, one split after the other, from the files as they were then: one
// that was changed since is an error. Parallelism, MemoryBudget and Allocator of o are the server's.
func (v *Visit) Scan(ctx context.Context, e *Entry, o arrowio.ScanOptions) (*arrowio.Scanner, error) {
	o.Parallelism, o.MemoryBudget, o.Allocator = 1, v.s.o.Memory, v.s.o.Allocator
	v.call.lease.Scan(&o)
	data := *e.Dataset
	data.Fragments = make([]arrowio.Fragment, len(e.Fragments))
	for i := range data.Fragments {
		data.Fragments[i] = e.Dataset.Fragments[i]
		data.Fragments[i].Open = func(ctx context.Context) (arrowio.File, error) { return e.Open(ctx, i) }
	}
	return data.Scan(ctx, o)
}

// Inspect returns what fragment i says of itself, and what is doubtful about it. Names of files are as clients know them.
func (e *Entry) Inspect(ctx context.Context, i int, o arrowio.InfoOptions) (info *arrowio.Info, warnings []arrowio.Warning, err error) {
	f, err := e.inspect(ctx, i, o, nil)
	if err != nil {
		return nil, nil, e.Public(err)
	}
	return f.Info, f.Warnings, nil
}

// Streams returns the calls under way that carry rows and that the visitor may end, oldest first: its own, or all of them
// where it may manage the server. Visits are not among them.
func (v *Visit) Streams(ctx context.Context) []*Call {
	mine := v.mine(ctx)
	return v.s.calls.list(func(c *Call) bool { return carriesRows[c.Method] && c.Method != readMethod && mine(c) })
}

// Cancel ends those of Streams with this request id.
func (v *Visit) Cancel(ctx context.Context, id string) error {
	mine := v.mine(ctx)
	if v.s.Cancel(id, func(c *Call) bool { return c.Method != readMethod && c.Method != visitMethod && mine(c) }) == 0 {
		return rpcerr.Errorf(codes.NotFound, "no stream of request id %q is under way", id)
	}
	return nil
}

// Manages reports whether the visitor may manage the server, and so sees the streams of all.
func (v *Visit) Manages(ctx context.Context) bool { return v.s.authorize(ctx, PermitManage, "") == nil }

func (v *Visit) mine(ctx context.Context) func(*Call) bool {
	return (&service{Server: v.s}).mine(ctx)
}
