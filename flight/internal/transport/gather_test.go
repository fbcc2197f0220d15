package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// gatherPair returns both ends of a loopback connection.
func gatherPair(t *testing.T) (*gatherConn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := gatherListener{l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near.(*gatherConn), far
}

// message makes a message of one piece, about to be written, that counts when it is released.
func message(c *Connection, n int, released *atomic.Int64) *outbound {
	m := &outbound{body: [][]byte{make([]byte, n)}, size: int64(n), conn: c, release: func() { released.Add(1) }}
	for i := range m.body[0] {
		m.body[0][i] = byte(rand.Uint32())
	}
	m.refs.Store(1)
	c.add(m)
	asked(m)
	return m
}

// asked does what gRPC does before it writes a message. The message stays referred to by the caller alone.
func asked(m *outbound) {
	out := m.marshal()
	_, _ = out.Reader().Peek(int(m.size), nil)
	for range 2 { // the reader has a reference
		out.Free()
	}
}

// What is written comes in order and unchanged, whether it was copied or not, and nothing is released before that.
func TestGather(t *testing.T) {
	g, far := gatherPair(t)
	var want bytes.Buffer
	var released atomic.Int64
	messages := int64(0)
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(far)
		got <- b
	}()
	scratch := make([]byte, 20_000)
	for i := range 400 {
		var m *outbound
		var b []byte
		switch n := []int{9, 100, 1023, 1024, 5000, 16384}[rand.IntN(6)]; i % 3 {
		case 0: // gRPC's own, used again at once
			b = scratch[:n]
			for k := range b {
				b[k] = byte(i + k)
			}
		default: // part of a message
			m = message(g.from, n+50, &released)
			messages++
			b = m.body[0][20 : 20+n]
		}
		want.Write(b)
		if n, err := g.Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		if m != nil {
			m.unref() // what gRPC does when it has written
		}
	}
	settled(t, "messages are held", func() bool { return released.Load() == messages })
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if b := <-got; !bytes.Equal(b, want.Bytes()) {
		t.Fatalf("%d bytes came, not the %d that were written", len(b), want.Len())
	}
	<-g.stopped
	if _, err := g.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// A reader that does not read makes Write wait, with a bounded amount held; closing ends that, and releases everything.
func TestGatherWaits(t *testing.T) {
	g, _ := gatherPair(t)
	g.linger = 50 * time.Millisecond
	var released, written atomic.Int64
	var total int64
	done := make(chan error, 1)
	go func() {
		for {
			m := message(g.from, 64<<10, &released)
			atomic.AddInt64(&total, 1)
			_, err := g.Write(m.body[0])
			m.unref()
			if err != nil {
				done <- err
				return
			}
			written.Add(1)
		}
	}()
	last := int64(-1)
	settled(t, "Write does not wait", func() bool {
		now := written.Load()
		same := now == last
		last = now
		time.Sleep(30 * time.Millisecond)
		return same
	})
	if held := written.Load() - released.Load(); held > 2*gatherBytes>>16+2 {
		t.Errorf("%d messages of 64 KiB are held", held)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	g.from.end() // returns when nothing is written any more
	settled(t, "messages are held", func() bool { return released.Load() == atomic.LoadInt64(&total) })
}

// What was written before the connection was closed arrives, however late the other side reads it.
func TestGatherLast(t *testing.T) {
	g, far := gatherPair(t)
	g.linger = time.Minute
	var released atomic.Int64
	var want []byte
	for len(want) < gatherBytes {
		m := message(g.from, 60_000, &released)
		want = append(want, m.body[0]...)
		if _, err := g.Write(m.body[0]); err != nil {
			t.Fatal(err)
		}
		m.unref()
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	time.Sleep(50 * time.Millisecond)
	got, err := io.ReadAll(far)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes of %d came, %v", len(got), len(want), err)
	}
}

// The other side goes away: a later Write says so.
func TestGatherError(t *testing.T) {
	g, far := gatherPair(t)
	_ = far.(*net.TCPConn).SetLinger(0)
	_ = far.Close()
	var released atomic.Int64
	n := int64(0)
	settled(t, "nobody tells", func() bool {
		m := message(g.from, 32<<10, &released)
		n++
		_, err := g.Write(m.body[0])
		m.unref()
		return err != nil
	})
	settled(t, "messages are held", func() bool { return released.Load() == n })
}

// A connection that never writes ends like any other, and so does one that is closed twice.
func TestGatherUnused(t *testing.T) {
	g, _ := gatherPair(t)
	_ = g.Close()
	<-g.stopped
	_ = g.Close()
	g.from.end()
}

// Memory is of the message that is written, and keeps it; other memory is of nobody.
func TestOwner(t *testing.T) {
	c := &Connection{}
	var released atomic.Int64
	a := &outbound{body: [][]byte{make([]byte, 5000), make([]byte, 10), make([]byte, 5000)}, size: 10_016, conn: c, release: func() { released.Add(1) }}
	a.refs.Store(1)
	c.add(a)
	if c.owner(a.body[0]) != nil {
		t.Fatal("the owner of what is not written yet")
	}
	asked(a)
	for _, part := range [][]byte{a.body[0][:1024], a.body[0][1024:], a.body[2][10:4000]} {
		if c.owner(part) != a {
			t.Fatal("no owner")
		}
		a.unref()
	}
	if c.owner(make([]byte, 2000)) != nil || c.owner(append(a.body[2][:0:0], a.body[2]...)) != nil {
		t.Fatal("an owner of other memory")
	}
	if c.owner(a.body[2]) != a {
		t.Fatal("no owner")
	}
	a.unref() // of the sender
	if released.Load() != 0 {
		t.Fatal("released while it is held")
	}
	a.unref()
	if released.Load() != 1 || c.owner(a.body[2]) != nil {
		t.Fatalf("%d released", released.Load())
	}

	// A message that is given back at the same time is kept, or it has no owner.
	for range 2000 {
		var alive atomic.Bool
		alive.Store(true)
		m := &outbound{body: [][]byte{make([]byte, 2000)}, size: 2000, conn: c, release: func() { alive.Store(false) }}
		m.refs.Store(1)
		c.add(m)
		asked(m)
		var wg sync.WaitGroup
		wg.Go(m.unref)
		if o := c.owner(m.body[0][5:1500]); o != nil {
			if !alive.Load() {
				t.Error("released while it is held")
			}
			o.unref()
		}
		wg.Wait()
		if alive.Load() {
			t.Error("not released")
		}
	}
}

// settled waits until a condition holds, for as long as a loaded machine may take.
func settled(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("%s, and stays so", what)
		}
		runtime.Gosched()
		time.Sleep(5 * time.Millisecond)
	}
}
