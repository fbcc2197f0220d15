package stores_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// TestCreateNew has several create one file: one of them does, here and in S3, and the file is what that one wrote.
func TestCreateNew(t *testing.T) {
	fake := s3fake.New(t)
	s := stores.New(stores.FromEnvironment())
	defer s.Close()
	for _, dir := range []string{t.TempDir(), "s3://bucket/a/b"} {
		path := dir + "/x"
		if strings.Contains(dir, "://") {
			path += "/y" // there are no directories to be made before
		}
		if err := s.CanCreateNew(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		var made atomic.Int32
		var won atomic.Value
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				text := fmt.Sprint("content ", i)
				switch err := s.CreateNew(t.Context(), path, []byte(text)); {
				case err == nil:
					made.Add(1)
					won.Store(text)
				case !errors.Is(err, fs.ErrExist):
					t.Errorf("%s: %v", path, err)
				}
			})
		}
		all.Wait()
		if got := read(t, s, path); made.Load() != 1 || got != won.Load() {
			t.Errorf("%s: made %d times: %q, not %v", path, made.Load(), got, won.Load())
		}
		if err := s.CreateNew(t.Context(), path, []byte("other")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if names := fake.Objects(t); len(names) != 1 {
		t.Errorf("%d objects", len(names))
	}
	for _, path := range []string{"x://y"} {
		if err := s.CreateNew(t.Context(), path, nil); !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A request about an object that somebody else is just making is made again.
	var busy atomic.Int32
	fake.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && busy.Add(1) <= 2 {
			s3fake.Refuse(w, http.StatusConflict, "ConditionalRequestConflict")
			return
		}
		next.ServeHTTP(w, r)
	})
	if err := s.CreateNew(t.Context(), "s3://bucket/busy", []byte("b")); err != nil || busy.Load() != 3 {
		t.Errorf("%d requests, %v", busy.Load(), err)
	}
	// An answer that never comes says nothing.
	fake.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut {
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		s3fake.Break(w)
	})
	if err := s.CreateNew(t.Context(), "s3://bucket/lost", []byte("b")); !errors.Is(err, stores.ErrUnavailable) {
		t.Error(err)
	}
}
