package s3store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// quick is a policy that does not keep tests waiting.
var quick = remote.Policy{Attempts: 4, Wait: time.Millisecond, MaxWait: 5 * time.Millisecond, Stall: 5 * time.Second}

// newClient returns a client of a server. When the test ends nothing may be left running of it.
func newClient(t *testing.T, s *s3fake.Server, change ...func(*Options)) *Client {
	t.Helper()
	before := runtime.NumGoroutine()
	o := Options{Endpoint: s.URL, Retry: quick}
	for _, f := range change {
		f(&o)
	}
	c := New(o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return c
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func at(key string) string { return "s3://" + s3fake.Bucket + "/" + key }

func open(t *testing.T, c *Client, key string) *remote.Source {
	t.Helper()
	src, err := c.Open(t.Context(), at(key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

func TestReadAt(t *testing.T) {
	for _, size := range []int{0, 1, 64, tailBytes - 1, tailBytes, tailBytes + 1, 300_000, 5 << 20} {
		for _, plain := range []bool{false, true} {
			s := s3fake.New(t)
			if plain {
				s.Plain()
			}
			c := newClient(t, s)
			want := randomBytes(size)
			s.Put(t, "dir/a b+c%20ü", want)
			src := open(t, c, "dir/a b+c%20ü")
			if src.Size() != int64(size) {
				t.Fatalf("size %d, want %d", src.Size(), size)
			}
			got, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes: %d, %v", size, len(got), err)
			}
			r := rand.New(rand.NewPCG(1, uint64(size)))
			for range 50 {
				off, n := r.IntN(size+10), r.IntN(size/2+10)
				p := make([]byte, n)
				k, err := src.ReadAt(p, int64(off))
				end := min(size, off+n)
				if off < size && !bytes.Equal(p[:k], want[off:end]) || off+n > size && n > 0 && err != io.EOF || off+n <= size && err != nil {
					t.Fatalf("%d at %d of %d: %d, %v", n, off, size, k, err)
				}
			}
			if _, err := src.ReadAt(make([]byte, 1), -1); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("before the start: %v", err)
			}
		}
	}
}

// A small object comes whole with opening it; the end of a larger one too.
func TestFewRequests(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s)
	big := randomBytes(40 << 20)
	s.Put(t, "big", big)
	s.Put(t, "small", big[:1000])
	s.Requests()
	small := open(t, c, "small")
	if _, err := small.ReadAt(make([]byte, 1000), 0); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests(); len(got) != 1 {
		t.Errorf("a small object: %v", got)
	}
	src := open(t, c, "big")
	for range 3 {
		if _, err := src.ReadAt(make([]byte, 100), src.Size()-100); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Requests(); len(got) != 1 || got[0].Range != "bytes=-65536" {
		t.Errorf("the end: %v", got)
	}
	for i := range 3 { // headers
		if _, err := src.ReadAt(make([]byte, 64), int64(64*i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Requests(); len(got) != 1 {
		t.Errorf("the head: %v", got)
	}

	// Ranges close together are one request, far ones their own, a large one several.
	counted := arrowio.NewCountingSource(src)
	rs := []arrowio.ByteRange{{Off: 5 << 20, Len: 100}, {Off: 5<<20 + 50_000, Len: 1000}, {Off: 8 << 20, Len: 10}, {Off: 10 << 20, Len: 20 << 20}, {Off: 8<<20 + 2, Len: 4}}
	pieces, _, err := arrowio.ReadRangesInto(t.Context(), counted, rs, nil, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rs {
		if !bytes.Equal(pieces[i], big[r.Off:r.End()]) || cap(pieces[i]) < len(pieces[i])+32 {
			t.Errorf("range %d is wrong", i)
		}
	}
	got := s.Requests()
	if len(got) != 2+3 { // 20 MiB in pieces of 8
		t.Errorf("ranges: %v", got)
	}
	if n := counted.Bytes(); n < 20<<20+51_010 || n > 21<<20 {
		t.Errorf("%d bytes were counted", n)
	}
	if pieces, err := arrowio.ReadRanges(t.Context(), src, rs[:1]); err != nil || !bytes.Equal(pieces[0], big[5<<20:5<<20+100]) {
		t.Error(err)
	}
	if _, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 40 << 20, Len: 1}}); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("behind the end: %v", err)
	}
}

// Reading on and on takes ever larger requests.
func TestSequential(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s)
	want := randomBytes(20 << 20)
	s.Put(t, "text", want)
	src := open(t, c, "text")
	s.Requests()
	buf := make([]byte, 100_000)
	got, err := io.ReadAll(struct{ io.Reader }{bufReader{src, buf}.reader()})
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal(err)
	}
	if n := len(s.Requests()); n > 20 {
		t.Errorf("%d requests", n)
	}
}

type bufReader struct {
	src io.ReaderAt
	buf []byte
}

func (b bufReader) reader() io.Reader {
	pr, pw := io.Pipe()
	go func() {
		off := int64(0)
		for {
			n, err := b.src.ReadAt(b.buf, off)
			off += int64(n)
			if _, werr := pw.Write(b.buf[:n]); werr != nil {
				err = werr
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				_ = pw.CloseWithError(err) // it returns nothing but nil
				return
			}
		}
	}()
	return pr
}

func TestNotThere(t *testing.T) {
	ctx := t.Context()
	s := s3fake.New(t)
	c := newClient(t, s)
	s.Put(t, "dir/x", []byte("x"))
	for _, c2 := range []struct {
		url string
		is  error
	}{
		{at("none"), fs.ErrNotExist},
		{at("di"), fs.ErrNotExist},
		{at("none/"), fs.ErrNotExist},
		{"s3://nobucket/x", fs.ErrNotExist},
		{"s3://nobucket", fs.ErrNotExist},
		{at("dir"), remote.ErrIsDirectory},
		{at("dir/"), remote.ErrIsDirectory},
		{at(""), remote.ErrIsDirectory},
		{"s3:///x", errs.ErrOption},
		{"s3://", errs.ErrOption},
	} {
		_, err := c.Open(ctx, c2.url)
		if !errors.Is(err, c2.is) {
			t.Errorf("%s: %v", c2.url, err)
		}
		var pe *fs.PathError
		if c2.is != errs.ErrOption && (!errors.As(err, &pe) || strings.TrimSuffix(pe.Path, "/") != strings.TrimSuffix(c2.url, "/")) {
			t.Errorf("%s is not named: %v", c2.url, err)
		}
		e, err := c.Stat(ctx, c2.url)
		if c2.is == remote.ErrIsDirectory {
			if err != nil || !e.Dir {
				t.Errorf("%s: %+v, %v", c2.url, e, err)
			}
		} else if !errors.Is(err, c2.is) {
			t.Errorf("%s: %v", c2.url, err)
		}
	}
	e, err := c.Stat(ctx, at("dir/x"))
	if err != nil || e.Name != "x" || e.Size != 1 || e.Version == "" || e.ModTime.IsZero() || e.Dir {
		t.Errorf("%+v, %v", e, err)
	}
	s.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 403, "AccessDenied") })
	for _, err := range []error{
		func() error { _, err := c.Open(ctx, at("dir/x")); return err }(),
		func() error { _, err := c.Stat(ctx, at("dir/x")); return err }(),
	} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "403") {
			t.Error(err)
		}
	}
}

