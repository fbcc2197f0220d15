package arrowio

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// Far files are opened several at a time, in advance, each once; those that a scan does not come to are closed, and those that are
// never wanted are not opened. The rows are those of files that are near.
func TestFarFragments(t *testing.T) {
	const files = 60
	rec := anyRecord(t, 10, 1)
	defer rec.Release()
	for _, p := range []int{1, 3} {
		for _, x := range []struct {
			name   string
			rows   RowRange
			never  bool // every third is known not to be wanted
			failed int  // the file that cannot be opened; 0 = none
			most   int  // files that may be opened
			got    int  // rows
		}{
			{"all", RowRange{}, false, 0, files, 10 * files},
			{"the first rows", RowRange{0, 5}, false, 0, 1, 5},
			{"of the third file", RowRange{0, 25}, false, 0, 3 + aheadFiles, 25},
			{"some are not wanted", RowRange{}, true, 0, files - files/3, 10 * (files - files/3)},
			{"an error", RowRange{}, false, 7, 8 + aheadFiles, 70},
		} {
			t.Run(fmt.Sprint(x.name, " ", p), func(t *testing.T) {
				check := noGoroutines(t)
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				var now, atOnce, opened atomic.Int64
				var mu sync.Mutex
				all := map[int]*memFile{}
				fragments := make([]Fragment, files)
				for i := range fragments {
					fragments[i] = Fragment{Name: fmt.Sprint("file ", i), Far: true, Open: func(ctx context.Context) (File, error) {
						opened.Add(1)
						n := now.Add(1)
						defer now.Add(-1)
						for m := atOnce.Load(); n > m && !atOnce.CompareAndSwap(m, n); m = atOnce.Load() {
						}
						select {
						case <-time.After(2 * time.Millisecond):
						case <-ctx.Done():
							return nil, ctx.Err()
						}
						if x.failed > 0 && i == x.failed {
							return nil, errors.New("out of order")
						}
						f := newMemFile(t, rec, 5, 10)
						mu.Lock()
						defer mu.Unlock()
						if all[i] != nil {
							t.Errorf("file %d is opened again", i)
						}
						all[i] = f
						return f, nil
					}}
					if x.never && i%3 == 0 {
						fragments[i].Never = func(*expr.Bound) bool { return true }
					}
				}
				o := ScanOptions{Parallelism: p, Rows: x.rows, Columns: []string{"id"}, Allocator: mem}
				if x.never {
					e, err := expr.Parse("id IS NULL OR id IS NOT NULL")
					if err != nil {
						t.Fatal(err)
					}
					o.Filter = e
				}
				s, err := ScanFragments(t.Context(), rec.Schema(), fragments, o)
				if err != nil {
					t.Fatal(err)
				}
				rows, _, err := drain(t, s)
				if (err != nil) != (x.failed > 0) || len(rows) != x.got {
					t.Errorf("%d rows, want %d, %v", len(rows), x.got, err)
				}
				if n := int(opened.Load()); n > x.most {
					t.Errorf("%d files opened, want at most %d", n, x.most)
				}
				if n := int(atOnce.Load()); n > aheadFiles+1 || n < 2 && x.most > 1 {
					t.Errorf("%d files opened at once", n)
				}
				for i, f := range all {
					if f.closed.Load() != 1 {
						t.Errorf("file %d is closed %d times", i, f.closed.Load())
					}
				}
				mem.AssertSize(t, 0)
				check()
			})
		}
	}
}
