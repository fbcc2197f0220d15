package fanout_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fanout"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var sum atomic.Int64
		if err := fanout.Each(workers, 100, func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 4950 {
			t.Errorf("%d workers: %d, %v", workers, sum.Load(), err)
		}
		failed := errors.New("no")
		if err := fanout.Each(workers, 100, func(i int) error {
			if i == 7 {
				return failed
			}
			return nil
		}); !errors.Is(err, failed) {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

func TestPanic(t *testing.T) {
	if err := fanout.Each(2, 10, func(int) error { panic("oh") }); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("%v", err)
	}
}

func TestGo(t *testing.T) {
	failed := errors.New("no")
	wait := fanout.Go(func() error { return failed })
	for range 2 {
		if err := wait(); !errors.Is(err, failed) {
			t.Errorf("%v", err)
		}
	}
	if err := fanout.Go(func() error { panic("oh") })(); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("%v", err)
	}
}
