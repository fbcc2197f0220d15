package arrowio

import (
	"sync"
	"sync/atomic"
)

// Share runs n tasks, numbered from 0, in the caller's goroutine and in others that have nothing to do, and returns when
// all are done: nil, or the error of the task with the lowest number.
type Share func(n int, task func(i int) error) error

// Sharer is implemented by split readers that can decode parts of a batch, say its columns, at the same time. Share is
// called once, before the first Read; the reader calls run within its methods. It returns how many goroutines it can
// keep about equally busy: with as many workers, splits are decoded one after another, which takes the memory of one.
type Sharer interface {
	Share(run Share) int
}

// crew is the goroutines of a parallel scan that help split readers with parts of a batch.
type crew struct {
	size  int // goroutines beside the caller's
	start sync.Once
	tasks chan func()
	wg    sync.WaitGroup
}

// run implements Share.
func (c *crew) run(n int, task func(i int) error) error {
	c.start.Do(c.begin)
	errs := make([]error, n)
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			errs[i] = guard(func() error { return task(i) })
		}
	}
	var busy sync.WaitGroup
	for range min(c.size, n-1) {
		busy.Add(1)
		select {
		case c.tasks <- func() { defer busy.Done(); work() }:
		default: // all have enough to do
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

func (c *crew) begin() {
	c.tasks = make(chan func(), c.size)
	for range c.size {
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			for t := range c.tasks {
				t()
			}
		}()
	}
}

// end ends the goroutines, once nobody calls run any more.
func (c *crew) end() {
	c.start.Do(func() { c.tasks = make(chan func()) })
	close(c.tasks)
	c.wg.Wait()
}
