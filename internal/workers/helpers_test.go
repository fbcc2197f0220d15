package workers_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/internal/workers"
)

// TestHelpers: several callers at a time each get all their tasks done, and the error of the lowest number.
func TestHelpers(t *testing.T) {
	for _, size := range []int{0, 1, 3} {
		h := workers.NewHelpers(size)
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for n := range 20 {
					var done atomic.Int64
					failed := make([]error, n)
					err := h.Run(n, func(i int) error {
						done.Add(1)
						if i%3 == 2 {
							failed[i] = fmt.Errorf("task %d", i)
						}
						return failed[i]
					})
					if done.Load() != int64(n) || n > 2 && !errors.Is(err, failed[2]) || n <= 2 && err != nil {
						t.Errorf("%d helpers: %d of %d tasks, %v", size, done.Load(), n, err)
					}
				}
			})
		}
		callers.Wait()
		h.Close()
	}
	workers.NewHelpers(2).Close() // nobody has called Run
}
