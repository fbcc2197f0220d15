package s3fake

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
)

// Bucket is the one that every server has.
const Bucket = "bucket"

// Server is a running server.
type Server struct {
	URL string

	backend gofakes3.Backend
	mu      sync.Mutex
	log     []Request
	fault   func(w http.ResponseWriter, r *http.Request, next http.Handler)
	plain   bool
}

// Request is one that was made.
type Request struct {
	Method, Key string // the key without the bucket
	Range       string
	Query       string
}

func (r Request) String() string {
	s := r.Method + " " + r.Key
	if r.Query != "" {
		s += "?" + r.Query
	}
	if r.Range != "" {
		s += " " + r.Range
	}
	return s
}

// waitLess has minio-go try again at once: tests make it fail often.
var waitLess = sync.OnceFunc(func() { minio.DefaultRetryUnit = time.Millisecond })

// New starts a server, which ends with the test, and points the environment of the process to it.
func New(t testing.TB) *Server {
	t.Helper()
	waitLess()
	s := &Server{backend: s3mem.New()}
	if err := s.backend.CreateBucket(Bucket); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(s.backend, gofakes3.WithTimeSkewLimit(0)).Server()
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, fake) }))
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // connections that are broken on purpose
	h.Start()
	t.Cleanup(h.Close)
	s.URL = h.URL
	if t, ok := t.(interface{ Setenv(key, value string) }); ok {
		for k, v := range map[string]string{
			"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": s.URL, "AWS_ENDPOINT_URL_S3": "",
			"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
			"AWS_SESSION_TOKEN": "", "AWS_EC2_METADATA_DISABLED": "true", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
		} {
			t.Setenv(k, v)
		}
	}
	return s
}

// Plain leaves gofakes3 as it is: it looks at no conditions, and answers no range that is longer than the object.
func (s *Server) Plain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain = true
}

// Fault has every request go through f, which may pass it on to next; nil = none does any more.
func (s *Server) Fault(f func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

func keyOf(r *http.Request) string {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return key
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, fake http.Handler) {
	s.mu.Lock()
	s.log = append(s.log, Request{r.Method, keyOf(r), r.Header.Get("Range"), r.URL.RawQuery})
	fault, plain := s.fault, s.plain
	s.mu.Unlock()
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if plain || s.mannered(w, r) {
			fake.ServeHTTP(w, r)
		}
	})
	if fault != nil {
		fault(w, r, next)
		return
	}
	next.ServeHTTP(w, r)
}

// mannered checks conditions and makes ranges what gofakes3 takes; false = it has answered.
func (s *Server) mannered(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || r.URL.RawQuery != "" || keyOf(r) == "" {
		return true
	}
	o, err := s.backend.HeadObject(Bucket, keyOf(r))
	if err != nil {
		return true
	}
	if want := r.Header.Get("If-Match"); want != "" && want != fmt.Sprintf(`"%x"`, o.Hash) {
		Refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return false
	}
	if n, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes=-"); ok {
		if n, err := strconv.ParseInt(n, 10, 64); err == nil && n >= o.Size && o.Size > 0 {
			r.Header.Set("Range", "bytes=0-")
		}
	}
	return true
}

// Refuse answers with an error as S3 does.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>made up</Message></Error>", code)
}

// Break ends the connection of a request without an answer, or in the middle of one.
func Break(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			_ = c.Close() // that is what is wanted
		}
	}
}

// Put makes an object.
func (s *Server) Put(t testing.TB, key string, b []byte) {
	t.Helper()
	if _, err := s.backend.PutObject(Bucket, key, map[string]string{"Last-Modified": "Mon, 02 Jan 2006 15:04:05 GMT"}, bytes.NewReader(b), int64(len(b)), nil); err != nil {
		t.Fatal(err)
	}
}

// Delete removes an object.
func (s *Server) Delete(t testing.TB, key string) {
	t.Helper()
	if _, err := s.backend.DeleteObject(Bucket, key); err != nil {
		t.Fatal(err)
	}
}

// Objects returns what the bucket holds, by key.
func (s *Server) Objects(t testing.TB) map[string][]byte {
	t.Helper()
	list, err := s.backend.ListBucket(Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, c := range list.Contents {
		o, err := s.backend.GetObject(Bucket, c.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		out[c.Key], err = io.ReadAll(o.Contents)
		if err := o.Contents.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Requests returns what was asked since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.log
	s.log = nil
	return out
}
