// Store-bench serves a folder as a bucket of S3 that is far away: each request waits, each connection has a rate, and so may all of them
// together. It reads, lists and counts, and that is all.
//
//	store-bench -dir DIR [-listen ADDRESS] [-wait 30ms] [-rate 100000000] [-link 0] [-v]
//
// GET /-/counts answers {"requests", "gets", "bytes", "deepest"} since it was last asked: deepest is how many requests, at least, were made
// one after the other.
package main

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

type counts struct {
	Requests int   `json:"requests"`
	Gets     int   `json:"gets"`
	Bytes    int64 `json:"bytes"`
	Deepest  int   `json:"deepest"`
}

type server struct {
	dir  string
	wait time.Duration
	rate float64 // bytes a second of a connection
	link float64 // bytes a second of all connections; 0 = no limit

	verbose bool

	mu   sync.Mutex
	seen counts
	done int       // the most requests, one after the other, that have ended
	free time.Time // when the link will have carried what was written to it
}

func main() {
	log.SetFlags(0)
	s := &server{}
	listen := flag.String("listen", "127.0.0.1:9090", "the address")
	flag.StringVar(&s.dir, "dir", "", "the folder")
	flag.DurationVar(&s.wait, "wait", 30*time.Millisecond, "how long each request waits")
	flag.Float64Var(&s.rate, "rate", 100e6, "bytes a second of a connection")
	flag.Float64Var(&s.link, "link", 0, "bytes a second of all connections together; 0 = no limit")
	flag.BoolVar(&s.verbose, "v", false, "log requests")
	flag.Parse()
	log.Fatal((&http.Server{Addr: *listen, Handler: s, ReadHeaderTimeout: time.Minute}).ListenAndServe())
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/-/counts" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := json.NewEncoder(w).Encode(s.seen); err != nil {
			log.Print(err)
		}
		s.seen, s.done = counts{}, 0
		return
	}
	depth := s.begin(r.Method)
	defer s.end(depth)
	if s.verbose {
		log.Printf("%s %s?%s %s", r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Range"))
	}
	time.Sleep(s.wait)
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.URL.Query().Has("location") {
		fmt.Fprint(w, `<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></LocationConstraint>`)
		return
	}
	if key == "" || r.URL.Query().Get("list-type") == "2" {
		s.list(w, r)
		return
	}
	f, err := os.Open(filepath.Join(s.dir, filepath.FromSlash(key)))
	if err == nil {
		defer f.Close()
		var fi fs.FileInfo
		if fi, err = f.Stat(); err == nil && fi.Mode().IsRegular() {
			w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, fi.Size(), fi.ModTime().UnixNano()))
			http.ServeContent(&slow{w, s}, r, "", fi.ModTime(), f)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	if r.Method == http.MethodGet {
		fmt.Fprint(w, `<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>`)
	}
}

func (s *server) begin(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Requests++
	if method == http.MethodGet {
		s.seen.Gets++
	}
	s.seen.Deepest = max(s.seen.Deepest, s.done+1)
	return s.done + 1
}

func (s *server) end(depth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = max(s.done, depth)
}

// slow writes no faster than the rate.
type slow struct {
	http.ResponseWriter
	s *server
}

func (w *slow) Write(b []byte) (n int, err error) {
	const piece = 64 << 10
	for len(b) > 0 && err == nil {
		start := time.Now()
		var k int
		k, err = w.ResponseWriter.Write(b[:min(piece, len(b))])
		n, b = n+k, b[k:]
		time.Sleep(max(time.Duration(float64(k)/w.s.rate*1e9)-time.Since(start), w.s.sent(k)))
	}
	return n, err
}

// sent counts bytes and returns how long the link has yet to carry what was written to it.
func (s *server) sent(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Bytes += int64(n)
	if s.link == 0 {
		return 0
	}
	now := time.Now()
	if s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(time.Duration(float64(n) / s.link * 1e9))
	return s.free.Sub(now)
}

// ReadFrom hides that of the writer below, which would go around Write.
func (w *slow) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{w}, r) }

// list answers ListObjectsV2.
func (s *server) list(w http.ResponseWriter, r *http.Request) {
	type object struct {
		Key          string
		Size         int64
		LastModified string
		ETag         string
	}
	type prefix struct{ Prefix string }
	out := struct {
		XMLName        xml.Name `xml:"ListBucketResult"`
		IsTruncated    bool
		Contents       []object
		CommonPrefixes []prefix
	}{}
	q := r.URL.Query()
	start, delimiter := q.Get("prefix"), q.Get("delimiter")
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		key := filepath.ToSlash(rel)
		rest, ok := strings.CutPrefix(key, start)
		if !ok {
			return nil
		}
		if head, _, cut := strings.Cut(rest, delimiter); delimiter != "" && cut {
			p := prefix{start + head + delimiter}
			if !slices.Contains(out.CommonPrefixes, p) {
				out.CommonPrefixes = append(out.CommonPrefixes, p)
			}
			return nil
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		out.Contents = append(out.Contents, object{key, fi.Size(), fi.ModTime().UTC().Format(time.RFC3339), fmt.Sprintf(`"%x-%x"`, fi.Size(), fi.ModTime().UnixNano())})
		return nil
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if err := xml.NewEncoder(w).Encode(out); err != nil {
		log.Print(err)
	}
}
