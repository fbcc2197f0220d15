package flight

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func limits(t testing.TB, o LimitOptions) *Limits {
	t.Helper()
	l, err := NewLimits(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// awaiting waits until n calls wait for a pool.
func (p *pool) awaiting(t *testing.T, n int) {
	t.Helper()
	settled(t, "who should wait does not", func() bool { _, w := p.usage(); return w == n })
}

func TestPool(t *testing.T) {
	p := newPool(100, 60)
	ctx := t.Context()
	take := func(client string, n int64) chan error {
		done := make(chan error, 1)
		go func() { _, err := p.take(ctx, holder{client: client}, n, n); done <- err }()
		return done
	}
	must := func(c chan error) {
		t.Helper()
		select {
		case err := <-c:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it waits")
		}
	}
	must(take("a", 60))
	own := take("a", 1) // a has all that it may have
	p.awaiting(t, 1)
	must(take("b", 30)) // which is nothing to b
	big := take("b", 20)
	p.awaiting(t, 2)
	must(take("c", 5)) // has less than b, so it is its turn
	p.give(holder{client: "a"}, 60)
	must(own)
	must(big)
	if used, _ := p.usage(); used != 56 {
		t.Error(used)
	}

	// Who gives up takes nothing and is in nobody's way.
	gone, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { _, err := p.take(gone, holder{client: "d"}, 60, 60); failed <- err }()
	p.awaiting(t, 1)
	next := take("e", 40)
	p.awaiting(t, 2)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must(next)
	p.give(holder{client: "a"}, 1)
	p.give(holder{client: "b"}, 50)
	p.give(holder{client: "c"}, 5)
	p.give(holder{client: "e"}, 40)

	// What is more than there is goes to whom is alone.
	must(take("a", 1000))
	alone := take("b", 1)
	p.awaiting(t, 1)
	p.give(holder{client: "a"}, 1000)
	must(alone)
	p.give(holder{client: "b"}, 1)
	if used, waiting := p.usage(); used != 0 || waiting != 0 || len(p.byClient) != 0 {
		t.Errorf("%d used, %d waiting, %v", used, waiting, p.byClient)
	}
}

// However calls come, wait and go, no more is given than there is, and in the end all is back.
func TestPoolConcurrently(t *testing.T) {
	p := newPool(1000, 400)
	var held atomic.Int64
	var all sync.WaitGroup
	for g := range 16 {
		client := string(rune('a' + g%4))
		all.Go(func() {
			for i := range 300 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%5)*100*time.Microsecond+time.Microsecond)
				n, err := p.take(ctx, holder{client: client}, 50, 300)
				cancel()
				if err != nil {
					continue
				}
				if n < 50 || n > 300 {
					t.Errorf("got %d", n)
				}
				if now := held.Add(n); now > 1000 {
					t.Errorf("%d are held", now)
				}
				held.Add(-n)
				p.give(holder{client: client}, n)
			}
		})
	}
	all.Wait()
	if used, waiting := p.usage(); used != 0 || waiting != 0 || len(p.byClient) != 0 {
		t.Errorf("%d used, %d waiting, %v", used, waiting, p.byClient)
	}
}

