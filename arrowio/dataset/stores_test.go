package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
)

const bucketURL = "s3://" + s3fake.Bucket + "/"

// s3Options returns options that read from a server.
func s3Options(t *testing.T, s *s3fake.Server) Options {
	t.Helper()
	o := stores.FromEnvironment()
	o.S3.Retry = stores.Retry{Attempts: 3, Wait: time.Millisecond}
	before := runtime.NumGoroutine()
	st := stores.New(o)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines are left, of %d", runtime.NumGoroutine(), before)
			}
		}
	})
	return Options{Formats: formats(), Stores: st}
}

// realFiles lists files of every format that the tree has.
func realFiles(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, format := range samples {
		out[testdata+name] = format
	}
	for _, pattern := range []string{"orc/java-2.3.1/*.orc", "trevni/java-1.12.1/*.trv", "avro/*/*.avro", "kudu/*/*.cfile", "kudu/*/*/*.cfile", "cfile/*.cfile", "cfile/*/*.cfile"} {
		files, err := filepath.Glob(testdata + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range files {
			if i%7 == 0 {
				out[f] = strings.TrimPrefix(strings.Replace(filepath.Ext(f), ".trv", ".trevni", 1), ".")
			}
		}
	}
	return out
}

// What is read from a store is what is read from the same file here, with every format.
func TestFormatsFromS3(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	read := map[string]bool{}
	for path, format := range realFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		key := "files/" + strings.TrimPrefix(path, testdata)
		s.Put(t, key, b)
		want, err := scanOf(t, path, Options{Formats: formats()})
		got, err2 := scanOf(t, bucketURL+key, o)
		if (err == nil) != (err2 == nil) || got != want {
			t.Errorf("%s: %v, %v, got\n%.300s\nwant\n%.300s", path, err, err2, got, want)
		}
		read[format] = read[format] || err == nil
	}
	for _, f := range []string{"orc", "trevni", "cfile", "ipc", "ipc-stream", "parquet", "avro", "csv", "jsonl"} {
		if !read[f] {
			t.Errorf("no file of %s was read", f)
		}
	}
}

// scanOf reads a file as lines, in one goroutine and in four.
func scanOf(t *testing.T, path string, o Options) (string, error) {
	t.Helper()
	f, err := Open(t.Context(), path, o)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var texts [2]string
	for i, jobs := range []int{1, 4} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		rr, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Parallelism: jobs, Allocator: mem})
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for rr.Next() {
			for k, c := range rr.Record().Columns() {
				for i := range c.Len() {
					fmt.Fprintf(&b, "%d %s\n", k, c.ValueStr(i))
				}
			}
		}
		rr.Release()
		mem.AssertSize(t, 0)
		if err := rr.Err(); err != nil {
			return "", err
		}
		texts[i] = b.String()
	}
	if texts[0] != texts[1] {
		t.Errorf("%s: four goroutines read something else", path)
	}
	return texts[0], nil
}

