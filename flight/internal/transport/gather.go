package transport

import (
	"net"
	"sync"
	"time"
)

// Gathering returns a listener whose connections write without copying; see gatherConn. It is for connections that are not
// encrypted; StatsHandler finds them again, and the gRPC server should have a write buffer of 0.
func Gathering(l net.Listener) net.Listener { return gatherListener{l} }

// gatherListener gives connections that write without copying; see gatherConn.
type gatherListener struct{ net.Listener }

func (l gatherListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	limitUnacknowledged(c)
	if u, ok := c.(*net.UnixConn); ok {
		_ = u.SetWriteBuffer(unixBuffer) // slower without
	}
	return newGatherConn(c), nil
}

// gatherConn writes to a connection what gRPC gives it, frame by frame, many frames at once and from where they are. gRPC
// itself would copy everything into a buffer first, a third of what a server does over TCP. The memory of outbound messages
// stays referred to until it is written; what is small, or of somebody else, is copied.
//
//	Write ──> queue, up to gatherBytes ──> run: all that waits, in one writev
//
// So Write returns before anything is written, and an error is that of a Write before.
type gatherConn struct {
	net.Conn
	from *Connection // whose messages the memory is of

	mu      sync.Mutex
	work    sync.Cond // there is something to write, or an end
	room    sync.Cond // something was written
	next    gathered
	writing bool // run has taken something
	started bool
	stopped chan struct{} // closed when run has ended
	closed  bool
	err     error

	linger time.Duration // how long what waits may still be written after Close
}

// gathered is what is written at once.
type gathered struct {
	bufs net.Buffers
	held []*outbound // whose memory they are
	copy []byte      // memory of what was copied
	size int
}

const (
	gatherBytes = 2 << 20 // that may wait; as much is being written. Below 1 MiB a writev is too short for what waking its threads costs
	gatherCopy  = 1 << 10 // what is smaller is copied, whosever it is

	// unixBuffer is the system's buffer of a Unix socket. Its default, of some 200 KiB, makes the two sides wait for each
	// other several times in each message; TCP's grows by itself.
	unixBuffer = 1 << 20

	// defaultLinger is gatherConn.linger: gRPC closes a connection as soon as it has handed over the end of its last stream.
	defaultLinger = 5 * time.Second
)

func newGatherConn(c net.Conn) *gatherConn {
	g := &gatherConn{Conn: c, from: &Connection{raw: c}, stopped: make(chan struct{}), linger: defaultLinger}
	g.from.conn = g
	g.work.L, g.room.L = &g.mu, &g.mu
	return g
}

// RemoteAddr implements net.Conn.
func (g *gatherConn) RemoteAddr() net.Addr { return knownAddr{g.Conn.RemoteAddr(), g.from} }

// Write implements net.Conn.
func (g *gatherConn) Write(b []byte) (int, error) {
	var of *outbound
	if len(b) >= gatherCopy {
		of = g.from.owner(b)
	}
	err := g.add(b, of)
	if err != nil {
		if of != nil {
			of.unref()
		}
		return 0, err
	}
	return len(b), nil
}

// add queues b, when there is room. of is whose memory it is, with a reference for the queue; nil = it is copied.
func (g *gatherConn) add(b []byte, of *outbound) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.next.size >= gatherBytes && g.err == nil && !g.closed {
		g.room.Wait()
	}
	switch {
	case g.err != nil:
		return g.err
	case g.closed:
		return net.ErrClosed
	}
	n := &g.next
	if of != nil {
		n.held = append(n.held, of)
		n.bufs = append(n.bufs, b)
	} else {
		from := len(n.copy)
		n.copy = append(n.copy, b...)
		n.bufs = append(n.bufs, n.copy[from:len(n.copy):len(n.copy)])
	}
	n.size += len(b)
	if !g.started {
		g.started = true
		go g.run()
	}
	if !g.writing {
		g.work.Signal()
	}
	return nil
}

// run writes what is queued until the connection ends.
func (g *gatherConn) run() {
	defer close(g.stopped)
	var spare gathered
	for {
		now, ok := g.take(spare)
		if !ok {
			now.release()
			g.finish()
			return
		}
		bufs := now.bufs // which WriteTo empties
		_, err := bufs.WriteTo(g.Conn)
		now.release()
		spare = now
		g.mu.Lock()
		if err != nil && g.err == nil {
			g.err = err
		}
		g.room.Broadcast()
		g.mu.Unlock()
	}
}

// take waits for something to write; false = nothing is written any more, and what is given is to be released. spare becomes
// the next queue.
func (g *gatherConn) take(spare gathered) (now gathered, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.next.size == 0 && !g.closed && g.err == nil {
		g.writing = false
		g.work.Wait()
	}
	now = g.next
	g.next, g.writing = spare, true
	return now, now.size > 0 && g.err == nil
}

// finish closes the connection when Close left that to run.
func (g *gatherConn) finish() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		_ = g.Conn.Close() // the connection ends, so its error is of no use
	}
}

// release lets go of what was written, and keeps the memory for the next.
func (n *gathered) release() {
	for _, o := range n.held {
		o.unref()
	}
	clear(n.held)
	clear(n.bufs)
	n.held, n.bufs, n.copy, n.size = n.held[:0], n.bufs[:0], n.copy[:0], 0
}

// Close implements net.Conn. What waits is still written, for as long as linger; nothing is read any more.
func (g *gatherConn) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return net.ErrClosed
	}
	g.closed = true
	if !g.started {
		g.started = true // never again
		close(g.stopped)
	}
	g.work.Broadcast()
	g.room.Broadcast()
	if g.err == nil && (g.writing || g.next.size > 0) && g.SetReadDeadline(time.Unix(1, 0)) == nil && g.SetWriteDeadline(time.Now().Add(g.linger)) == nil {
		return nil // run closes it
	}
	return g.Conn.Close()
}
