package flight

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What another server has put is found when it is asked for, before the next refresh; whatever is asked for, it is looked for now and then.
func TestCatalogSeeks(t *testing.T) {
	t.Parallel()
	put := t.TempDir()
	r := start(t, Options{Writable: []Writable{{Names: "new-*", Dir: put}}}, nil)
	find := Discover([]Writable{{Names: "new-*", Dir: put}})
	var looks atomic.Int64
	r.catalog.Discover(func(ctx context.Context) (map[string]Spec, error) {
		looks.Add(1)
		return find(ctx)
	})
	for _, name := range []string{"new-a", "new-b"} {
		if err := os.Rename(events(t, 10), filepath.Join(put, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.catalog.Lookup(t.Context(), name, nil); err != nil {
			t.Error(name, err)
		}
	}
	if names := r.catalog.Names(); len(names) != 2 {
		t.Error(names)
	}
	began, before := time.Now(), looks.Load()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 5 {
				if _, err := r.catalog.Lookup(t.Context(), "nothing", nil); err == nil || !strings.Contains(err.Error(), "there is no dataset") {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, most := looks.Load()-before, int64(time.Since(began)/seekPause)+1; n > most {
		t.Errorf("%d looks in %s", n, time.Since(began))
	}
	if _, err := r.catalog.Lookup(t.Context(), "../new-a", nil); err == nil || !strings.Contains(err.Error(), "there is no dataset") {
		t.Error(err)
	}
}
