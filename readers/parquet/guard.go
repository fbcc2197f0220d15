package parquet

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// guard calls arrow's packages, and only them. They answer bytes that they did not expect with an error, or with a
// panic: some of these they mean (and catch elsewhere), others are an index out of range. Whatever it was, the file is
// the reason: they read sound ones. This is the one place that recovers.
func guard(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *arrowio.Error: // of capped
			err = p
		default:
			err = corrupt("%v", p)
		}
	}()
	return f()
}

// kinded says of an error of arrow's packages, which have no kinds, that the data are the reason. Only decoding may
// call it: I/O happens before, and keeps its errors.
func kinded(err error) error {
	if err == nil {
		return nil
	}
	var e *arrowio.Error
	if errors.As(err, &e) {
		return err
	}
	return corrupt("%w", err)
}

// capped refuses allocations that no batch needs: pages say themselves how large they are. An allocator has no other
// way to refuse than to panic, which guard expects.
type capped struct {
	memory.Allocator
	most int64
}

func (c *capped) check(n int) {
	if int64(n) > c.most || n < 0 {
		panic(arrowio.Errorf(arrowio.ErrLimit, "%d bytes at once (Limits.BatchBytes)", n))
	}
}

func (c *capped) Allocate(n int) []byte {
	c.check(n)
	return c.Allocator.Allocate(n)
}

func (c *capped) Reallocate(n int, b []byte) []byte {
	c.check(n)
	return c.Allocator.Reallocate(n, b)
}