// What names mean does not depend on the store.
func TestExpandS3(t *testing.T) {
	dir := mixedTree(t)
	s := s3fake.New(t)
	o := s3Options(t, s)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		s.Put(t, "dir/"+filepath.ToSlash(rel), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Put(t, "dir/odd[1].csv", []byte("x\n1\n"))
	s.Put(t, "dir/empty", nil)
	put(t, filepath.Join(dir, "odd[1].csv"), "x\n1\n")
	for _, arg := range []string{"", "*.csv", ".h*", "s*", "notes.txt", "sub", "sub/", "?.csv", "*/c.csv", "*/*", "odd[1].csv", "odd[[]*", "[ab].csv", "_*"} {
		want, err := expand(t.Context(), []string{filepath.Join(dir, filepath.FromSlash(arg))}, Options{Formats: formats()})
		if err != nil {
			t.Fatalf("%s: %v", arg, err)
		}
		got, err := expand(t.Context(), []string{bucketURL + "dir/" + arg}, o)
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		for i := range want {
			rel, _ := filepath.Rel(dir, want[i])
			want[i] = bucketURL + "dir/" + filepath.ToSlash(rel)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: got %v, want %v", arg, got, want)
		}
	}
	for _, missing := range []string{"nothing", "nothing*", "no/thing.csv", "?SUCCESS", "no*/x", "none/*"} {
		if _, err := expand(t.Context(), []string{bucketURL + "dir/" + missing}, o); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if _, err := expand(t.Context(), []string{bucketURL + "dir/["}, o); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	if _, err := expand(t.Context(), []string{"s3://*/x"}, o); err == nil {
		t.Error("a pattern of buckets")
	}
}

// A table in a store: its listing is few requests, files are opened ahead, and those that a filter needs no row of not at
// all.
func TestPartitionsFromS3(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	const n = 60
	for i := range n {
		s.Put(t, fmt.Sprintf("t/d=2024-01-%02d/k=%d/f.csv", 1+i%20, i/20), fmt.Appendf(nil, "x\n%d\n", i))
	}
	s.Requests()
	var now, most, asked atomic.Int64
	var once sync.Once
	several := make(chan struct{})
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Header.Get("Range") != "" {
			m := now.Add(1)
			defer now.Add(-1)
			for v := most.Load(); m > v && !most.CompareAndSwap(v, m); v = most.Load() {
			}
			if m > 1 {
				once.Do(func() { close(several) })
			}
			if asked.Add(1) > 5 { // the first file is opened alone
				select {
				case <-several:
				case <-time.After(10 * time.Second):
				}
			}
		}
		next.ServeHTTP(w, r)
	})
	d := openTable(t, o, bucketURL+"t")
	if got := columnsOf(d.Schema); got != "x:int64 d:date32 k:int64" || len(d.Fragments) != n {
		t.Errorf("%s, %d", got, len(d.Fragments))
	}
	if r := len(s.Requests()); r > n+5 || most.Load() < 2 || most.Load() > openers {
		t.Errorf("%d requests, %d at once", r, most.Load())
	}
	const filter = "d = '2024-01-07' AND k >= 1"
	if got := scanRows(t, d, arrowio.ScanOptions{Filter: parse(t, filter)}); got != "26 2024-01-07 1\n46 2024-01-07 2\n" {
		t.Error(got)
	}
	if r := s.Requests(); len(r) != 2 {
		t.Errorf("a filtered scan asks %v", r)
	}
	o.Filter = parse(t, filter)
	d = openTable(t, o, bucketURL+"t/")
	if r := s.Requests(); len(r) > 2+4 {
		t.Errorf("a filtered dataset asks %v", r)
	}
	if got := scanRows(t, d, arrowio.ScanOptions{Filter: o.Filter}); got != "26 2024-01-07 1\n46 2024-01-07 2\n" {
		t.Error(got)
	}
	if got := scanRows(t, openTable(t, Options{Formats: formats(), Stores: o.Stores}, bucketURL+"t/d=*-0[12]/k=0/*.csv"), arrowio.ScanOptions{}); got != "0 2024-01-01 0\n1 2024-01-02 0\n" {
		t.Error(got)
	}
}

