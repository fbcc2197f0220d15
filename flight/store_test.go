package flight

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/readers"
)

// stored serves the files of dir from an S3 store as the dataset "events".
func stored(t *testing.T, dir string, o Options) (*running, *s3fake.Server) {
	t.Helper()
	s := s3fake.New(t)
	files, err := filepath.Glob(dir + "/*.orc")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s.Put(t, "events/"+filepath.Base(f), b)
	}
	so := stores.FromEnvironment()
	so.S3.Retry = stores.Retry{Attempts: 4, Wait: time.Millisecond}
	st := stores.New(so)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	spec := Spec{Paths: []string{"s3://" + s3fake.Bucket + "/events/"}, Read: readers.Options{Stores: st}}
	return start(t, o, map[string]Spec{"events": spec}), s
}

// Errors of a store that pass are not seen in a stream.
func TestStoreErrorsThatPass(t *testing.T) {
	dir := events(t, 20_000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{})
	r, s := stored(t, dir, Options{})
	c := r.client(t)
	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"500":     func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 500, "InternalError") },
		"503":     func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 503, "SlowDown") },
		"a reset": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Break(w) },
		"half an answer": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			whole := httptest.NewRecorder()
			next.ServeHTTP(whole, r)
			maps.Copy(w.Header(), whole.Header())
			w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
			w.WriteHeader(whole.Code)
			_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
			_ = http.NewResponseController(w).Flush() // else it is an answer of nothing
			s3fake.Break(w)
		},
	} {
		var n atomic.Int64
		var mu sync.Mutex
		asked := map[string]int{} // of each object: several are asked for at the same time
		s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Header.Get("Range") != "" {
				mu.Lock()
				asked[r.URL.Path]++
				wrong := asked[r.URL.Path]%2 == 1
				mu.Unlock()
				if n.Add(1); wrong {
					fault(w, r, next)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
		got := get(t.Context(), t, c, []byte(`{"dataset":"events"}`))
		if got.err != nil {
			t.Errorf("%s: %v", name, got.err)
			continue
		}
		if n.Load() < 4 {
			t.Errorf("%s: nothing went wrong", name)
		}
		sameRows(t, got, want)
	}
}

// midStream reads the first batches of a stream, calls what is to happen then, and reads on to the end.
func midStream(ctx context.Context, t *testing.T, c flight.Client, ticket []byte, then func()) *stream {
	t.Helper()
	st, err := c.DoGet(ctx, &flight.Ticket{Ticket: ticket})
	if err != nil {
		t.Fatal(err)
	}
	r, err := flight.NewRecordReader(st)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	out := &stream{schema: r.Schema()}
	for r.Next() {
		r.Record().Retain()
		out.recs = append(out.recs, r.Record())
		m, err := ParseBatchMeta(r.LatestAppMetadata())
		if err != nil {
			t.Fatal(err)
		}
		if out.meta = append(out.meta, m); len(out.meta) == 2 {
			then()
		}
	}
	if err := r.Err(); err != nil && err != io.EOF {
		out.err = err
	}
	return out
}

// A store that fails for good in the middle of a stream ends it with an error, and what came before can be gone on from.
func TestStoreFailsInMidStream(t *testing.T) {
	dir := events(t, 60_000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{})
	for name, fault := range map[string]func(w http.ResponseWriter){
		"503":     func(w http.ResponseWriter) { s3fake.Refuse(w, 503, "SlowDown") },
		"a reset": s3fake.Break,
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		hold := &held{}
		r, s := stored(t, dir, Options{Parallelism: 1, Memory: 1 << 20, Allocator: mem, Limiter: hold})
		c := r.client(t)
		got := midStream(t.Context(), t, c, []byte(`{"dataset":"events","batch_bytes":65536}`), func() {
			s.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fault(w) })
		})
		if code(got.err) != codes.Unavailable || got.rows() == 0 || got.rows() >= want.rows() {
			t.Fatalf("%s: %d of %d rows, %v", name, got.rows(), want.rows(), got.err)
		}
		settled(t, "memory is held", func() bool {
			bytes, running := hold.now()
			return mem.CurrentAlloc() == 0 && bytes == 0 && running == 0
		})
		s.Fault(nil)
		at, err := json.Marshal(got.meta[len(got.meta)-1].Resume)
		if err != nil {
			t.Fatal(err)
		}
		rest := get(t.Context(), t, c, fmt.Appendf(nil, `{"dataset":"events","resume":%s}`, at))
		if rest.err != nil {
			t.Fatal(rest.err)
		}
		rest.recs = append(got.recs, rest.recs...)
		sameRows(t, rest, want)
		for _, rec := range rest.recs {
			rec.Release()
		}
	}
}

// An object that is replaced in the middle of a stream ends it with an error: no row of the new one comes.
func TestStoreReplacedInMidStream(t *testing.T) {
	dir := events(t, 60_000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{})
	r, s := stored(t, dir, Options{Parallelism: 1, Memory: 1 << 20})
	other := filepath.Join(t.TempDir(), "part-2.orc")
	_, recs := table(memory.DefaultAllocator, 60_000, 60_000, 77)
	write(t, other, recs, nil)
	b, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	got := midStream(t.Context(), t, r.client(t), []byte(`{"dataset":"events","batch_bytes":65536}`), func() { s.Put(t, "events/part-2.orc", b) })
	if code(got.err) != codes.FailedPrecondition || got.rows() > 2*60_000 {
		t.Fatalf("%d of %d rows, %v", got.rows(), want.rows(), got.err)
	}
	first := &stream{schema: want.schema}
	left := got.rows()
	for _, rec := range want.recs {
		n := min(left, rec.NumRows())
		first.recs = append(first.recs, rec.NewSlice(0, n))
		left -= n
	}
	sameRows(t, got, first)
}
