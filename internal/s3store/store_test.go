package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/internal/workers"
)

func create(t *testing.T, c *Client, key string, o local.FileStoreOptions) arrowio.Store {
	t.Helper()
	st, err := c.Create(t.Context(), at(key), o)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// write makes an object in pieces of odd sizes.
func write(t *testing.T, st arrowio.Store, name string, b []byte) {
	t.Helper()
	k, err := st.Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for step := 1; len(b) > 0; step = step*3 + 1 {
		n, err := k.Write(b[:min(step, len(b))])
		if err != nil {
			t.Fatal(err)
		}
		b = b[n:]
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

func keys(t *testing.T, s *s3fake.Server) string {
	t.Helper()
	return strings.Join(slices.Sorted(maps.Keys(s.Objects(t))), " ")
}

// uploads lists what is not completed.
func uploads(t *testing.T, c *Client) []string {
	t.Helper()
	s, err := c.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range s.api.ListIncompleteUploads(t.Context(), s3fake.Bucket, "", true) {
		if i.Err != nil {
			t.Fatal(i.Err)
		}
		out = append(out, i.Key)
	}
	return out
}

func TestOneObject(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s, func(o *Options) { o.PartBytes = 5 << 20 })
	for _, size := range []int{0, 1, 1000, 5 << 20, 5<<20 + 1, 17 << 20} {
		want := randomBytes(size)
		key := fmt.Sprintf("dir/out-%d", size)
		st := create(t, c, key, local.FileStoreOptions{})
		write(t, st, "part-00000.x", want)
		if got := keys(t, s); strings.Contains(got, key) {
			t.Errorf("%d bytes: visible before Commit: %s", size, got)
		}
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := s.Objects(t)[key]; !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d came", size, len(got))
		}
		if err := st.Commit(); err == nil {
			t.Error("committed twice")
		}
		if err := st.Abort(); err != nil { // does nothing
			t.Error(err)
		}
		if _, err := st.Create(t.Context(), "late"); err == nil {
			t.Error("created after Commit")
		}
	}
	if n := len(s.Objects(t)); n != 6 {
		t.Errorf("%d objects", n)
	}
	if left := uploads(t, c); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSeveralObjects(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s)
	// A second object makes the output a directory, whatever became of the first.
	st := create(t, c, "out", local.FileStoreOptions{})
	big := randomBytes(20 << 20)
	write(t, st, "part-00000.x", big)
	write(t, st, "part-00001.x", []byte("two"))
	if got := keys(t, s); got != "" {
		t.Errorf("visible: %s", got)
	}
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, s); got != "out/part-00000.x out/part-00001.x" || !bytes.Equal(s.Objects(t)["out/part-00000.x"], big) {
		t.Errorf("got %s", got)
	}

	// A directory has one even for one object, or none.
	for _, key := range []string{"dir/", "dir2"} {
		st = create(t, c, key, local.FileStoreOptions{Directory: key == "dir2"})
		write(t, st, "sub/x", []byte("x"))
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, s); !strings.Contains(got, strings.TrimSuffix(key, "/")+"/sub/x") {
			t.Errorf("got %s", got)
		}
	}
	st = create(t, c, "empty", local.FileStoreOptions{Directory: true})
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Stat(t.Context(), at("empty")); err != nil || !e.Dir {
		t.Errorf("%+v, %v", e, err)
	}

	// schema.json comes last.
	s.Requests()
	st = create(t, c, "set", local.FileStoreOptions{Directory: true})
	for _, n := range []string{"schema.json", "a.cfile", "b.cfile"} {
		write(t, st, n, []byte(n))
	}
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range s.Requests() {
		if r.Method == http.MethodPost && strings.HasPrefix(r.Query, "uploadId") {
			order = append(order, r.Key)
		}
	}
	if got := strings.Join(order, " "); got != "set/a.cfile set/b.cfile set/schema.json" {
		t.Errorf("order %s", got)
	}
}

