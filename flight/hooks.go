package flight

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
)

// Client is who makes a call. The zero value is anybody.
type Client struct {
	Name   string // as the Authorizer knows it; "" = not told
	Detail any    // the Authorizer's own
}

// Authorizer says who makes a call and what they may do. Its methods may be called concurrently. An error that is not a
// gRPC status already becomes UNAUTHENTICATED from the first, PERMISSION_DENIED from the second.
type Authorizer interface {
	// Authenticate is called at the start of every call. ctx has the headers (metadata.FromIncomingContext) and the
	// connection (peer.FromContext); headers may be set on it (grpc.SetHeader).
	Authenticate(ctx context.Context, c *Call) (Client, error)
	// Authorize is called before a dataset is looked at; dataset "" is the server itself. A listing leaves out what is
	// refused.
	Authorize(ctx context.Context, c *Call, p Permission, dataset string) error
}

// Limiter bounds what calls may use. Begin is called once a call's client is known, before anything is done for it. An
// error that is not a gRPC status already becomes RESOURCE_EXHAUSTED.
type Limiter interface {
	Begin(ctx context.Context, c *Call) (Lease, error)
}

// Lease is what a Limiter lets one call use.
type Lease interface {
	// Scan may lower what a scan takes: Parallelism and MemoryBudget.
	Scan(o *arrowio.ScanOptions)
	// Hold is called before n bytes of Arrow memory are handed to the transport. It may wait until there is room, while
	// ctx lasts, and fail.
	Hold(ctx context.Context, n int64) error
	// Free is called, from any goroutine, when the transport is done with n bytes, once for each Hold that did not fail.
	// That may be after End, but not after the connection has ended.
	Free(n int64)
	// End is called when the call has ended.
	End()
}

// Observer is told of calls: for metrics and the like. Its methods must not wait.
type Observer interface {
	// Started is called when a call's client is known.
	Started(c *Call)
	// Ended is called when it has ended, with what it is answered; nil = OK. It is called, too, for calls that were
	// refused before they were started.
	Ended(c *Call, err error)
}

// unlimited is the Lease of a server without a Limiter.
type unlimited struct{}

func (unlimited) Scan(*arrowio.ScanOptions)         {}
func (unlimited) Hold(context.Context, int64) error { return nil }
func (unlimited) Free(int64)                        {}
func (unlimited) End()                              {}
