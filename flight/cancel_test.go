package flight

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
)

// held counts what is in the hands of the transport.
type held struct {
	mu           sync.Mutex
	bytes, peak  int64
	begun, ended int
}

func (h *held) Begin(context.Context, *Call) (Lease, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
	return h, nil
}

func (h *held) Scan(o *arrowio.ScanOptions) { o.Parallelism = 1 }

func (h *held) Hold(_ context.Context, n int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes += n
	h.peak = max(h.peak, h.bytes)
	return nil
}

func (h *held) Free(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes -= n
}

func (h *held) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended++
}

func (h *held) now() (bytes int64, running int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes, h.begun - h.ended
}

// stalled starts a stream that nobody reads beyond its first messages, and waits until the server does.
func stalled(ctx context.Context, t *testing.T, r *running, c flight.Client, ticket []byte) flight.FlightService_DoGetClient {
	t.Helper()
	before := len(r.Calls())
	st, err := c.DoGet(ctx, &flight.Ticket{Ticket: ticket})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := st.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	last := int64(-1)
	settled(t, "the stream does not stall", func() bool {
		calls := r.Calls()
		if len(calls) != before+1 {
			return false
		}
		_, n, _ := calls[before].Sent()
		time.Sleep(30 * time.Millisecond)
		same := n == last && calls[before].sent.Waits()
		last = n
		return same
	})
	return st
}

