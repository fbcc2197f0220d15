package orc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/arrowio/arrowio/arrowio"
)

var errFault = errors.New("the disk is on fire")

// faultStore is a MemStore whose calls are counted; the one numbered fail does not succeed, and after room bytes none
// does, as on a full disk. A call is anything that a writer asks of the store or of a sink.
type faultStore struct {
	mem *arrowio.MemStore

	mu                    sync.Mutex
	calls, fail           int
	room                  int64 // negative = any number
	sinks, closed, aborts int
}

func newFaultStore(fail int) *faultStore {
	return &faultStore{mem: arrowio.NewMemStore(), fail: fail, room: -1}
}

func (s *faultStore) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.calls-1 == s.fail {
		return errFault
	}
	return nil
}

func (s *faultStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	k, err := s.mem.Create(ctx, name)
	s.sinks++
	return &faultSink{s, k}, err
}

func (s *faultStore) Scratch() (arrowio.ScratchFile, error) { return nil, errors.New("not asked for") }

func (s *faultStore) Commit() error {
	if err := s.call(); err != nil {
		return err
	}
	return s.mem.Commit()
}

func (s *faultStore) Abort() error {
	s.aborts++
	return s.mem.Abort()
}

type faultSink struct {
	st *faultStore
	arrowio.Sink
}

func (k *faultSink) Write(b []byte) (int, error) {
	if err := k.st.call(); err != nil {
		return 0, err
	}
	if k.st.room >= 0 {
		if n := k.st.room; n < int64(len(b)) { // what fits is written
			k.st.room = 0
			n, _ := k.Sink.Write(b[:n])
			return n, syscall.ENOSPC
		}
		k.st.room -= int64(len(b))
	}
	return k.Sink.Write(b)
}

func (k *faultSink) Close() error {
	k.st.closed++
	if err := k.st.call(); err != nil {
		return err
	}
	return k.Sink.Close()
}

// write writes rec in batches.
func (s *faultStore) write(rec arrow.Record, o arrowio.WriteOptions) error {
	p, err := planOf(rec.Schema(), o)
	if err != nil {
		return err
	}
	w, err := newWriter(s, p)
	if err != nil {
		return err
	}
	for from := int64(0); from < rec.NumRows(); from += 500 {
		part := rec.NewSlice(from, min(from+500, rec.NumRows()))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// checkGone checks that a writer that failed or gave up holds nothing and left nothing.
func (s *faultStore) checkGone(t testing.TB, what string) {
	t.Helper()
	if s.sinks != s.closed || s.aborts == 0 || s.mem.Objects() != nil {
		t.Errorf("%s: %d of %d sinks closed, %d aborts, objects %v", what, s.closed, s.sinks, s.aborts, s.mem.Objects() != nil)
	}
}

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	rec := lineItems(1_500)
	defer rec.Release()
	for _, parallelism := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		o := arrowio.WriteOptions{
			RowGroupBytes: 30 << 10, MaxFileBytes: 50 << 10, Parallelism: parallelism, Compression: "snappy", Allocator: mem,
			Options: map[string]string{"orc-row-index-stride": "300", "orc-bloom": "orderkey"},
		}
		count := newFaultStore(-1)
		if err := count.write(rec, o); err != nil {
			t.Fatal(err)
		}
		if count.sinks < 2 {
			t.Fatalf("%d files: too few to fail", count.sinks)
		}
		for fail := range count.calls {
			st := newFaultStore(fail)
			if err := st.write(rec, o); !errors.Is(err, errFault) {
				t.Errorf("call %d of %d: error %v", fail, st.calls, err)
			}
			st.checkGone(t, "after an error")
		}
		mem.AssertSize(t, 0)
	}
}

// TestFullDisk ends the disk's room after any number of bytes.
func TestFullDisk(t *testing.T) {
	rec := lineItems(1_500)
	defer rec.Release()
	o := arrowio.WriteOptions{RowGroupBytes: 30 << 10, Options: map[string]string{"orc-row-index-stride": "300"}}
	whole := one(t, write(t, rec.Schema(), []arrow.Record{rec}, o))
	for room := int64(0); room < int64(len(whole)); room += 1 + room/7 {
		st := newFaultStore(-1)
		st.room = room
		if err := st.write(rec, o); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: error %v", room, len(whole), err)
		}
		st.checkGone(t, "on a full disk")
	}
	st := newFaultStore(-1)
	st.room = int64(len(whole))
	if err := st.write(rec, o); err != nil {
		t.Errorf("just enough room: %v", err)
	}
}

