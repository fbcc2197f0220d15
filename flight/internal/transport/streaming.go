package transport

import (
	"context"
	"time"

	"github.com/arrowio/arrowio/internal/workers"
)

// Streaming runs the body of an RPC that sends. Where the call is cancelled it returns without waiting for run: a client that
// has stopped to read keeps SendMsg waiting, and only the end of the RPC ends that, and run.
func Streaming(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- workers.Catch(run) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// Unless it waits for its client it ends at once, and all that it holds is free when the call ends.
	t := time.NewTimer(endTimeout)
	defer t.Stop()
	select {
	case err := <-ended:
		return err
	case <-t.C:
		return context.Cause(ctx)
	}
}

// endTimeout is how long a cancelled stream may take to end before its RPC does.
const endTimeout = 50 * time.Millisecond