func TestExists(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s)
	s.Put(t, "one", []byte("old"))
	s.Put(t, "many/part-00000.x", []byte("old"))
	s.Put(t, "many/schema.json", []byte("old"))
	s.Put(t, "many/a.cfile", []byte("old"))
	s.Put(t, "many/", nil)
	s.Put(t, "other/part-00000.x", []byte("old"))
	s.Put(t, "other/notes.txt", []byte("old"))
	for _, key := range []string{"one", "many", "many/", "other"} {
		if _, err := c.Create(t.Context(), at(key), local.FileStoreOptions{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := c.Create(t.Context(), at("other/"), local.FileStoreOptions{Force: true}); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Error(err)
	}
	s.Put(t, "by/b=false/c=1/part-00000.orc", []byte("1"))
	s.Put(t, "by/b=true/c=2/part-00000.orc", []byte("2"))
	s.Put(t, "mixed/b=true/part-00000.orc", []byte("3"))
	s.Put(t, "mixed/b=true/notes.txt", []byte("4"))
	st := create(t, c, "by", local.FileStoreOptions{Force: true, Directory: true})
	write(t, st, "d=x/part-00000.orc", []byte("5"))
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Create(t.Context(), at("mixed"), local.FileStoreOptions{Force: true, Directory: true})
	if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), `"b=true/notes.txt"`) {
		t.Error(err)
	}
	for _, bad := range []string{"s3://bucket", "s3://bucket/", "s3://bucket//"} {
		if _, err := c.Create(t.Context(), bad, local.FileStoreOptions{}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := c.Create(t.Context(), "s3://none/x", local.FileStoreOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	force := local.FileStoreOptions{Force: true}
	// One object in the place of one, and many in that of many.
	for _, key := range []string{"one", "many/"} {
		st := create(t, c, key, force)
		write(t, st, "part-00000.x", []byte("new "+key))
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	// One replaces no directory, be it empty, and a directory no object.
	s.Put(t, "empty/", nil)
	before := keys(t, s)
	if want := "by/d=x/part-00000.orc empty/ many/part-00000.x mixed/b=true/notes.txt mixed/b=true/part-00000.orc one other/notes.txt other/part-00000.x"; before != want {
		t.Errorf("got %s", before)
	}
	for _, key := range []string{"many", "empty", "other", "one/"} {
		if _, err := c.Create(t.Context(), at(key), force); !errors.Is(err, local.ErrOtherKind) {
			t.Errorf("%s: %v", key, err)
		}
	}
	st = create(t, c, "one", force)
	write(t, st, "part-00000.x", []byte("a"))
	if _, err := st.Create(t.Context(), "part-00001.x"); !errors.Is(err, local.ErrOtherKind) {
		t.Error(err)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	st = create(t, c, "lately", force)
	write(t, st, "part-00000.x", []byte("a"))
	s.Put(t, "lately/", nil)
	if err := st.Commit(); !errors.Is(err, local.ErrOtherKind) {
		t.Error(err)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got := strings.Replace(keys(t, s), " lately/", "", 1); got != before {
		t.Errorf("got %s", got)
	}
	// It appeared meanwhile.
	st = create(t, c, "late", local.FileStoreOptions{})
	write(t, st, "part-00000.x", []byte("mine"))
	s.Put(t, "late", []byte("theirs"))
	if err := st.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got := string(s.Objects(t)["late"]); got != "theirs" {
		t.Error(got)
	}
	if left := uploads(t, c); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestAbort(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s, func(o *Options) { o.PartBytes = 5 << 20 })
	st := create(t, c, "out", local.FileStoreOptions{})
	write(t, st, "a", randomBytes(12<<20))
	k, err := st.Create(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(randomBytes(12 << 20)); err != nil {
		t.Fatal(err)
	}
	if err := st.Commit(); err == nil {
		t.Error("committed though an object is open")
	}
	if len(uploads(t, c)) == 0 {
		t.Error("nothing was uploaded yet")
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if _, err := k.Write([]byte("x")); err == nil {
		t.Error("written after Abort")
	}
	if err := k.Close(); err == nil {
		t.Error("closed after Abort")
	}
	if err := st.Commit(); err == nil {
		t.Error("committed after Abort")
	}
	if got, left := keys(t, s), uploads(t, c); got != "" || len(left) > 0 {
		t.Errorf("left: %s, %v", got, left)
	}
	if _, err := create(t, c, "out", local.FileStoreOptions{}).Create(t.Context(), "../x"); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
}

// Errors of uploads pass, or give the output up.
func TestUploadErrors(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s, func(o *Options) { o.PartBytes = 5 << 20 })
	want := randomBytes(12 << 20)
	var n atomic.Int64
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if n.Add(1)%2 == 0 {
			s3fake.Refuse(w, 503, "SlowDown")
			return
		}
		next.ServeHTTP(w, r)
	})
	st := create(t, c, "out", local.FileStoreOptions{})
	write(t, st, "a", want)
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	s.Fault(nil)
	if !bytes.Equal(s.Objects(t)["out"], want) {
		t.Error("wrong bytes")
	}

	st = create(t, c, "out2", local.FileStoreOptions{})
	k, err := st.Create(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut {
			s3fake.Refuse(w, 403, "AccessDenied")
			return
		}
		next.ServeHTTP(w, r)
	})
	_, err = k.Write(want)
	err = errors.Join(err, k.Close())
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), at("out2")) {
		t.Error(err)
	}
	if err := st.Commit(); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	s.Fault(nil)
	if err := st.Abort(); err != nil {
		t.Error(err)
	}

	// Half of several objects are completed when it fails: they are taken back.
	st = create(t, c, "out3", local.FileStoreOptions{})
	for _, name := range []string{"a", "b", "c"} {
		write(t, st, name, []byte(name))
	}
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/c") {
			s3fake.Refuse(w, 403, "AccessDenied")
			return
		}
		next.ServeHTTP(w, r)
	})
	if err := st.Commit(); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	s.Fault(nil)
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got, left := keys(t, s), uploads(t, c); got != "out" || len(left) > 0 {
		t.Errorf("left: %s, %v", got, left)
	}
}