// TestAbort gives up at every stage.
func TestAbort(t *testing.T) {
	rec := lineItems(1_000)
	defer rec.Release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for batches := range 4 {
		st := newFaultStore(-1)
		p, err := planOf(rec.Schema(), arrowio.WriteOptions{RowGroupBytes: 60 << 10, Allocator: mem, Options: map[string]string{"orc-row-index-stride": "300"}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWriter(st, p)
		if err != nil {
			t.Fatal(err)
		}
		for range batches {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := w.Abort(); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); err == nil {
			t.Error("Close after Abort succeeds")
		}
		if err := w.Write(rec); err == nil {
			t.Error("Write after Abort succeeds")
		}
		st.checkGone(t, "after Abort")
	}
}

// TestAbortForgetsDictionaries: an Arrow dictionary is held as long as a stripe is open, not longer.
func TestAbortForgetsDictionaries(t *testing.T) {
	for _, end := range []string{"abort", "close"} {
		rec := stringsOf(100, func(i int) string { return fmt.Sprint(i % 10) })
		recs := dictionaryOf(t, rec, 100, arrow.PrimitiveTypes.Int8)
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		st := newFaultStore(-1)
		p, err := planOf(recs[0].Schema(), arrowio.WriteOptions{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWriter(st, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(recs[0]); err != nil {
			t.Fatal(err)
		}
		release(recs)
		rec.Release()
		if end == "abort" {
			err = w.Abort()
		} else {
			err = w.Close()
		}
		if err != nil {
			t.Error(err)
		}
		mem.AssertSize(t, 0)
	}
}

// TestCancel: a cancelled context ends the writer at the next batch.
func TestCancel(t *testing.T) {
	rec := lineItems(100)
	defer rec.Release()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := planOf(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st := newFaultStore(-1)
	w, err := arrowio.NewWriter(ctx, format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Write(rec); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	st.checkGone(t, "after cancelling")
}

// childTarget names, in the environment of a child process of the test, the file that it is to write.
const childTarget = "ARROWIO_TEST_ORC_TARGET"

// child is what the process does that is killed: it writes a file in a few stripes.
func child(path string) error {
	st, err := arrowio.NewFileStore(path, arrowio.FileStoreOptions{Force: true})
	if err != nil {
		return err
	}
	rec := lineItems(600)
	defer rec.Release()
	p, err := planOf(rec.Schema(), arrowio.WriteOptions{RowGroupBytes: 20 << 10, Compression: "snappy", Options: map[string]string{"orc-row-index-stride": "100"}})
	if err != nil {
		return err
	}
	w, err := newWriter(st, p)
	if err != nil {
		return err
	}
	for range 6 {
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	return w.Close()
}

func TestMain(m *testing.M) {
	if path := os.Getenv(childTarget); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestKilled kills processes that write a file, at any time: what lies under the file's name is a whole file, or, where
// there was one before, that one.
func TestKilled(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(path string) *exec.Cmd {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childTarget+"="+path)
		if err := cmd.Start(); err != nil {
			t.Error(err)
		}
		return cmd
	}
	dir := t.TempDir()
	began := time.Now()
	first := start(filepath.Join(dir, "first.orc"))
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	want, err := os.ReadFile(filepath.Join(dir, "first.orc"))
	if err != nil {
		t.Fatal(err)
	}
	verify(t, "first.orc", want)

	// try kills one process and tells what it left: what was there before, that and hidden files, or a whole file.
	try := func(i int, after time.Duration) (left, hidden bool) {
		sub := filepath.Join(dir, fmt.Sprint(i))
		path := filepath.Join(sub, "out.orc")
		old := []byte(nil)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Error(err)
		}
		defer os.RemoveAll(sub)
		if i%2 == 0 {
			old = []byte("what was there before")
			if err := os.WriteFile(path, old, 0o666); err != nil {
				t.Error(err)
			}
		}
		cmd := start(path)
		time.Sleep(after)
		cmd.Process.Kill() // it may have ended
		cmd.Wait()
		entries, err := os.ReadDir(sub)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			hidden = hidden || strings.HasPrefix(e.Name(), ".out.orc.")
		}
		switch b, err := os.ReadFile(path); {
		case errors.Is(err, os.ErrNotExist) && old == nil:
			return true, hidden
		case err != nil:
			t.Error(err)
		case old != nil && bytes.Equal(b, old):
			return true, hidden
		case !bytes.Equal(b, want):
			t.Errorf("kill %d left %d bytes, a whole file has %d", i, len(b), len(want))
		}
		return false, hidden
	}
	r := rand.New(rand.NewSource(1))
	var left, hidden, done atomic.Int64
	var g errgroup.Group
	g.SetLimit(4)
	for i := range kills {
		after := time.Duration(r.Int63n(int64(whole) * 3 / 2))
		g.Go(func() error {
			l, h := try(i, after)
			if h {
				hidden.Add(1)
			}
			if l {
				left.Add(1)
			} else {
				done.Add(1)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d processes %d came to their end, %d were killed before, %d while writing", kills, done.Load(), left.Load(), hidden.Load())
	if left.Load() == 0 {
		t.Error("no process was killed in time")
	}
}