// Opening ahead changes neither which error is told nor what is left open.
func TestOpenAheadErrors(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	for i := range 30 {
		s.Put(t, fmt.Sprintf("t/%02d.csv", i), []byte("x\n1\n"))
	}
	inputs, err := List(t.Context(), bucketURL+"t", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []int{0, 1, 7, 29} {
		var mu sync.Mutex
		open := map[int]int{}
		failed := errors.New("no")
		_, err := New(t.Context(), inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
			if i >= bad {
				time.Sleep(time.Duration(30-i) * time.Millisecond / 10)
				return nil, fmt.Errorf("%d: %w", i, failed)
			}
			f, err := Open(ctx, inputs[i].Path, o)
			mu.Lock()
			defer mu.Unlock()
			open[i]++
			return closing{f, func() { mu.Lock(); open[i]--; mu.Unlock() }}, err
		})
		if !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), fmt.Sprintf("%st/%02d.csv: %d: ", bucketURL, bad, bad)) {
			t.Errorf("%d: %v", bad, err)
		}
		for i, n := range open {
			if n != 0 {
				t.Errorf("%d: file %d is open", bad, i)
			}
		}
	}
	_, err = New(t.Context(), inputs, o, func(context.Context, int) (arrowio.File, error) { panic("a bug") })
	if !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
	_, err = New(t.Context(), inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
		if i > 3 {
			panic("a bug")
		}
		return Open(ctx, inputs[i].Path, o)
	})
	if !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = New(ctx, inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
		if i == 5 {
			cancel()
		}
		return Open(ctx, inputs[i].Path, o)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type closing struct {
	arrowio.File
	closed func()
}

func (c closing) Close() error {
	c.closed()
	return c.File.Close()
}

// A file that is replaced while it is read gives an error, not a mixture.
func TestReplacedInS3(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	big := append([]byte("x,y\n"), []byte(strings.Repeat("1,2\n", 1<<20))...)
	s.Put(t, "x.csv", big)
	f, err := Open(t.Context(), bucketURL+"x.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rr, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Parallelism: 1, BatchRows: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	if !rr.Next() {
		t.Fatal(rr.Err())
	}
	s.Put(t, "x.csv", append([]byte("x,y\n"), []byte(strings.Repeat("3,4\n", 1<<20))...))
	for rr.Next() {
		if got := rr.Record().Column(0).ValueStr(0); got != "1" {
			t.Fatalf("a mixture: %s", got)
		}
	}
	if err := rr.Err(); !errors.Is(err, stores.ErrChanged) || !strings.Contains(err.Error(), bucketURL+"x.csv") {
		t.Error(err)
	}
}

func TestTreesFromS3(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	box := arrowio.Format{
		Name: "box",
		MatchTree: func(ctx context.Context, t arrowio.Tree) (bool, error) {
			entries, err := t.List(ctx, "")
			return err == nil && len(entries) > 0 && entries[0].Name == "box", err
		},
		OpenTree: func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			src, err := t.Open(ctx, "rows.csv")
			if err != nil {
				return nil, err
			}
			f, err := OpenOwned(ctx, src, "rows.csv", Options{Formats: formats()})
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	}
	o.Formats = append(formats(), box)
	for _, k := range []string{"k=1", "k=2"} {
		s.Put(t, "t/"+k+"/box", []byte("x"))
		s.Put(t, "t/"+k+"/rows.csv", []byte("x\n5\n"))
	}
	if got := scanRows(t, openTable(t, o, bucketURL+"t"), arrowio.ScanOptions{}); got != "5 1\n5 2\n" {
		t.Error(got)
	}
	if got, err := scanOf(t, bucketURL+"t/k=1", o); got != "0 5\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	at, err := treeAt(t.Context(), bucketURL+"t/k=1", o)
	if err != nil || at.format.Name != "box" || at.files.Path("rows.csv") != bucketURL+"t/k=1/rows.csv" {
		t.Errorf("%s, %v", at.format.Name, err)
	}
	if at, err := treeAt(t.Context(), bucketURL+"t", o); at.files != nil || err != nil {
		t.Error(err)
	}
	if _, err := Open(t.Context(), bucketURL+"t", o); !errors.Is(err, stores.ErrIsDirectory) {
		t.Error(err)
	}
	if _, err := Open(t.Context(), bucketURL+"none", o); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	// A format that opens paths opens those of this machine.
	o.Format = "kudu"
	if _, err := Open(t.Context(), bucketURL+"t", o); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "s3://") || !strings.Contains(err.Error(), "copy") {
		t.Error(err)
	}
	// Its small files are opened wherever they lie.
	s.Put(t, "server/instance", []byte("kuducntr\x02\x00\x00\x00"))
	f, err := Open(t.Context(), bucketURL+"server/instance", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil || f.Format() != "kudu" {
		t.Errorf("%s, %v", f.Format(), err)
	}
	if _, err := Open(t.Context(), bucketURL+"server/none", o); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
