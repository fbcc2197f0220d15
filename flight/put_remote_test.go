package flight

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/readers"
)

// inStore lets clients put in-* to a store.
func inStore(t *testing.T) Writable {
	so := stores.FromEnvironment()
	so.S3.Retry = stores.Retry{Attempts: 4, Wait: time.Millisecond}
	st := stores.New(so)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return Writable{Names: "in-*", Dir: "s3://" + s3fake.Bucket + "/staging", Read: readers.Options{Stores: st}}
}

func keys(t *testing.T, s *s3fake.Server) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(s.Objects(t)))
}

// Datasets are made, appended to and replaced in an object store, each put by one object, and served from there by another server, too.
func TestPutToStore(t *testing.T) {
	s3 := s3fake.New(t)
	w := inStore(t)
	if found, err := w.Datasets(); err != nil || len(found) > 0 {
		t.Fatal(found, err)
	}
	r := start(t, Options{Writable: []Writable{w}}, nil)
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 700, 1)
	_, more := table(memory.DefaultAllocator, 500, 500, 2)
	for _, f := range []string{"ipc", "orc", "parquet"} {
		name := "in-" + f
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"append"}`, name), s, more); code(err) != codes.NotFound {
			t.Error(f, err)
		}
		report, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"format":%q}`, name, f), s, recs)
		if err != nil || report.Rows != 3000 || len(report.Files) != 1 {
			t.Fatalf("%s: %+v, %v", f, report, err)
		}
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"format":%q}`, name, f), s, more); code(err) != codes.AlreadyExists {
			t.Error(f, err)
		}
		if report, err = putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"append"}`, name), s, more); err != nil || !report.Appended || report.Format != f {
			t.Errorf("%s: %+v, %v", f, report, err)
		}
		if info, got := getAll(t.Context(), t, c, pathOf(name)); got.err != nil || got.rows() != 3500 || info.TotalRecords != 3500 {
			t.Errorf("%s: %d rows, %v", f, got.rows(), got.err)
		}
	}
	if all := keys(t, s3); len(all) != 6 || !strings.HasPrefix(all[0], "staging/in-ipc/part-00000") {
		t.Error(all)
	}
	// Another server has them, and finds what exists when it would make it.
	other := start(t, Options{Writable: []Writable{w}}, nil)
	found, err := w.Datasets()
	if err != nil || !slices.Equal(found, []string{"in-ipc", "in-orc", "in-parquet"}) {
		t.Error(found, err)
	}
	if err := other.catalog.Add(t.Context(), "in-orc", w.Spec("in-orc")); err != nil {
		t.Fatal(err)
	}
	oc := other.client(t)
	if _, got := getAll(t.Context(), t, oc, pathOf("in-orc")); got.err != nil || got.rows() != 3500 {
		t.Error(got.rows(), got.err)
	}
	if _, err := putting(t.Context(), t, oc, cmdOf(`{"dataset":"in-ipc"}`), s, more); code(err) != codes.AlreadyExists {
		t.Error(err)
	}
	if report, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-orc","mode":"replace","format":"parquet"}`), s, more); err != nil || !report.Replaced {
		t.Errorf("%+v, %v", report, err)
	}
	if _, got := getAll(t.Context(), t, c, pathOf("in-orc")); got.err != nil || got.rows() != 500 {
		t.Error(got.rows(), got.err)
	}
	if all := keys(t, s3); len(all) != 5 {
		t.Error(all)
	}
	// What is no output of this program stays, and what would be several objects is refused.
	s3.Put(t, "staging/in-other/readme.txt", []byte("not a dataset"))
	held := keys(t, s3)
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-other","mode":"replace"}`), s, more); code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-set","format":"cfile"}`), s, more); code(err) != codes.Unimplemented {
		t.Error(err)
	}
	s3big, big := table(memory.DefaultAllocator, 200_000, 20_000, 3)
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-big","max_file_bytes":1048576,"row_group_bytes":262144,"format":"trevni","compression":"none"}`), s3big, big); code(err) != codes.ResourceExhausted {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-less","rows":501}`), s, more); code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if now := keys(t, s3); !slices.Equal(now, held) {
		t.Error("something is left:", now)
	}
}

// conditional has a store look at If-None-Match when an upload is completed.
func conditional(t *testing.T, s3 *s3fake.Server) {
	var mu sync.Mutex
	s3.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") && r.Header.Get("If-None-Match") == "*" {
			mu.Lock()
			defer mu.Unlock()
			_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if _, there := s3.Objects(t)[key]; there {
				s3fake.Refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Of servers that make one dataset at the same time one does; what they append is all there.
func TestPutToStoreTogether(t *testing.T) {
	s3 := s3fake.New(t)
	conditional(t, s3)
	w := inStore(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 4 {
		r := start(t, Options{Writable: []Writable{w}}, nil)
		c := r.client(t)
		s, recs := table(memory.DefaultAllocator, 1000+i, 500, uint64(i))
		wait.Go(func() {
			_, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-one"}`), s, recs)
			mu.Lock()
			defer mu.Unlock()
			switch code(err) {
			case codes.OK:
				won++
			case codes.AlreadyExists:
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if all := keys(t, s3); won != 1 || len(all) != 1 {
		t.Error(won, all)
	}
}

// What the store refuses, or a client that goes away, leaves no object.
func TestPutToStoreFails(t *testing.T) {
	s3 := s3fake.New(t)
	w := inStore(t)
	r := start(t, Options{Writable: []Writable{w}}, nil)
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 700, 1)
	for name, refuses := range map[string]func(r *http.Request) bool{
		"parts":      func(r *http.Request) bool { return r.Method == http.MethodPut && r.URL.Query().Has("partNumber") },
		"completion": func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") },
	} {
		s3.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if refuses(r) {
				s3fake.Refuse(w, http.StatusForbidden, "AccessDenied")
				return
			}
			next.ServeHTTP(w, r)
		})
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-x"}`), s, recs); err == nil || strings.Contains(err.Error(), "bucket/staging") {
			t.Errorf("%s: %v", name, err)
		}
		s3.Fault(nil)
		if all := keys(t, s3); len(all) > 0 {
			t.Error(name, all)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	st, err := c.DoPut(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range framed(t, cmdOf(`{"dataset":"in-y"}`), s, recs) {
		if err := st.Send(d); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if all := keys(t, s3); len(all) > 0 {
		t.Error(all)
	}
}
