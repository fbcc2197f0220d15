package remote

import "context"

// Host is what the sources of one store share: how many requests there are at once, and when all of them end. Its
// methods may be called concurrently.
type Host struct {
	slots chan struct{}
	ctx   context.Context
	stop  context.CancelFunc
}

// NewHost returns a host of so many requests at once; 0 = 16.
func NewHost(requests int) *Host {
	def(&requests, 16)
	h := &Host{slots: make(chan struct{}, requests)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Stop ends the reads that are under way, and all that come. It may be called several times.
func (h *Host) Stop() { h.stop() }

// Slot waits for one of the requests; the caller gives it back with Done.
func (h *Host) Slot(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done gives a slot back.
func (h *Host) Done() { <-h.slots }

// bound returns a context that ends with ctx and with the host; the caller calls the function.
func (h *Host) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(h.ctx, cancel)
	return ctx, func() {
		unhook()
		cancel()
	}
}
