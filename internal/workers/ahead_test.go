package workers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Things come in order, those that are wanted before they are taken, each made once; an error is that of its thing; what was not
// taken is dropped.
func TestAhead(t *testing.T) {
	t.Parallel()
	var calls, now, most, dropped atomic.Int64
	a := Ahead[int]{
		N: 100, Most: 5,
		Want: func(i int) bool { return i%10 != 0 },
		Drop: func(int) { dropped.Add(1) },
		Make: func(ctx context.Context, i int) (int, error) {
			calls.Add(1)
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return 0, ctx.Err()
			}
			if i == 41 {
				return 0, errors.New("of 41")
			}
			return i, nil
		},
	}
	for i := range 60 {
		if i%20 == 10 { // passed over
			continue
		}
		if got, err := a.Take(t.Context(), i); (i == 41) != (err != nil) || err == nil && got != i {
			t.Errorf("thing %d: %d, %v", i, got, err)
		}
	}
	time.Sleep(20 * time.Millisecond) // what follows is made
	a.Stop()
	if n := most.Load(); n < 3 || n > 7 {
		t.Errorf("%d were made at once", n)
	}
	if dropped.Load() == 0 || calls.Load() > 70 {
		t.Errorf("%d made, %d dropped", calls.Load(), dropped.Load())
	}
}
