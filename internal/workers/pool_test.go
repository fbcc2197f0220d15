package workers_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/workers"
)

// tool is what one task or job has at a time.
type tool struct {
	inUse atomic.Bool
	used  int // races show where two have it
}

func (u *tool) use(t *testing.T) func() {
	if u.inUse.Swap(true) {
		t.Error("two have the same tool")
	}
	u.used++
	return func() { u.inUse.Store(false) }
}

// TestPool: all tasks are done when Each returns, all jobs that were taken when Wait does, each once, and no more at a
// time than there are workers.
func TestPool(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		p := workers.Pool[tool]{Workers: size, Backlog: 3}
		var sum, jobs, taken, at atomic.Int64
		enter := func(u *tool) func() {
			leave := u.use(t)
			if n := at.Add(1); n > int64(size) {
				t.Errorf("%d of %d workers", n, size)
			}
			return func() { at.Add(-1); leave() }
		}
		want := int64(0)
		for round := range 50 {
			n := []int{0, 1, 7, 100}[round%4]
			err := p.Each(n, func(i int, u *tool) error {
				defer enter(u)()
				sum.Add(int64(i))
				if p.Later(func(u *tool) {
					defer enter(u)()
					jobs.Add(1)
				}) {
					taken.Add(1)
				}
				return nil
			})
			if want += int64(n * (n - 1) / 2); err != nil || sum.Load() != want {
				t.Fatalf("%d workers, %d tasks: sum %d, want %d, %v", size, n, sum.Load(), want, err)
			}
			if round%3 == 0 {
				if err := p.Wait(); err != nil || jobs.Load() != taken.Load() {
					t.Fatalf("%d workers: %d of %d jobs, %v", size, jobs.Load(), taken.Load(), err)
				}
			}
		}
		if size == 1 && taken.Load() > 0 || size > 1 && taken.Load() == 0 {
			t.Errorf("%d workers took %d jobs", size, taken.Load())
		}
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// TestPoolBacklog: with one more than the backlog there is no room, and what was taken is done although nobody waits.
func TestPoolBacklog(t *testing.T) {
	p := workers.Pool[tool]{Workers: 2, Backlog: 2}
	hold, began, done := make(chan bool), make(chan bool), make(chan bool)
	taken := 0
	err := p.Each(1, func(int, *tool) error {
		p.Later(func(*tool) { began <- true; <-hold })
		<-began // the other worker has it; it no longer waits
		for p.Later(func(*tool) { done <- true }) {
			taken++
		}
		return nil
	})
	if err != nil || taken != 2 {
		t.Errorf("%d taken, %v", taken, err)
	}
	hold <- true
	for range taken {
		<-done
	}
}

func TestPoolErrors(t *testing.T) {
	failed := errors.New("no")
	for _, size := range []int{1, 3} {
		p := workers.Pool[tool]{Workers: size}
		var begun atomic.Int64
		err := p.Each(1000, func(i int, _ *tool) error {
			begun.Add(1)
			if i == 5 {
				return failed
			}
			return nil
		})
		if !errors.Is(err, failed) || begun.Load() < 6 || begun.Load() > 1000 {
			t.Errorf("%d workers: %d begun, %v", size, begun.Load(), err)
		}
	}
	if workers.Debug {
		return // panics go on
	}
	for _, n := range []int{1, 10} {
		p := workers.Pool[tool]{Workers: 2, Backlog: 1}
		if err := p.Each(n, func(int, *tool) error { panic("oh") }); !errors.Is(err, errs.ErrInternal) {
			t.Errorf("%v", err)
		}
		if err := p.Each(n, func(int, *tool) error { return nil }); !errors.Is(err, errs.ErrInternal) {
			t.Errorf("after a panic: %v", err)
		}
	}
	p := workers.Pool[tool]{Workers: 2, Backlog: 1}
	err := p.Each(3, func(int, *tool) error { p.Later(func(*tool) { panic("oh") }); return nil })
	if err = errors.Join(err, p.Wait()); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("%v", err)
	}
}
