package flight

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Clients of one address that read much, or that do not read at all, do not keep one back that reads little.
func TestSmallReadsDoNotStarve(t *testing.T) {
	dir := events(t, 200_000)
	little := filepath.Join(t.TempDir(), "little.orc")
	_, recs := table(memory.DefaultAllocator, 20, 20, 1)
	write(t, little, recs, nil)
	l := limits(t, LimitOptions{})
	r := start(t, Options{Limiter: l, DrainTimeout: time.Millisecond}, map[string]Spec{"events": {Paths: []string{dir}}, "little": {Paths: []string{little}}})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 200 {
		c := r.client(t)
		all.Go(func() {
			for ctx.Err() == nil {
				st, err := c.DoGet(ctx, &flight.Ticket{Ticket: []byte(`{"dataset":"events"}`)})
				for err == nil {
					if _, err = st.Recv(); i%4 == 0 && err == nil { // and takes no more
						<-ctx.Done()
					}
				}
				if err != io.EOF && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	settled(t, "not all streams came in", func() bool { return l.Usage().Streams >= 190 })
	c := r.client(t)
	var took []time.Duration
	for range 30 {
		begun := time.Now()
		st, err := c.DoGet(ctx, &flight.Ticket{Ticket: []byte(`{"dataset":"little"}`)})
		if err != nil {
			t.Fatal(err)
		}
		rd, err := flight.NewRecordReader(st)
		if err != nil {
			t.Fatal(err)
		}
		if !rd.Next() || rd.Record().NumRows() != 20 {
			t.Fatal(rd.Err())
		}
		took = append(took, time.Since(begun))
		rd.Release()
	}
	worst := slices.Max(took)
	t.Logf("the worst of %d small reads took %s, the middle one %s", len(took), worst, slices.Sorted(slices.Values(took))[len(took)/2])
	if worst > 10*time.Second { // on a machine that does other things; without the lane they wait for ever
		t.Error("small reads wait for large ones")
	}
	cancel()
	all.Wait()
	_ = r.stop()
	r.stop = func() error { return nil }
}
