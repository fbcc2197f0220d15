package hdfsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/sinkblocks"
)

const root = "hdfs://nn:9000"

func testBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(b)
	return b
}

func open(t *testing.T, c *Client, path string) *remote.Source {
	t.Helper()
	src, err := c.Open(t.Context(), root+path)
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

func TestLocation(t *testing.T) {
	for url, want := range map[string]location{
		"hdfs://nn:9000/a/b": {"nn:9000", "/a/b"}, "hdfs:///a": {"", "/a"}, "hdfs://ns": {"ns", "/"}, "hdfs://ns/": {"ns", "/"},
		"hdfs://nn/a//b/": {"nn", "/a/b"}, "hdfs://nn/a%20b#c?": {"nn", "/a%20b#c?"},
	} {
		if got, err := parse(url); err != nil || got != want {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
	for _, bad := range []string{"hdfs:/x", "hdfs://u@nn/x", "hdfs://nn/../x", "hdfs://nn/a/./x"} {
		if _, err := parse(bad); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestRead(t *testing.T) {
	f := newFake()
	want := testBytes(20 << 20)
	f.put("/d/big", want)
	f.put("/d/empty", nil)
	c := newClient(t, f)
	src := open(t, c, "/d/big")
	got, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal(err)
	}
	if f.opened > 2 {
		t.Errorf("%d readers, to read from front to back", f.opened)
	}
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 20 {
				off, n := r.IntN(len(want)), r.IntN(3<<20)
				n = min(n, len(want)-off)
				got, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: int64(off), Len: int64(n)}})
				if err != nil || !bytes.Equal(got[0], want[off:off+n]) {
					t.Errorf("%d at %d: %v", n, off, err)
				}
			}
		}()
	}
	wg.Wait()
	if f.open > idleReaders {
		t.Errorf("%d readers are kept", f.open)
	}
	if n, err := open(t, c, "/d/empty").ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
}

func TestNotThere(t *testing.T) {
	f := newFake()
	f.put("/d/x", []byte("x"))
	c := newClient(t, f)
	ctx := t.Context()
	for url, is := range map[string]error{root + "/none": fs.ErrNotExist, root + "/d": remote.ErrIsDirectory, root + "/": remote.ErrIsDirectory} {
		_, err := c.Open(ctx, url)
		var pe *fs.PathError
		if !errors.Is(err, is) || !errors.As(err, &pe) || pe.Path != url {
			t.Errorf("%s: %v", url, err)
		}
	}
	e, err := c.Stat(ctx, root+"/d/x")
	if err != nil || e.Name != "x" || e.Size != 1 || e.Version == "" || e.ModTime.IsZero() {
		t.Errorf("%+v, %v", e, err)
	}
	f.fault = func(op, path string) error { return &fs.PathError{Op: op, Path: path, Err: fs.ErrPermission} }
	if _, err := c.Open(ctx, root+"/d/x"); !errors.Is(err, fs.ErrPermission) || strings.Count(err.Error(), "/d/x") != 1 {
		t.Error(err)
	}
	if _, err := c.Stat(ctx, "hdfs://other/x"); !errors.Is(err, remote.ErrUnavailable) || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}

// Reads that break off go on elsewhere; when all do, the error says where.
func TestBrokenReads(t *testing.T) {
	f := newFake()
	want := testBytes(2 << 20)
	f.put("/x", want)
	c := newClient(t, f)
	src := open(t, c, "/x")
	f.broken = 3
	got, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1000, Len: 1_500_000}})
	if err != nil || !bytes.Equal(got[0], want[1000:1_501_000]) {
		t.Error(err)
	}
	f.fault = func(op, _ string) error {
		if op == "read" {
			return errors.New("no route")
		}
		return nil
	}
	_, err = arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1000, Len: 300_000}})
	var fail *remote.Failure
	if !errors.Is(err, remote.ErrUnavailable) || !errors.As(err, &fail) || fail.Off != 1000 || fail.Attempts != 4 || !strings.Contains(err.Error(), root+"/x at 1000") && !strings.Contains(err.Error(), root+"/x: at 1000") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: 0, Len: 10}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What takes the file's place, or is written to it, is never read as the file.