// The answer to a completed upload gets lost: asked again, the store knows the upload no more.
func TestLostAnswer(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s)
	st := create(t, c, "out", local.FileStoreOptions{})
	write(t, st, "a", []byte("bytes"))
	var n atomic.Int64
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost && n.Add(1) == 1 {
			next.ServeHTTP(&recorder{header: http.Header{}}, r)
			s3fake.Break(w)
			return
		}
		next.ServeHTTP(w, r)
	})
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := string(s.Objects(t)["out"]); got != "bytes" || n.Load() < 2 {
		t.Errorf("%q after %d requests", got, n.Load())
	}
}

// The context of Create ends uploads.
func TestUploadCancelled(t *testing.T) {
	s := s3fake.New(t)
	c := newClient(t, s, func(o *Options) { o.PartBytes = 5 << 20 })
	st := create(t, c, "out", local.FileStoreOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	k, err := st.Create(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut {
			cancel()
			<-ended
			return
		}
		next.ServeHTTP(w, r)
	})
	start := time.Now()
	_, err = k.Write(randomBytes(30 << 20))
	err = errors.Join(err, k.Close())
	if !errors.Is(err, context.Canceled) || time.Since(start) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	s.Fault(nil)
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got, left := keys(t, s), uploads(t, c); got != "" || len(left) > 0 {
		t.Errorf("left: %s, %v", got, left)
	}
}

func TestScratch(t *testing.T) {
	s := s3fake.New(t)
	f, err := create(t, newClient(t, s), "out", local.FileStoreOptions{}).Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// brokenFile panics where a part is read back, as a bug on the way to the store would.
type brokenFile struct{ arrowio.ScratchFile }

func (brokenFile) ReadAt([]byte, int64) (int, error) { panic("oh") }

// A panic of an upload is an error of the object: it is in a goroutine where nobody else could recover it.
func TestUploadPanics(t *testing.T) {
	if workers.Debug {
		return // panics go on
	}
	s := s3fake.New(t)
	st := create(t, newClient(t, s), "out", local.FileStoreOptions{})
	w, err := st.Create(t.Context(), "part-00000.x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("some")); err != nil {
		t.Fatal(err)
	}
	k := w.(*sink)
	k.part.f = brokenFile{k.part.f}
	if err := w.Close(); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
}