func TestLimitOptions(t *testing.T) {
	if _, err := NewLimits(LimitOptions{Memory: 1 << 20}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	u := limits(t, LimitOptions{}).Usage()
	if u.MaxStreams != 1000 || u.MaxSent != 1<<30 || u.MaxMemory != 1<<30 {
		t.Errorf("%+v", u)
	}
	l := limits(t, LimitOptions{Streams: -1, SentBytes: -1, Memory: -1})
	lease, err := l.Begin(t.Context(), &Call{Method: "DoGet"})
	if err != nil {
		t.Fatal(err)
	}
	o := arrowio.ScanOptions{MemoryBudget: 1 << 30}
	if err := lease.(Reserver).Reserve(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	lease.Scan(&o)
	if err := lease.Hold(t.Context(), 1<<50); err != nil || o.MemoryBudget != 256<<20 {
		t.Error(err, o.MemoryBudget)
	}
	lease.Free(1 << 50)
	lease.End()
}

// What is one too many is told what to do, and a stream that ends makes room for another.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	l := limits(t, LimitOptions{Streams: 3, ClientStreams: 2})
	path, secrets := tokenFileOf(t, "alice", "bob")
	r := start(t, Options{Limiter: l, Authorizer: access(t, AccessOptions{Tokens: path}), DrainTimeout: time.Millisecond}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	ticket := []byte(`{"dataset":"events","batch_bytes":262144}`)
	alice, bob := with(t.Context(), "authorization", "Bearer "+secrets["alice"]), with(t.Context(), "authorization", "Bearer "+secrets["bob"])
	first, cancel := context.WithCancel(alice)
	stalled(first, t, r, c, ticket)
	stalled(alice, t, r, r.client(t), ticket)
	refused := func(ctx context.Context, want string) {
		t.Helper()
		if s := get(ctx, t, c, ticket); code(s.err) != codes.ResourceExhausted || !strings.Contains(s.err.Error(), want) {
			t.Errorf("%v", s.err)
		}
	}
	refused(alice, "this client")
	if _, err := c.GetFlightInfo(alice, pathOf("events")); err != nil {
		t.Error("questions are no streams:", err)
	}
	stalled(bob, t, r, r.client(t), ticket)
	refused(bob, "no more than 3 streams at once")
	cancel()
	settled(t, "what was cancelled is not free", func() bool { return l.Usage().Streams == 2 })
	if s := get(alice, t, c, []byte(`{"dataset":"events","rows":"0:10"}`)); s.err != nil {
		t.Error(s.err)
	}
	r.stop = func() error { return nil } // the others are cut off when the test ends
}

// A client that does not read holds its share; others go on, and its end gives all back.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	const mine = 600 << 10
	l := limits(t, LimitOptions{SentBytes: 2 * mine, ClientSentBytes: mine, MinMemory: 1 << 20, StreamMemory: 8 << 20, Memory: 32 << 20})
	path, secrets := tokenFileOf(t, "slow", "quick")
	r := start(t, Options{Limiter: l, Authorizer: access(t, AccessOptions{Tokens: path})}, map[string]Spec{"events": {Paths: []string{dir}}})
	ticket := []byte(`{"dataset":"events","batch_bytes":262144}`)
	slow, cancel := context.WithCancel(with(t.Context(), "authorization", "Bearer "+secrets["slow"]))
	sc := r.client(t)
	for range 4 {
		st, err := sc.DoGet(slow, &flight.Ticket{Ticket: ticket})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, "the slow client does not wait", func() bool { return l.Usage().SentWaiting > 0 })
	if u := l.Usage(); u.Sent > mine+512<<10 {
		t.Errorf("it holds %d bytes", u.Sent)
	}
	want := scanned(t, []string{dir}, arrowio.ScanOptions{}).rows()
	quick := with(t.Context(), "authorization", "Bearer "+secrets["quick"])
	var all sync.WaitGroup
	for range 3 {
		c := r.client(t)
		all.Go(func() {
			if s := get(quick, t, c, ticket); s.err != nil || s.rows() != want {
				t.Errorf("%d of %d rows, %v", s.rows(), want, s.err)
			}
		})
	}
	all.Wait()
	cancel()
	_ = sc.Close()
	settled(t, "something is still held", func() bool {
		u := l.Usage()
		return u.Streams == 0 && u.Sent == 0 && u.Memory == 0 && u.SentWaiting == 0
	})
}

// Streams share the memory: those for which there is none wait, and are refused when it takes too long.
func TestMemoryLimits(t *testing.T) {
	l := limits(t, LimitOptions{StreamMemory: 100, MinMemory: 20, Memory: 200, ClientMemory: 200, Wait: 50 * time.Millisecond})
	var leases []Lease
	budgets := []int64{}
	for {
		lease, err := l.Begin(t.Context(), &Call{Method: "DoGet"})
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.(Reserver).Reserve(t.Context(), false); err != nil {
			lease.End()
			if code(status1(err)) != codes.ResourceExhausted || !strings.Contains(err.Error(), "run fewer") {
				t.Error(err)
			}
			break
		}
		o := arrowio.ScanOptions{MemoryBudget: 100}
		lease.Scan(&o)
		leases, budgets = append(leases, lease), append(budgets, o.MemoryBudget)
	}
	var sum int64
	for i, b := range budgets {
		if b < 20 || i > 0 && b > budgets[i-1] {
			t.Error(budgets)
		}
		sum += b
	}
	if sum > 200 || sum <= 180 || budgets[0] != 50 {
		t.Error(budgets)
	}
	if u := l.Usage(); u.Streams != len(leases) {
		t.Errorf("%d streams, %d leases", u.Streams, len(leases))
	}
	for _, lease := range leases {
		lease.End()
	}
	if u := l.Usage(); u.Streams != 0 || u.Memory != 0 || u.MemWaiting != 0 {
		t.Errorf("%+v", u)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lease, err := l.Begin(ctx, &Call{Method: "DoGet"})
	if err != nil {
		t.Fatal(err)
	}
	defer lease.End()
	if err := lease.(Reserver).Reserve(ctx, false); code(err) != codes.Canceled {
		t.Error(err)
	}
}

// What goes on of a call that has ended reserves nothing.
func TestReserveAfterEnd(t *testing.T) {
	l := limits(t, LimitOptions{})
	for _, small := range []bool{true, false} {
		lease, err := l.Begin(t.Context(), &Call{Method: "DoGet"})
		if err != nil {
			t.Fatal(err)
		}
		lease.End()
		if err := lease.(Reserver).Reserve(t.Context(), small); code(err) != codes.Canceled {
			t.Error(err)
		}
	}
	if u := l.Usage(); u.Streams != 0 || u.Memory != 0 {
		t.Errorf("%+v", u)
	}
}

// status1 is how the server answers an error of a Limiter.
func status1(err error) error { return (&Server{}).status(&Call{}, err) }

// Who has all memory that one client may have is told that, and not that there is none.
func TestClientMemorySaid(t *testing.T) {
	t.Parallel()
	l := limits(t, LimitOptions{Memory: 256 << 20, ClientMemory: 32 << 20, StreamMemory: 256 << 20, Wait: 20 * time.Millisecond})
	reserve := func(client string) error {
		lease, err := l.Begin(t.Context(), &Call{Method: "DoGet", Client: Client{Name: client}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(lease.End)
		return lease.(Reserver).Reserve(t.Context(), false)
	}
	var err error
	for range 20 {
		if err = reserve("a"); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "of this client") || !strings.Contains(err.Error(), "--max-client-memory") {
		t.Error(err)
	}
	if err := reserve("b"); err != nil {
		t.Error(err)
	}
}
