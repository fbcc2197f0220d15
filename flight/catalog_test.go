package flight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestCatalog(t *testing.T) {
	dir := events(t, 100)
	c := NewCatalog(CatalogOptions{})
	for name, want := range map[string]bool{"events": true, "a.b-c_9": true, "": false, ".x": false, "-x": false, "a/b": false, "a b": false, "é": false, strings.Repeat("x", 129): false} {
		err := c.Add(t.Context(), name, Spec{Paths: []string{dir}})
		if want != (err == nil) || !want && !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := c.Add(t.Context(), "events", Spec{Paths: []string{dir}}); !errors.Is(err, errs.ErrOption) {
		t.Error("twice:", err)
	}
	if err := c.Add(t.Context(), "gone", Spec{Paths: []string{dir + "/nope"}}); err == nil {
		t.Error("a path that does not exist")
	}
	if got := c.Names(); !slices.Equal(got, []string{"a.b-c_9", "events"}) {
		t.Error(got)
	}
	e, err := c.Lookup(t.Context(), "events", nil)
	if err != nil || e.Rows != 300 || len(e.Fragments) != 3 || e.Fragments[1].Name != "events/part-1.orc" || e.Format != "orc" {
		t.Errorf("%+v, %v", e, err)
	}
	if !c.Remove("events") || c.Remove("events") {
		t.Error("removed once")
	}
	if _, err := c.Lookup(t.Context(), "events", nil); codeOf((&Server{}).status(&Call{}, err)) != codes.NotFound {
		t.Error(err)
	}
}

// Client options give another view of the same files; how many are kept is bounded.
func TestClientOptions(t *testing.T) {
	dir := events(t, 100)
	var loads atomic.Int64
	c := NewCatalog(CatalogOptions{})
	spec := Spec{ClientOptions: []string{"n"}, Open: func(ctx context.Context, o map[string]string) (*dataset.Dataset, error) {
		loads.Add(1)
		return (&Spec{Paths: []string{dir}}).open(ctx, o, nil, nil)
	}}
	if err := c.Add(t.Context(), "events", spec); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		e, err := c.Lookup(t.Context(), "events", map[string]string{"dictionary": "true"})
		if err != nil || e.Schema.Field(2).Type.Name() != "dictionary" {
			t.Fatal(e, err)
		}
	}
	if n := loads.Load(); n != 2 {
		t.Errorf("%d loads", n)
	}
	for i := range 3 * maxVariants {
		if _, err := c.Lookup(t.Context(), "events", map[string]string{"n": fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.by["events"].loaded); n > maxVariants {
		t.Errorf("%d variants are kept", n)
	}
	before := loads.Load()
	if e, err := c.Lookup(t.Context(), "events", nil); err != nil || e.Rows != 300 || loads.Load() != before {
		t.Error("the dataset as it was added is forgotten")
	}
	for _, o := range []map[string]string{{"orc-keys": "x"}, {"kudu-data-dir": "/"}, {"": ""}} {
		if _, err := c.Lookup(t.Context(), "events", o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

// Callers share a load, and one that leaves does not end it for the others.
func TestSharedLoad(t *testing.T) {
	dir := events(t, 100)
	gate := make(chan struct{})
	var loads atomic.Int64
	c := NewCatalog(CatalogOptions{})
	err := c.Add(t.Context(), "events", Spec{Open: func(ctx context.Context, o map[string]string) (*dataset.Dataset, error) {
		if loads.Add(1) > 1 {
			<-gate
		}
		return (&Spec{Paths: []string{dir}}).open(ctx, o, nil, nil)
	}})
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(ctx context.Context) error {
		_, err := c.Lookup(ctx, "events", map[string]string{"dictionary": "true"})
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- lookup(ctx) }()
	settled(t, "no load", func() bool { return loads.Load() == 2 })
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := lookup(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	close(gate)
	wg.Wait()
	if n := loads.Load(); n != 2 {
		t.Errorf("%d loads", n)
	}
}

// Servers over one place see what any of them is given, and what is taken away.
func TestDiscover(t *testing.T) {
	t.Parallel()
	put, other := t.TempDir(), events(t, 10)
	places := []Writable{{Names: "new-*", Dir: put}, {Names: "elsewhere", Store: func(context.Context, string, bool) (arrowio.Store, Spec, error) {
		return nil, Spec{}, errors.New("not asked")
	}}}
	c := NewCatalog(CatalogOptions{Refresh: 10 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
	if err := c.Add(t.Context(), "kept", Spec{Paths: []string{other}}); err != nil {
		t.Fatal(err)
	}
	c.Discover(Discover(places))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { c.Run(ctx); close(ended) }()
	has := func(names ...string) {
		t.Helper()
		settled(t, fmt.Sprintf("the catalog is not %q", names), func() bool { return slices.Equal(c.Names(), names) })
	}
	has("kept")
	for _, name := range []string{"new-a", "old-b"} {
		if err := os.Rename(events(t, 10), filepath.Join(put, name)); err != nil {
			t.Fatal(err)
		}
	}
	has("kept", "new-a")
	if err := os.Rename(filepath.Join(put, "new-a"), filepath.Join(put, "new-c")); err != nil {
		t.Fatal(err)
	}
	has("kept", "new-c")
	if err := os.Rename(put, put+".away"); err != nil { // at once: the place is never there without what is in it
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	has("kept", "new-c") // a place that cannot be read takes nothing away
	cancel()
	<-ended
}
