//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// Databases that keep what does not fit in one directory at the same time do not read each other's.
func TestSpillTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for k := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			db, err := Open(Options{Threads: 1, Memory: 32 << 20, TempDir: dir, Catalog: "arrowio", Guarded: true, Known: func(string) bool { return false }})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			// Each number comes back once, and in order.
			got, err := result(t.Context(), db, fmt.Sprintf(`select count(*), sum(a), count(*) filter (where b <> 1) from
				(select a, a - lag(a, 1, a - 1) over (order by a) as b from (select (i * 7919 + %d) %% 3000017 as a from range(3000017) r(i)))`, k))
			if want := "3000017|4500049500136|0\n"; err != nil || got != want {
				t.Errorf("%d: %q, %v; want %q", k, got, err, want)
			}
		}()
	}
	all.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error("files are left:", left, err)
	}
}
