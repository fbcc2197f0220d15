package flight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
)

// Of fifty streams under way when the server is told to end, none is truncated.
func TestDrainOfManyStreams(t *testing.T) {
	t.Parallel()
	dir := events(t, 20_000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{}).rows()
	// Memory for some at a time: the others wait for it, and are finished, too.
	l := limits(t, LimitOptions{Streams: 60, ClientStreams: 60, StreamMemory: 8 << 20, MinMemory: 4 << 20, Memory: 32 << 20, ClientMemory: 32 << 20, SentBytes: 4 << 20, ClientSentBytes: 4 << 20})
	r := start(t, Options{Limiter: l, DrainTimeout: -1}, map[string]Spec{"events": {Paths: []string{dir}}})
	var all sync.WaitGroup
	var finished atomic.Int64
	for range 10 {
		c := r.client(t)
		for range 5 {
			all.Go(func() {
				st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"events","batch_bytes":65536}`)})
				if err != nil {
					t.Error(err)
					return
				}
				defer finished.Add(1)
				rd, err := flight.NewRecordReader(st)
				if err != nil {
					t.Error(err)
					return
				}
				defer rd.Release()
				var rows int64
				for rd.Next() {
					rows += rd.Record().NumRows()
				}
				if rd.Err() != nil || rows != want {
					t.Errorf("%d of %d rows, %v", rows, want, rd.Err())
				}
			})
		}
	}
	other := r.client(t)
	settled(t, "not all streams came in", func() bool { return l.Usage().Streams+int(finished.Load()) == 50 })
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if _, err := other.GetFlightInfo(t.Context(), pathOf("events")); code(err) != codes.Unavailable {
		t.Error(err)
	}
	if u := l.Usage(); u.Streams != 0 || u.Memory != 0 || u.MemWaiting != 0 {
		t.Errorf("%+v", u)
	}
}

// Draining keeps its limit, also where a client does not read, and its end says so.
func TestDrainLimit(t *testing.T) {
	t.Parallel()
	dir := events(t, 200_000)
	r := start(t, Options{DrainTimeout: time.Second}, map[string]Spec{"events": {Paths: []string{dir}}})
	st, err := r.client(t).DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"events"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Recv(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	err = r.stop()
	if took := time.Since(begun); took > 2500*time.Millisecond || took < 700*time.Millisecond {
		t.Errorf("it took %s", took)
	}
	if !errors.Is(err, ErrCutOff) {
		t.Error(err)
	}
	r.stop = func() error { return nil }
}

// A visit that sends rows is finished, too, and ends with the time that running calls have.
func TestDrainOfVisits(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{-1, 200 * time.Millisecond} {
		r := start(t, Options{DrainTimeout: limit}, nil)
		begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- r.Visit(t.Context(), Visitor{Sends: true}, func(ctx context.Context, _ *Visit) error {
				close(begun)
				select {
				case <-goOn:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
		<-begun
		stopped := make(chan error, 1)
		go func() { stopped <- r.stop() }()
		if limit < 0 {
			settled(t, "the server does not drain", r.draining.Load)
			select {
			case err := <-stopped:
				t.Error("the server does not wait for the visit:", err)
			case <-time.After(5 * sendsInterval):
			}
			close(goOn)
			if err := errors.Join(<-ended, <-stopped); err != nil {
				t.Error(err)
			}
		} else if err := <-ended; code(err) != codes.Unavailable || !errors.Is(<-stopped, ErrCutOff) {
			t.Error("the visit ends with", err)
		}
		r.stop = func() error { return nil }
	}
}
