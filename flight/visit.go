package flight

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/apache/arrow/go/v15/arrow/array"
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
	Authorization []string             // values of the header "authorization"
	RequestID     string               // see RequestIDHeader; "" = the server makes one
	Reads         bool                 // the visit reads rows or files: it counts as a stream, and gets memory as an action does
	Sends         bool                 // the visit sends rows until there are no more: it counts as a stream, gets memory as a DoGet does, and Streams lists it
}

// Methods of the calls that visits are, for Authorizers, Limiters and logs.
const (
	visitMethod = "Visit"     // looks at what is known
	readMethod  = "VisitRead" // reads files
	sendMethod  = "VisitSend" // sends rows
)

// Visit is one call of a Visitor. It is valid until the function that was passed to Server.Visit returns.
type Visit struct {
	s    *Server
	call *Call
}

// Visit runs do as a call of the visitor v, like an RPC: the Authorizer authenticates v, the Limiter bounds the call, and
// Observers and the log record it. The context of do ends with Visit. Visit returns an error as a gRPC status that may be shown
// to v; an error from do becomes one.
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
	switch {
	case v.Sends:
		method = sendMethod
	case v.Reads:
		method = readMethod
	}
	ctx = peer.NewContext(metadata.NewIncomingContext(ctx, md), p)
	return s.call(ctx, method, func(ctx context.Context) error {
		return do(ctx, &Visit{s: s, call: CallFrom(ctx)})
	})
}

// sends reports whether a visit that sends rows is under way.
func (s *Server) sends() bool {
	return len(s.calls.list(func(c *Call) bool { return c.Method == sendMethod })) > 0
}

// Call returns the visit as the Call that Authorizers, Observers and the log get.
func (v *Visit) Call() *Call { return v.call }

// Sent adds to what the call has sent, for Observers and the log: a batch of rows, or bytes of what rows were written as.
func (v *Visit) Sent(rows, batches, bytes int64) { v.call.sent.Add(rows, batches, bytes) }

// Names returns the names of the datasets that the visitor may read, sorted.
func (v *Visit) Names(ctx context.Context) []string {
	var out []string
	for _, name := range v.s.o.Catalog.Names() {
		if v.s.authorize(ctx, PermitRead, name) == nil {
			out = append(out, name)
		}
	}
	return out
}

// Open returns the present state of a dataset. If the visitor may not read it, the error does not show whether it exists.
func (v *Visit) Open(ctx context.Context, name string) (*Entry, error) {
	return v.s.open(ctx, PermitRead, name, nil)
}

// Look is Open for a visit that shows several datasets: it is not told to be about this one.
func (v *Visit) Look(ctx context.Context, name string) (*Entry, error) {
	return v.s.look(ctx, PermitRead, name, nil)
}

// Asks says for the logs which rows of a dataset the visitor has asked for. The columns are dotted paths, nil = all, and where is a filter.
func (v *Visit) Asks(dataset string, columns []string, where string) {
	v.call.say((&Command{Dataset: dataset, Columns: columns, Where: where}).said())
}

// Scan reads rows of a dataset that Open has returned, one split after the other. A file that has changed since then is an error.
// The server sets Parallelism, MemoryBudget and Allocator of o. If the client may not read all rows, o.Rows must be zero. Errors may be
// shown to the visitor. The caller releases the reader.
func (v *Visit) Scan(ctx context.Context, e *Entry, o arrowio.ScanOptions) (array.RecordReader, error) {
	command := Command{Dataset: e.Name, Columns: o.Columns}
	if o.Rows != (arrowio.RowRange{}) {
		command.Rows = fmt.Sprintf("%d:%d", o.Rows.Start, o.Rows.End)
	}
	return (&service{Server: v.s}).read(ctx, e, command, o.Filter, func(own *arrowio.ScanOptions) {
		own.Parallelism, own.BatchRows, own.BatchBytes = 1, o.BatchRows, o.BatchBytes
	})
}

// Inspect returns the description of fragment i and the warnings about it. Files have the names that clients see. It fails if the
// client may read only a part of the dataset.
func (e *Entry) Inspect(ctx context.Context, i int, o arrowio.InfoOptions) (info *arrowio.Info, warnings []arrowio.Warning, err error) {
	f, err := e.inspect(ctx, i, o, nil)
	if err != nil {
		return nil, nil, e.Public(err)
	}
	return f.Info, f.Warnings, nil
}

// Streams returns the calls in progress that carry rows and that the visitor may end, oldest first: its own, or all of them if it
// may manage the server. Of visits those that send rows are among them.
func (v *Visit) Streams(ctx context.Context) []*Call {
	mine := v.mine(ctx)
	return v.s.calls.list(func(c *Call) bool { return carriesRows[c.Method] && c.Method != readMethod && mine(c) })
}

// Cancel ends the calls with this request id that Streams returns.
func (v *Visit) Cancel(ctx context.Context, id string) error {
	mine := v.mine(ctx)
	if v.s.Cancel(id, func(c *Call) bool { return c.Method != readMethod && c.Method != visitMethod && mine(c) }) == 0 {
		return rpcerr.Errorf(codes.NotFound, "no stream of request id %q is under way", id)
	}
	return nil
}

// Manages reports whether the visitor may manage the server, and so see the streams of all clients.
func (v *Visit) Manages(ctx context.Context) bool { return v.s.authorize(ctx, PermitManage, "") == nil }

func (v *Visit) mine(ctx context.Context) func(*Call) bool {
	return (&service{Server: v.s}).mine(ctx)
}