// However a stream ends, nothing of it is left: no memory, no goroutine, no call.
func TestStreamsEnd(t *testing.T) {
	dir := events(t, 150_000)
	whole := []byte(`{"dataset":"events","batch_bytes":262144}`)
	for name, c := range map[string]struct {
		end  func(t *testing.T, r *running, c flight.Client, cancel func(), id string)
		code codes.Code
	}{
		"cancelled by the client": {func(_ *testing.T, _ *running, _ flight.Client, cancel func(), _ string) { cancel() }, codes.Canceled},
		"cancelled by another call": {func(t *testing.T, _ *running, c flight.Client, _ func(), id string) {
			if out, err := act(t, c, "cancel", fmt.Sprintf(`{"request_id":%q}`, id)); err != nil || out[0]["cancelled"] != 1.0 {
				t.Error(out, err)
			}
		}, codes.Canceled},
		"the client dies": {func(t *testing.T, _ *running, c flight.Client, _ func(), _ string) {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}, codes.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			hold := &held{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			func() {
				r := start(t, Options{Allocator: mem, Limiter: hold}, map[string]Spec{"events": {Paths: []string{dir}}})
				reader, other := r.client(t), r.client(t)
				id := "stream-of-" + strings.ReplaceAll(name, " ", "-")
				st := stalled(metadata.AppendToOutgoingContext(ctx, RequestIDHeader, id), t, r, reader, whole)
				if mem.CurrentAlloc() == 0 {
					t.Fatal("nothing is held: the test shows nothing")
				}
				use := other
				if c.end == nil || name == "the client dies" {
					use = reader
				}
				c.end(t, r, use, cancel, id)
				settled(t, "the call goes on", func() bool { return len(r.Calls()) == 0 })
				var err error
				for err == nil { // what had been sent
					_, err = st.Recv()
				}
				if code(err) != c.code {
					t.Errorf("the client sees %v", err)
				}
				settled(t, "memory is held", func() bool {
					bytes, running := hold.now()
					return mem.CurrentAlloc() == 0 && bytes == 0 && running == 0
				})
				_, _ = reader.Close(), other.Close()
				if err := r.stop(); err != nil {
					t.Error(err)
				}
			}()
			settled(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
		})
	}
}

// A stream that stalls holds little, however much there is to come.
func TestSlowReaderHoldsItsShare(t *testing.T) {
	t.Parallel()
	dir := events(t, 300_000)
	hold := &held{}
	r := start(t, Options{Limiter: hold}, map[string]Spec{"events": {Paths: []string{dir}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stalled(ctx, t, r, r.client(t), []byte(`{"dataset":"events","batch_bytes":262144}`))
	if bytes, _ := hold.now(); bytes <= 0 || bytes > 4*512<<10 {
		t.Errorf("a stalled stream holds %d bytes", bytes)
	}
}

// CancelFlightInfo ends the streams of one FlightInfo, not those of another of the same rows.
func TestCancelFlightInfo(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	d := cmdOf(`{"dataset":"events","batch_bytes":262144}`)
	var infos []*flight.FlightInfo
	var streams []flight.FlightService_DoGetClient
	for range 2 {
		info, err := c.GetFlightInfo(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
		streams = append(streams, stalled(t.Context(), t, r, r.client(t), info.Endpoint[0].Ticket.Ticket))
	}
	if got := cancelInfo(t, c, infos[0]); got != flight.CancelStatusCancelled {
		t.Fatal(got)
	}
	for i, want := range []codes.Code{codes.Canceled, codes.OK} {
		var err error
		for err == nil {
			_, err = streams[i].Recv()
		}
		if want == codes.OK && err.Error() != "EOF" || want != codes.OK && code(err) != want {
			t.Errorf("stream %d: %v", i, err)
		}
	}
	// What has ended by itself cannot be cancelled any more; what was cancelled, or never read, is.
	settled(t, "the streams do not end", func() bool { return len(r.Calls()) == 0 })
	unread, err := c.GetFlightInfo(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []flight.CancelStatus{flight.CancelStatusCancelled, flight.CancelStatusNotCancellable, flight.CancelStatusCancelled} {
		if got := cancelInfo(t, c, append(infos, unread)[i]); got != want {
			t.Errorf("FlightInfo %d: %v, not %v", i, got, want)
		}
	}
}

// cancelInfo returns what the server says to CancelFlightInfo.
func cancelInfo(t *testing.T, c flight.Client, info *flight.FlightInfo) flight.CancelStatus {
	t.Helper()
	body, err := proto.Marshal(&flight.CancelFlightInfoRequest{Info: info})
	if err != nil {
		t.Fatal(err)
	}
	st, err := c.DoAction(t.Context(), &flight.Action{Type: flight.CancelFlightInfoActionType, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	res, err := st.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var out flight.CancelFlightInfoResult
	if err := proto.Unmarshal(res.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out.Status
}

// What is kept of streams that have ended is bounded, and tells other clients nothing.
func TestReadWhole(t *testing.T) {
	t.Parallel()
	var cs calls
	for i := range mostWhole + 10 {
		c := &Call{Client: Client{Name: "alice"}}
		query := fmt.Sprint(i)
		c.query.Store(&query)
		cs.readWhole(c)
		cs.readWhole(c)
	}
	is := func(name string) func(*Call) bool { return func(c *Call) bool { return c.Client.Name == name } }
	if len(cs.whole) != mostWhole || len(cs.order) != mostWhole {
		t.Error(len(cs.whole), len(cs.order))
	}
	for query, want := range map[string]bool{"9": false, "10": true, fmt.Sprint(mostWhole + 9): true, "": false} {
		if got := cs.wasRead(map[string]bool{query: true}, is("alice")); got != want || cs.wasRead(map[string]bool{query: true}, is("bob")) {
			t.Errorf("%q: %v", query, got)
		}
	}
	long := strings.Repeat("x", 65)
	c := &Call{}
	c.query.Store(&long)
	cs.readWhole(c)
	if cs.wasRead(map[string]bool{long: true}, is("")) {
		t.Error("an id of 65 characters is kept")
	}
}

// Many clients at once, each with a stream of its own over few connections: all of them get all rows.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	dir := events(t, 2000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{}).rows()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	hold := &held{}
	r := start(t, Options{Allocator: mem, Limiter: hold}, map[string]Spec{"events": {Paths: []string{dir}}})
	var clients []flight.Client
	for range 4 {
		clients = append(clients, r.client(t))
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			s := get(t.Context(), t, clients[i%len(clients)], fmt.Appendf(nil, `{"dataset":"events","batch_rows":%d}`, 300+i))
			if s.err != nil || s.rows() != want {
				t.Errorf("stream %d: %d rows, %v", i, s.rows(), s.err)
			}
			for _, rec := range s.recs {
				rec.Release()
			}
		})
	}
	wg.Wait()
	settled(t, "memory is held", func() bool {
		bytes, running := hold.now()
		return mem.CurrentAlloc() == 0 && bytes == 0 && running == 0
	})
}

// A connection that is cut in the middle of a message.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	hold := &held{}
	r := start(t, Options{Allocator: mem, Limiter: hold}, map[string]Spec{"events": {Paths: []string{dir}}})
	var conns []net.Conn
	var mu sync.Mutex
	c := r.client(t, grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		mu.Lock()
		defer mu.Unlock()
		conns = append(conns, conn)
		return conn, err
	}))
	stalled(t.Context(), t, r, c, []byte(`{"dataset":"events","batch_bytes":262144}`))
	if bytes, _ := hold.now(); bytes == 0 {
		t.Fatal("nothing is held: the test shows nothing")
	}
	mu.Lock()
	for _, conn := range conns {
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
	mu.Unlock()
	settled(t, "memory is held", func() bool {
		bytes, running := hold.now()
		return mem.CurrentAlloc() == 0 && bytes == 0 && running == 0
	})
}
