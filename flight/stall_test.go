package flight

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"

	"github.com/arrowio/arrowio/flight/internal/certtest"
	"github.com/arrowio/arrowio/flight/internal/transport"
)

const stallForTest = 300 * time.Millisecond

var halfMiB = []byte(`{"dataset":"events","batch_bytes":524288}`)

// A client that reads no more, and lives, loses its call and then its connection; nothing of either is left. Another, which
// has nothing to read, keeps its own.
func TestStalledClient(t *testing.T) {
	t.Parallel()
	t.Run("plain", func(t *testing.T) { testStalledClient(t, nil, nil) })
	t.Run("TLS", func(t *testing.T) { // where gRPC writes itself
		ca := certtest.New(t, "ca")
		cert, key := ca.Issue(t, "server", nil)
		creds, err := TLSCredentials(TLSFiles{Cert: cert, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		testStalledClient(t, creds, &tls.Config{RootCAs: ca.Pool})
	})
}

func testStalledClient(t *testing.T, creds credentials.TransportCredentials, c *tls.Config) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	hold := &held{}
	r := start(t, Options{Allocator: mem, Limiter: hold, StallTimeout: stallForTest, Credentials: creds}, map[string]Spec{"events": {Paths: []string{events(t, 150_000)}}})
	client := func() flight.Client {
		if c == nil {
			return r.client(t)
		}
		return secureClient(t, r.addr.String(), c)
	}
	idle, reader := client(), client()
	if _, err := idle.GetSchema(t.Context(), pathOf("events")); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	st, err := reader.DoGet(t.Context(), &flight.Ticket{Ticket: halfMiB})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Recv(); err != nil {
		t.Fatal(err)
	}
	settled(t, "the call goes on", func() bool { return strings.Contains(r.log.String(), "its call is ended") && len(r.Calls()) == 0 })
	if took := time.Since(begun); took < stallForTest {
		t.Errorf("ended after %v", took)
	}
	settled(t, "memory is held", func() bool {
		bytes, running := hold.now()
		return mem.CurrentAlloc() == 0 && bytes == 0 && running == 0
	})
	log := r.log.String()
	for _, want := range []string{"its connection is closed", "method=DoGet", "dataset=events", "code=Aborted", "has taken nothing for 300ms"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not tell %q:\n%s", want, log)
		}
	}
	if n := strings.Count(log, "level=WARN msg=\"stalled"); n != 2 {
		t.Errorf("%d warnings:\n%s", n, log)
	}
	for err == nil {
		_, err = st.Recv()
	}
	if code(err) != codes.Unavailable && code(err) != codes.Aborted {
		t.Errorf("the client sees %v", err)
	}
	if _, err := idle.GetSchema(t.Context(), pathOf("events")); err != nil {
		t.Error(err)
	}
}

// A client that reads on late is told why its call ended, with what it had been sent before; its connection stays while
// another call uses it.
func TestStalledClientReadsOn(t *testing.T) {
	t.Parallel()
	r := start(t, Options{StallTimeout: time.Hour}, map[string]Spec{"events": {Paths: []string{events(t, 150_000)}}})
	c := r.client(t)
	st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: halfMiB})
	if err != nil {
		t.Fatal(err)
	}
	settled(t, "the call does not begin", func() bool { return len(r.Calls()) == 1 })
	first := r.Calls()[0]
	slow, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: halfMiB})
	if err != nil {
		t.Fatal(err)
	}
	settled(t, "the slow call does not begin", func() bool { return len(r.Calls()) == 2 })
	second := r.Calls()[0]
	if second == first {
		second = r.Calls()[1]
	}
	// The test's own watch: for it, 50 seconds pass whenever the slow one has taken something.
	w := &stallWatch{s: r.Server, timeout: time.Minute, cut: map[*transport.Connection]still{}}
	now, rows := time.Now(), 0
	pass := func() {
		before := second.sent.Taken()
		for second.sent.Taken() == before { // its window is opened again only after some messages
			if _, err := slow.Recv(); err != nil {
				t.Fatal("the slow one: ", err)
			}
			rows++
			time.Sleep(time.Millisecond)
		}
		now = now.Add(50 * time.Second)
		w.look(t.Context(), now)
	}
	for !strings.Contains(r.log.String(), "its call is ended") {
		pass()
	}
	for range 3 { // for longer than the timeout
		pass()
	}
	if strings.Contains(r.log.String(), "its connection is closed") {
		t.Error(r.log)
	}
	for err == nil {
		_, err = st.Recv()
	}
	if code(err) != codes.Aborted || !strings.Contains(err.Error(), "has taken nothing") {
		t.Error(err)
	}
	for err = error(nil); err == nil; rows++ {
		_, err = slow.Recv()
	}
	if err.Error() != "EOF" || rows < 10 {
		t.Errorf("the slow one: %d messages, %v", rows, err)
	}
}

// slow is a stream whose messages are taken when they, channels, are closed.
type slow struct{ grpc.ServerStream }

func (slow) SendMsg(m any) error {
	<-m.(chan struct{})
	return nil
}

// A call for whose client nothing waits does not stall, and neither does one that takes a little now and then.
func TestNothingToTake(t *testing.T) {
	s, err := New(Options{Catalog: NewCatalog(CatalogOptions{}), StallTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var cause error
	call := func() *Call {
		c := &Call{conn: &transport.Connection{}, cancel: func(err error) { cause = err }}
		s.calls.add(c)
		return c
	}
	call() // waits for something else
	sends := call()
	waits, taken := make(chan struct{}), make(chan struct{})
	close(taken)
	defer close(waits)
	go func() { _ = sends.sent.Send(slow{}, waits) }()
	settled(t, "nothing waits for the client", sends.sent.Waits)
	w := &stallWatch{s: s, timeout: time.Minute, cut: map[*transport.Connection]still{}}
	now := time.Now()
	for range 30 {
		now = now.Add(20 * time.Second)
		if err := sends.sent.Send(slow{}, taken); err != nil {
			t.Fatal(err)
		}
		w.look(context.Background(), now)
	}
	if cause != nil {
		t.Fatal(cause)
	}
	for range 4 { // 20 seconds since something was taken, and 60 more
		w.look(context.Background(), now)
		now = now.Add(20 * time.Second)
	}
	if fmt.Sprint(cause) != errStalled(time.Minute).Error() {
		t.Errorf("not ended: %v", cause)
	}
}

// A client that sends nothing more, and lives, loses its upload and the name with it, and its exchange.
func TestSilentClient(t *testing.T) {
	t.Parallel()
	r, _ := puttable(t, Options{StallTimeout: stallForTest})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 10, 10, 1)
	put, err := c.DoPut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := flight.NewRecordWriter(put, ipc.WithSchema(s))
	w.SetFlightDescriptor(pathOf("in-a"))
	if err := w.Write(recs[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := put.Recv(); code(err) != codes.Aborted || !strings.Contains(err.Error(), "sent nothing") {
		t.Errorf("put: %v", err)
	}
	if _, err := putting(t.Context(), t, c, pathOf("in-a"), s, recs); err != nil {
		t.Error("the name is not free:", err)
	}
	exchange, err := c.DoExchange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := exchange.Send(&flight.FlightData{FlightDescriptor: cmdOf(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := exchange.Recv(); code(err) != codes.Aborted {
		t.Errorf("exchange: %v", err)
	}
	mute, err := c.DoPut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mute.Recv(); code(err) != codes.Aborted {
		t.Errorf("a put without a word: %v", err)
	}
}
