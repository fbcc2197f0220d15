package flight

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/transport"
)

// stallWatch ends calls whose clients neither read nor cancel. What they hold otherwise stays theirs for ever: memory, open
// files, a place among the streams. It looks from time to time, so that sending costs nothing but to count.
//
//	nothing taken for StallTimeout    the call ends; its client is told when it reads on
//	and for as long again             its connection is closed, unless another call uses it: until then the transport keeps
//	                                  the messages that it was given
type stallWatch struct {
	s       *Server
	timeout time.Duration
	calls   map[*Call]still
	ended   map[*Call]bool                  // by this; an RPC that waits for its client goes on until its connection ends
	cut     map[*transport.Connection]still // of calls that were ended
}

// still says since when nothing was taken.
type still struct {
	taken uint64
	since time.Time
}

// moved returns s as of now; false = something was taken since.
func (s still) moved(taken uint64, now time.Time) (still, bool) {
	if s.since.IsZero() || s.taken != taken {
		return still{taken, now}, true
	}
	return s, false
}

func (s *Server) watchStalls(ctx context.Context) {
	w := &stallWatch{s: s, timeout: s.o.StallTimeout, cut: map[*transport.Connection]still{}}
	t := time.NewTicker(max(time.Millisecond, min(w.timeout/8, 10*time.Second)))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			w.look(ctx, now)
		}
	}
}

// look ends what has stalled.
func (w *stallWatch) look(ctx context.Context, now time.Time) {
	calls, ended := map[*Call]still{}, map[*Call]bool{}
	used := map[*transport.Connection]bool{}
	for _, c := range w.s.Calls() {
		if w.ended[c] {
			ended[c] = true
			continue
		}
		used[c.conn] = true
		if !c.sent.Waits() { // it waits for something else, or for nothing
			continue
		}
		at, moved := w.calls[c].moved(c.sent.Taken(), now)
		calls[c] = at
		if moved || now.Sub(at.since) < w.timeout {
			continue
		}
		rows, _, bytes := c.Sent()
		w.s.logger.WarnContext(ctx, "stalled: the client does not read, and its call is ended", "request_id", c.ID, "method", c.Method,
			"peer", c.Peer, "client", c.Client.Name, "dataset", c.Dataset(), "rows", rows, "bytes", bytes, "nothing_taken_for", now.Sub(at.since))
		c.cancel(errStalled(w.timeout))
		delete(calls, c)
		ended[c] = true
		w.cut[c.conn] = still{c.conn.Taken(), now}
	}
	w.calls, w.ended = calls, ended
	for conn, was := range w.cut {
		at, moved := was.moved(conn.Taken(), now)
		w.cut[conn] = at
		switch {
		case !conn.Waits() && !endedOn(ended, conn):
			delete(w.cut, conn)
		case moved || used[conn] || now.Sub(at.since) < w.timeout:
		default:
			delete(w.cut, conn)
			w.s.logger.WarnContext(ctx, "stalled: the client does not read, and its connection is closed", "peer", conn.Peer())
			conn.Abort()
		}
	}
}

// endedOn reports whether a call that was ended still uses a connection.
func endedOn(ended map[*Call]bool, conn *transport.Connection) bool {
	for c := range ended {
		if c.conn == conn {
			return true
		}
	}
	return false
}

// errStalled is the end of a call whose client does not read.
func errStalled(after time.Duration) error {
	return &rpcerr.Error{Code: codes.Aborted, Err: fmt.Errorf("the client has taken nothing for %s: %w", after, errStopped)}
}