func TestReplaced(t *testing.T) {
	for _, read := range []bool{false, true} { // before, or something was read already
		for name, change := range map[string]func(f *fake){
			"replaced": func(f *fake) { f.put("/x", make([]byte, 1<<20)) },
			"shorter":  func(f *fake) { f.put("/x", make([]byte, 10)) },
			"longer":   func(f *fake) { f.put("/x", make([]byte, 2<<20)) },
			"removed":  func(f *fake) { _ = f.RemoveAll("/x") },
		} {
			f := newFake()
			f.put("/x", testBytes(1<<20))
			c := newClient(t, f)
			src := open(t, c, "/x")
			before, err := src.Identity(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if read {
				if _, err := src.ReadAt(make([]byte, 10), 0); err != nil {
					t.Fatal(err)
				}
			}
			change(f)
			f.broken = 1 // whatever reader there is, another is needed
			_, err = arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 500_000, Len: 300_000}})
			if !errors.Is(err, remote.ErrChanged) {
				t.Errorf("%s, read %v: %v", name, read, err)
			}
			if after, err := src.Identity(t.Context()); err == nil && after == before {
				t.Errorf("%s: the same identity", name)
			}
		}
	}
}

// It is replaced between opening and the first read, which asks by the path.
func TestReplacedAtFirstRead(t *testing.T) {
	f := newFake()
	f.put("/x", testBytes(1<<20))
	src := open(t, newClient(t, f), "/x")
	f.put("/x", make([]byte, 1<<20))
	if _, err := src.ReadAt(make([]byte, 10), 0); !errors.Is(err, remote.ErrChanged) {
		t.Error(err)
	}
}

