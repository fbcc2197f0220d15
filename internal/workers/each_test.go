package workers_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/workers"
)

func TestEach(t *testing.T) {
	for _, size := range []int{0, 1, 4} {
		var sum atomic.Int64
		if err := workers.Each(size, 100, func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 4950 {
			t.Errorf("%d workers: %d, %v", size, sum.Load(), err)
		}
		failed := errors.New("no")
		if err := workers.Each(size, math.MaxInt, func(i int) error { // so many that they never end unless the error ends them
			if i == 7 {
				return failed
			}
			return nil
		}); !errors.Is(err, failed) {
			t.Errorf("%d workers: %v", size, err)
		}
	}
}

func TestGo(t *testing.T) {
	failed := errors.New("no")
	wait := workers.Go(func() error { return failed })
	for range 2 {
		if err := wait(); !errors.Is(err, failed) {
			t.Errorf("%v", err)
		}
	}
}

// TestPanics: whoever runs a task, its panic is an error that has the panic's own as its cause.
func TestPanics(t *testing.T) {
	if workers.Debug {
		return // panics go on
	}
	cause := errors.New("oh")
	task := func() error { panic(cause) }
	each := func(int) error { panic(cause) }
	helpers := workers.NewHelpers(2)
	defer helpers.Close()
	for name, err := range map[string]error{
		"Guard":   workers.Guard(task),
		"Catch":   workers.Catch(task),
		"Go":      workers.Go(task)(),
		"one":     workers.Each(1, 1, each),
		"several": workers.Each(2, 10, each),
		"Helpers": helpers.Run(10, each),
	} {
		if !errors.Is(err, errs.ErrInternal) || !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForeign: the kind is the caller's, in every build; what is no error becomes text.
func TestForeign(t *testing.T) {
	err := workers.Foreign(errs.ErrCorrupt, "no file", func() error { panic(3) })
	var e *errs.Error
	if !errors.Is(err, errs.ErrCorrupt) || errors.Is(err, errs.ErrInternal) || !errors.As(err, &e) || e.Err.Error() != "no file: 3" {
		t.Errorf("%v", err)
	}
	failed := errors.New("no")
	if err := workers.Foreign(errs.ErrCorrupt, "no file", func() error { return failed }); err != failed { //nolint:errorlint // the same, not wrapped
		t.Errorf("%v", err)
	}
}
