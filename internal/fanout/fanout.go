package fanout

import (
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Each calls f with 0 to n-1, up to workers at once, and returns the first error; tasks that have begun are waited for. A
// panic of a task that runs beside others is an error of kind errs.ErrInternal: nobody else could recover it.
func Each(workers, n int, f func(i int) error) error {
	if workers <= 1 || n <= 1 {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var g errgroup.Group
	g.SetLimit(workers)
	for i := range n {
		g.Go(func() error { return caught(func() error { return f(i) }) })
	}
	return g.Wait()
}

// Go calls f beside the caller. wait returns what f does, any number of times; a panic is an error as in Each.
func Go(f func() error) (wait func() error) {
	var g errgroup.Group
	g.Go(func() error { return caught(f) })
	return g.Wait
}

// caught makes a panic of f an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errs.Errorf(errs.ErrInternal, "panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}