// What is replaced while it is read gives an error, whether the store looks at conditions or not.
func TestReplaced(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := s3fake.New(t)
		if plain {
			s.Plain()
		}
		c := newClient(t, s)
		s.Put(t, "x", randomBytes(2<<20))
		src := open(t, c, "x")
		before, err := src.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, with := range [][]byte{make([]byte, 2<<20), make([]byte, 3<<20), make([]byte, 1000)} {
			s.Put(t, "x", with)
			_, err = arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1 << 20, Len: 1000}})
			if !errors.Is(err, remote.ErrChanged) || !strings.Contains(err.Error(), "s3://bucket/x") {
				t.Errorf("%d bytes: %v", len(with), err)
			}
			if _, err := src.ReadAt(make([]byte, 10), 0); !errors.Is(err, remote.ErrChanged) {
				t.Errorf("%d bytes: %v", len(with), err)
			}
			if after, err := src.Identity(t.Context()); err != nil || after == before {
				t.Errorf("%s, %v", after, err)
			}
		}
		s.Delete(t, "x")
		if _, err := src.ReadAt(make([]byte, 10), 0); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, remote.ErrChanged) {
			t.Error(err)
		}
	}
}

// faulty has every nth GET of an object, counted from the first, go wrong.
func faulty(s *s3fake.Server, every int64, fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) *atomic.Int64 {
	var n atomic.Int64
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodGet && r.Header.Get("Range") != "" && n.Add(1)%every == 0 {
			fault(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
	return &n
}

// cut passes on a part of an answer and then breaks off.
func cut(w http.ResponseWriter, r *http.Request, next http.Handler, at int) {
	rec := &recorder{header: http.Header{}}
	next.ServeHTTP(rec, r)
	for k, v := range rec.header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Length", strconv.Itoa(rec.body.Len()))
	w.WriteHeader(rec.status)
	_, _ = w.Write(rec.body.Bytes()[:min(at, rec.body.Len())])
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	s3fake.Break(w)
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(s int)   { r.status = s }
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = 200
	}
	return r.body.Write(p)
}

// Errors that pass are not seen, as long as they do not come too often.
func TestRetries(t *testing.T) {
	want := randomBytes(9 << 20)
	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"500":          func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 500, "InternalError") },
		"503":          func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 503, "SlowDown") },
		"429":          func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 429, "TooMany") },
		"502, no body": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(502) },
		"a reset":      func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Break(w) },
		"a short body": func(w http.ResponseWriter, r *http.Request, next http.Handler) { cut(w, r, next, 100_000) },
		"no body":      func(w http.ResponseWriter, r *http.Request, next http.Handler) { cut(w, r, next, 0) },
	} {
		s := s3fake.New(t)
		s.Put(t, "x", want)
		c := newClient(t, s)
		n := faulty(s, 2, fault)
		n.Store(1) // the first request, too
		src := open(t, c, "x")
		got := make([]byte, len(want))
		if k, err := src.ReadAt(got, 0); err != nil || k != len(want) || !bytes.Equal(got, want) {
			t.Errorf("%s: %d, %v", name, k, err)
		}
		if n.Load() < 5 {
			t.Errorf("%s: nothing went wrong", name)
		}

		n = faulty(s, 1, fault)
		_, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1 << 20, Len: 200_000}})
		var f *remote.Failure
		if !errors.Is(err, remote.ErrUnavailable) && !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &f) || f.Attempts != quick.Attempts || f.Off < 1<<20 ||
			!strings.Contains(err.Error(), "s3://bucket/x") || !strings.Contains(err.Error(), "4 attempts") {
			if name != "a short body" {
				t.Errorf("%s, always: %v", name, err)
			} else if err != nil { // each attempt gets on by 100 000 bytes
				t.Errorf("%s, always: %v", name, err)
			}
		}
		if _, err := c.Open(t.Context(), at("x")); name != "a short body" && err == nil {
			t.Errorf("%s, always: it was opened", name)
		}
		if n.Load() > 30 {
			t.Errorf("%s: %d requests", name, n.Load())
		}
	}
}

