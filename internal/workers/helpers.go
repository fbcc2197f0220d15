package workers

import (
	"sync"
	"sync/atomic"
)

// Helpers are goroutines that wait to help callers of Run with their tasks. They start with the first Run and end with
// Close.
type Helpers struct {
	size  int
	start sync.Once
	tasks chan func()
	wg    sync.WaitGroup
}

// NewHelpers returns so many helpers.
func NewHelpers(size int) *Helpers { return &Helpers{size: size} }

// Run calls task with 0 to n-1, in the caller's goroutine and in helpers that have nothing to do, and returns when all
// have ended: nil, or the error of the task with the lowest number. A panic is an error, as Guard makes it. Any number of
// goroutines may call it at the same time.
func (h *Helpers) Run(n int, task func(i int) error) error {
	h.start.Do(h.begin)
	errs := make([]error, n)
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			errs[i] = Guard(func() error { return task(i) })
		}
	}
	var busy sync.WaitGroup
	for range min(h.size, n-1) {
		busy.Add(1)
		select {
		case h.tasks <- func() { defer busy.Done(); work() }:
		default: // all helpers have enough to do
			busy.Done()
		}
	}
	work()
	busy.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *Helpers) begin() {
	h.tasks = make(chan func(), h.size)
	for range h.size {
		h.wg.Go(func() {
			for t := range h.tasks {
				t()
			}
		})
	}
}

// Close ends the helpers. Run must not be called any more.
func (h *Helpers) Close() {
	h.start.Do(func() { h.tasks = make(chan func()) })
	close(h.tasks)
	h.wg.Wait()
}