func TestTree(t *testing.T) {
	f := newFake()
	for _, n := range []string{"/t/b", "/t/a/x", "/t/a/y/z", "/u"} {
		f.put(n, []byte(n))
	}
	c := newClient(t, f)
	tree, err := c.Tree(root + "/t/")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, dir := range []string{"", "a", "a/y"} {
		entries, err := tree.List(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got = append(got, fmt.Sprint(e.Name, " ", e.Dir, " ", e.Size))
		}
	}
	if s := strings.Join(got, ", "); s != "a true 0, b false 4, x false 6, y true 0, z false 8" {
		t.Error(s)
	}
	src, err := tree.Open(t.Context(), "a/y/z")
	if err != nil {
		t.Fatal(err)
	}
	if src.Size() != 8 {
		t.Error(src.Size())
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if got := tree.Path("a/x"); got != root+"/t/a/x" {
		t.Error(got)
	}
	if _, err := tree.List(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, name := range []string{"..", "/u", "a//x", "."} {
		if _, err := tree.Open(t.Context(), name); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
		if _, err := tree.List(t.Context(), name); !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
	}
}

func create(t *testing.T, c *Client, path string, o local.FileStoreOptions) arrowio.Store {
	t.Helper()
	st, err := c.Create(t.Context(), root+path, o)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func write(t *testing.T, st arrowio.Store, name string, b []byte) {
	t.Helper()
	k, err := st.Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file has the cluster's blocks, or those that were asked for before the first byte, of which sizes are rounded up; the cluster's
// refusal names the file.
func TestBlocks(t *testing.T) {
	f := newFake()
	c := newClient(t, f)
	st := create(t, c, "/dir/", local.FileStoreOptions{Directory: true})
	for name, x := range map[string]struct{ ask, want int64 }{"own": {0, 64}, "exact": {128, 128}, "rounded": {129, 136}, "tiny": {1, 8}} {
		k, err := st.Create(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		b := sinkblocks.Of(k)
		if got := b.BlockBytes(); got != 64 {
			t.Errorf("blocks of %d bytes", got)
		}
		if x.ask > 0 {
			if err := b.SetBlockBytes(x.ask); err != nil || b.BlockBytes() != x.want {
				t.Errorf("%d becomes %d: %v", x.ask, b.BlockBytes(), err)
			}
		}
		_, err = k.Write(make([]byte, 100))
		if e := b.SetBlockBytes(8); !errors.Is(e, errs.ErrInternal) {
			t.Errorf("after the first byte: %v", e)
		}
		if err = errors.Join(err, k.Close()); (err != nil) != (x.want < 16) {
			t.Errorf("%s: %v", name, err)
		} else if err != nil && (!strings.Contains(err.Error(), "blocks of 8 bytes") || !strings.Contains(err.Error(), "create "+root+"/dir")) {
			t.Error(err)
		}
		for path, n := range f.nodes {
			if strings.HasSuffix(path, "/"+name) && n.block != x.want {
				t.Errorf("%s has blocks of %d bytes", name, n.block)
			}
		}
		for _, n := range []int64{0, -1, math.MaxInt64} {
			if err := b.SetBlockBytes(n); err == nil {
				t.Errorf("blocks of %d bytes", n)
			}
		}
	}
	if err := st.Commit(); err == nil {
		t.Error("committed without a file that could not be created")
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	f := newFake()
	f.put("/out/other", nil)
	c := newClient(t, f)
	for _, x := range []struct {
		path  string
		o     local.FileStoreOptions
		names []string
		want  string
	}{
		{"/out/one", local.FileStoreOptions{}, []string{"part-00000.x"}, "/out/one /out/other"},
		{"/out/two", local.FileStoreOptions{}, []string{"part-00000.x", "part-00001.x"}, "/out/one /out/other /out/two/part-00000.x /out/two/part-00001.x"},
		{"/out/dir/", local.FileStoreOptions{}, []string{"sub/x"}, "/out/dir/sub/x /out/one /out/other /out/two/part-00000.x /out/two/part-00001.x"},
		{"/out/two", local.FileStoreOptions{Force: true, Directory: true}, []string{"schema.json", "a.cfile"}, "/out/dir/sub/x /out/one /out/other /out/two/a.cfile /out/two/schema.json"},
		{"/out/two", local.FileStoreOptions{Force: true, Directory: true}, nil, "/out/dir/sub/x /out/one /out/other"},
		{"/out/one", local.FileStoreOptions{Force: true}, []string{"x"}, "/out/dir/sub/x /out/one /out/other"},
	} {
		st := create(t, c, x.path, x.o)
		before := f.names()
		for _, n := range x.names {
			write(t, st, n, []byte(n+x.path))
		}
		if got := f.names(); x.names != nil && !strings.Contains(got, "/.") || strings.ReplaceAll(got, "/.", "") == before && x.names != nil {
			t.Errorf("%s: before Commit %s", x.path, got)
		}
		if err := st.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := f.names(); got != x.want {
			t.Errorf("%s: got %s", x.path, got)
		}
		if err := st.Commit(); err == nil {
			t.Error("committed twice")
		}
		if err := st.Abort(); err != nil {
			t.Error(err)
		}
		if _, err := st.Create(t.Context(), "late"); err == nil {
			t.Error("created after Commit")
		}
	}
	if b := f.nodes["/out/one"].b; string(b) != "x/out/one" {
		t.Errorf("%s", b)
	}
	for path, is := range map[string]error{"/out/one": fs.ErrExist, "/out/dir": fs.ErrExist, "/none/x": fs.ErrNotExist, "/": errs.ErrOption} {
		if _, err := c.Create(t.Context(), root+path, local.FileStoreOptions{}); !errors.Is(err, is) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.Create(t.Context(), root+"/out/dir/", local.FileStoreOptions{Force: true}); err == nil || !strings.Contains(err.Error(), `"sub"`) {
		t.Error(err)
	}
	f.put("/out/by/b=true/c=1/part-00000.orc", nil)
	f.put("/out/by/b=false/c=2/part-00000.orc", nil)
	by := create(t, c, "/out/by", local.FileStoreOptions{Force: true, Directory: true})
	write(t, by, "d=1/part-00000.orc", []byte("x"))
	if err := by.Commit(); err != nil || strings.Contains(f.names(), "b=") || !strings.Contains(f.names(), "/out/by/d=1/part-00000.orc") {
		t.Error(err, f.names())
	}
	f.put("/out/by/d=1/notes.txt", nil)
	_, err := c.Create(t.Context(), root+"/out/by", local.FileStoreOptions{Force: true, Directory: true})
	if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), `"d=1/notes.txt"`) {
		t.Error(err)
	}
	if _, err := c.Create(t.Context(), root+"/out/one/x", local.FileStoreOptions{}); err == nil {
		t.Error("below a file")
	}
	// A file replaces no directory, and a directory no file.
	for path, directory := range map[string]bool{"/out/two": false, "/out/dir": false, "/out/one": true, "/out/one/": false} {
		if _, err := c.Create(t.Context(), root+path, local.FileStoreOptions{Force: true, Directory: directory}); !errors.Is(err, local.ErrOtherKind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	second := create(t, c, "/out/one", local.FileStoreOptions{Force: true})
	write(t, second, "x", []byte("1"))
	if _, err := second.Create(t.Context(), "y"); !errors.Is(err, local.ErrOtherKind) {
		t.Error(err)
	}
	if err := second.Abort(); err != nil {
		t.Error(err)
	}
	// It appeared meanwhile.
	st := create(t, c, "/out/late", local.FileStoreOptions{})
	write(t, st, "x", []byte("mine"))
	f.put("/out/late", []byte("theirs"))
	if err := st.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got := f.names(); string(f.nodes["/out/late"].b) != "theirs" || strings.Contains(got, "/.") {
		t.Error(got)
	}
}

func TestOutputAbort(t *testing.T) {
	f := newFake()
	f.put("/out/other", nil)
	c := newClient(t, f)
	st := create(t, c, "/out/x", local.FileStoreOptions{})
	write(t, st, "a", []byte("a"))
	k, err := st.Create(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Commit(); err == nil {
		t.Error("committed though a file is open")
	}
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if _, err := k.Write([]byte("x")); err == nil {
		t.Error("written after Abort")
	}
	if got := f.names(); got != "/out/other" {
		t.Error(got)
	}
	// Errors of writing stay, and Commit tells them.
	st = create(t, c, "/out/x", local.FileStoreOptions{})
	if k, err = st.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	f.fault = func(op, _ string) error {
		if op == "write" {
			return errors.New("disk full")
		}
		return nil
	}
	_, err = k.Write(make([]byte, 1<<20))
	err2 := k.Close()
	err3 := st.Commit()
	for _, err := range []error{err, err2, err3} {
		if err == nil || !strings.Contains(err.Error(), "disk full") || !strings.Contains(err.Error(), root+"/out/x") {
			t.Error(err)
		}
	}
	f.fault = nil
	if err := st.Abort(); err != nil || f.names() != "/out/other" {
		t.Error(err, f.names())
	}
	// A rename that fails puts back what it had moved aside.
	f.put("/out/dir/part-0", []byte("old"))
	st = create(t, c, "/out/dir", local.FileStoreOptions{Force: true, Directory: true})
	write(t, st, "part-0", []byte("new"))
	n := 0
	f.fault = func(op, _ string) error {
		if op == "rename" {
			if n++; n == 2 {
				return fs.ErrPermission
			}
		}
		return nil
	}
	if err := st.Commit(); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	f.fault = nil
	if err := st.Abort(); err != nil {
		t.Error(err)
	}
	if got := f.names(); got != "/out/dir/part-0 /out/other" || string(f.nodes["/out/dir/part-0"].b) != "old" {
		t.Error(got)
	}
	if s, err := create(t, c, "/out/s", local.FileStoreOptions{}).Scratch(); err != nil {
		t.Error(err)
	} else if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A rename whose answer is lost was obeyed, or not.
func TestLostRename(t *testing.T) {
	f := newFake()
	f.put("/out/other", nil)
	c := newClient(t, f)
	st := create(t, c, "/out/x", local.FileStoreOptions{})
	write(t, st, "a", []byte("a"))
	f.fault = func(op, path string) error {
		if op == "rename" {
			f.fault = nil
			f.nodes[path] = &node{id: 99, b: []byte("a")}
			for p := range f.nodes {
				if strings.HasSuffix(p, ".tmp/a") {
					delete(f.nodes, p)
				}
			}
			return errors.New("connection reset")
		}
		return nil
	}
	if err := st.Commit(); err != nil {
		t.Error(err)
	}
	if got := f.names(); got != "/out/other /out/x" {
		t.Error(got)
	}
}

func TestFinish(t *testing.T) {
	n := 0
	err := finish(closerFunc(func() error {
		if n++; n < 4 {
			return &os.PathError{Op: "create", Path: "/x", Err: hdfs.ErrReplicating}
		}
		return nil
	}), time.Minute)
	if err != nil || n != 4 {
		t.Error(n, err)
	}
	if err := finish(closerFunc(func() error { return &os.PathError{Op: "create", Path: "/x", Err: hdfs.ErrReplicating} }), 0); !hdfs.IsErrReplicating(err) {
		t.Error(err)
	}
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

func conf(t *testing.T, properties map[string]string) {
	t.Helper()
	dir := t.TempDir()
	text := "<configuration>"
	for k, v := range properties {
		text += "<property><name>" + k + "</name><value>" + v + "</value></property>"
	}
	if err := os.WriteFile(filepath.Join(dir, "hdfs-site.xml"), []byte(text+"</configuration>"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HADOOP_CONF_DIR", dir)
}

func TestConfiguration(t *testing.T) {
	t.Setenv("HADOOP_USER_NAME", "hive")
	conf(t, map[string]string{
		"fs.defaultFS": "hdfs://home", "dfs.ha.namenodes.home": "a,b",
		"dfs.namenode.rpc-address.home.a": "h1:9000", "dfs.namenode.rpc-address.home.b": "h2",
		"dfs.client.use.datanode.hostname": "true",
	})
	for authority, want := range map[string]string{"": "h1:9000 h2:8020", "home": "h1:9000 h2:8020", "nn": "nn:8020", "nn:1": "nn:1", "[::1]": "[::1]:8020"} {
		o, err := (&Options{}).clientOptions(authority)
		if err != nil || strings.Join(o.Addresses, " ") != want || o.User != "hive" || !o.UseDatanodeHostname {
			t.Errorf("%q: %+v, %v", authority, o.Addresses, err)
		}
	}
	if o, err := (&Options{User: "me"}).clientOptions("nn"); err != nil || o.User != "me" {
		t.Error(err)
	}
	conf(t, map[string]string{"hadoop.security.authentication": "kerberos", "dfs.namenode.kerberos.principal": "nn/_HOST@R"})
	t.Setenv("KRB5_CONFIG", "/nowhere")
	if _, err := (&Options{}).clientOptions("nn"); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "Kerberos") || !strings.Contains(err.Error(), "KRB5CCNAME") {
		t.Error(err)
	}
	krb := filepath.Join(t.TempDir(), "krb5.conf")
	if err := os.WriteFile(krb, []byte("[libdefaults]\n default_realm = R\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KRB5_CONFIG", krb)
	for env, value := range map[string]string{"KRB5CCNAME": "KEYRING:x", "KRB5_CLIENT_KTNAME": "FILE:/nowhere"} {
		t.Setenv(env, value)
		if _, err := (&Options{}).clientOptions("nn"); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "Kerberos") {
			t.Errorf("%s: %v", env, err)
		}
		t.Setenv(env, "")
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("HADOOP_CONF_DIR"), "core-site.xml"), []byte("<"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Options{}).clientOptions("nn"); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}