// What no other attempt changes is tried once.
func TestNoRetry(t *testing.T) {
	s := s3fake.New(t)
	s.Put(t, "x", randomBytes(1<<20))
	c := newClient(t, s)
	src := open(t, c, "x")
	for _, c2 := range []struct {
		status int
		code   string
		is     error
	}{{403, "AccessDenied", fs.ErrPermission}, {404, "NoSuchKey", fs.ErrNotExist}, {412, "PreconditionFailed", remote.ErrChanged}, {416, "InvalidRange", remote.ErrChanged}, {400, "InvalidRequest", nil}, {501, "NotImplemented", nil}} {
		n := faulty(s, 1, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, c2.status, c2.code) })
		_, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 77, Len: 10}})
		if err == nil || c2.is != nil && !errors.Is(err, c2.is) || n.Load() != 1 || !strings.Contains(err.Error(), "at 77") {
			t.Errorf("%d: %v after %d requests", c2.status, err, n.Load())
		}
	}
}

// A store that gives another range than the one asked for is not believed.
func TestWrongRange(t *testing.T) {
	s := s3fake.New(t)
	s.Put(t, "x", randomBytes(1<<20))
	c := newClient(t, s)
	src := open(t, c, "x")
	for _, rng := range []string{"", "bytes=0-9", "bytes=78-87"} {
		faulty(s, 1, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Set("Range", rng)
			if rng == "" {
				r.Header.Del("Range")
			}
			next.ServeHTTP(w, r)
		})
		if _, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 77, Len: 10}}); !errors.Is(err, errRange) {
			t.Errorf("%q: %v", rng, err)
		}
	}
}

