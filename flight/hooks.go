package flight

import (
	"context"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

// Client is the client that makes a call. The zero value is an unknown client.
type Client struct {
	Name   string    // the name by which the Authorizer knows the client; "" = not known
	Roles  []string  // for the Authorizer's own use, as Detail
	Until  time.Time // when the server ends the client's calls with UNAUTHENTICATED; zero = it does not
	Detail any
}

// Authorizer authenticates clients and decides what they may do. Its methods may be called concurrently. An error that is not a
// gRPC status becomes UNAUTHENTICATED if Authenticate returns it, and PERMISSION_DENIED if Authorize does.
type Authorizer interface {
	// Authenticate returns the client that makes a call. It is called at the start of every call. ctx has the headers
	// (metadata.FromIncomingContext) and the connection (peer.FromContext); response headers may be set on it (grpc.SetHeader).
	Authenticate(ctx context.Context, c *Call) (Client, error)
	// Authorize returns an error unless the call may do p with a dataset; dataset "" is the server itself. It is called before
	// the dataset is looked up. Lists leave out datasets that are refused.
	Authorize(ctx context.Context, c *Call, p Permission, dataset string) error
}

// Limiter bounds what calls may use. Begin is called when the client of a call is known, before anything else is done for the
// call. An error that is not a gRPC status becomes RESOURCE_EXHAUSTED.
type Limiter interface {
	Begin(ctx context.Context, c *Call) (Lease, error)
}

// Lease is what a Limiter lets one call use.
type Lease interface {
	// Scan may lower Parallelism and MemoryBudget of a scan.
	Scan(o *arrowio.ScanOptions)
	// Hold is called before n bytes of Arrow memory are handed to the transport. It may wait until less memory is held, or return
	// an error. It must return when ctx ends.
	Hold(ctx context.Context, n int64) error
	// Free is called once for each successful Hold, by any goroutine, when the transport no longer needs the n bytes. That may be
	// after End, but not after the connection has ended.
	Free(n int64)
	// End is called when the call has ended.
	End()
}

// Reserver is a Lease that bounds the memory of scans.
type Reserver interface {
	// Reserve is called before a call begins to scan. It may wait until there is memory for it, or return an error. small says that the
	// scan reads little. It is called again by calls that scan several times, maybe by several goroutines.
	Reserve(ctx context.Context, small bool) error
}

// reserve has the lease of a call reserve what a scan needs.
func reserve(ctx context.Context, small bool) error {
	c := CallFrom(ctx)
	if c == nil {
		return nil
	}
	if r, ok := c.lease.(Reserver); ok {
		return exhausted(r.Reserve(ctx, small))
	}
	return nil
}

// Observer is told when calls start and end, for example to count them. Its methods must not block.
type Observer interface {
	// Started is called when the client of a call is known.
	Started(c *Call)
	// Ended is called when the call has ended, with the error that the client gets; nil = OK. It is also called for calls that
	// were refused before Started.
	Ended(c *Call, err error)
}

// unlimited is the Lease of a server without a Limiter.
type unlimited struct{}

func (unlimited) Scan(*arrowio.ScanOptions)         {}
func (unlimited) Hold(context.Context, int64) error { return nil }
func (unlimited) Free(int64)                        {}
func (unlimited) End()                              {}