// A store that knows no ranges is no use but for its first bytes; opening must not need them.
func TestNoRanges(t *testing.T) {
	s := s3fake.New(t)
	want := randomBytes(1 << 20)
	s.Put(t, "x", want)
	c := newClient(t, s)
	faulty(s, 1, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.Header.Del("Range")
		next.ServeHTTP(w, r)
	})
	src := open(t, c, "x")
	if src.Size() != 1<<20 {
		t.Errorf("size %d", src.Size())
	}
	got := make([]byte, 1000)
	if _, err := src.ReadAt(got, 0); err != nil || !bytes.Equal(got, want[:1000]) {
		t.Error(err)
	}
}

// A server that says nothing is given up, and tried again; one that is slow is not.
func TestSlow(t *testing.T) {
	s := s3fake.New(t)
	want := randomBytes(1 << 20)
	s.Put(t, "x", want)
	c := newClient(t, s, func(o *Options) { o.Retry.Stall = time.Second })
	src := open(t, c, "x")
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	hang := func(r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}
	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"no answer": func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { hang(r) },
		"half an answer": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			rec := &recorder{header: http.Header{}}
			next.ServeHTTP(rec, r)
			for k, v := range rec.header {
				w.Header()[k] = v
			}
			w.WriteHeader(rec.status)
			_, _ = w.Write(rec.body.Bytes()[:rec.body.Len()/2])
			w.(http.Flusher).Flush()
			hang(r)
		},
	} {
		n := faulty(s, 2, fault)
		n.Store(1)
		got, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1000, Len: 50_000}})
		if err != nil || !bytes.Equal(got[0], want[1000:51_000]) {
			t.Errorf("%s: %v", name, err)
		}
	}
	faulty(s, 1, func(w http.ResponseWriter, r *http.Request, next http.Handler) { // 250 ms, five times
		rec := &recorder{header: http.Header{}}
		next.ServeHTTP(rec, r)
		for k, v := range rec.header {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.status)
		for b := rec.body.Bytes(); len(b) > 0; b = b[min(len(b), 10_000):] {
			time.Sleep(250 * time.Millisecond)
			_, _ = w.Write(b[:min(len(b), 10_000)])
			w.(http.Flusher).Flush()
		}
	})
	got, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1000, Len: 50_000}})
	if err != nil || !bytes.Equal(got[0], want[1000:51_000]) {
		t.Errorf("slow: %v", err)
	}
}

// Cancelling ends reads and the waiting between attempts at once; so do Stop and Close for reads without a context.
func TestCancel(t *testing.T) {
	s := s3fake.New(t)
	s.Put(t, "x", randomBytes(1<<20))
	c := newClient(t, s, func(o *Options) {
		o.Retry = remote.Policy{Attempts: 100, Wait: time.Hour, MaxWait: time.Hour, Stall: time.Hour}
	})
	src := open(t, c, "x")
	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"in a request":     func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() },
		"between requests": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 500, "InternalError") },
	} {
		faulty(s, 1, fault)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		start := time.Now()
		_, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: 0, Len: 300_000}})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Minute {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
		cancel()
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		if _, err := src.ReadAt(make([]byte, 10), 0); err == nil {
			t.Error("it was read")
		}
	}()
	time.Sleep(50 * time.Millisecond)
	c.Stop()
	wg.Wait()
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if _, err := src.ReadAt(make([]byte, 10), 0); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

// Readers do not make more requests at once than they may.
func TestRequestsAtOnce(t *testing.T) {
	s := s3fake.New(t)
	want := randomBytes(8 << 20)
	s.Put(t, "x", want)
	c := newClient(t, s, func(o *Options) { o.Requests = 3 })
	src := open(t, c, "x")
	var now, most atomic.Int64
	var once sync.Once
	three := make(chan struct{})
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 3 {
			once.Do(func() { close(three) })
		}
		select { // the first wait for others
		case <-three:
		case <-time.After(time.Minute):
		}
		next.ServeHTTP(w, r)
	})
	var rs []arrowio.ByteRange
	for off := int64(0); off < 7<<20; off += 1200 << 10 {
		rs = append(rs, arrowio.ByteRange{Off: off, Len: 100})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 3 {
				got, err := arrowio.ReadRanges(t.Context(), src, rs)
				for i := range got {
					if !bytes.Equal(got[i], want[rs[i].Off:rs[i].End()]) {
						t.Error("wrong bytes")
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if most.Load() != 3 {
		t.Errorf("%d requests at once", most.Load())
	}
}
