package orc_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/writertest"
)

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	t.Parallel()
	rec := lineItems(500)
	defer rec.Release()
	for _, parallelism := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		o := arrowio.WriteOptions{
			RowGroupBytes: 10 << 10, MaxFileBytes: 16 << 10, Parallelism: parallelism, Compression: "snappy", Allocator: mem,
			Options: map[string]string{"orc-row-index-stride": "100", "orc-bloom": "orderkey"},
		}
		if count := writertest.CheckFaults(t, format(), rec, 150, o); count.Sinks < 2 {
			t.Errorf("%d files: too few to fail", count.Sinks)
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
		st := writertest.NewStore(-1)
		st.Room = room
		if err := st.Write(format(), rec, 500, o); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: error %v", room, len(whole), err)
		}
		st.CheckGone(t, "on a full disk")
	}
	st := writertest.NewStore(-1)
	st.Room = int64(len(whole))
	if err := st.Write(format(), rec, 500, o); err != nil {
		t.Errorf("just enough room: %v", err)
	}
}

// TestAbort gives up at every stage.
func TestAbort(t *testing.T) {
	rec := lineItems(1_000)
	defer rec.Release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o := arrowio.WriteOptions{RowGroupBytes: 60 << 10, Allocator: mem, Options: map[string]string{"orc-row-index-stride": "300"}}
	writertest.CheckAbort(t, format(), rec, o, nil)
}

// TestAbortForgetsDictionaries: an Arrow dictionary is held as long as a stripe is open, not longer.
func TestAbortForgetsDictionaries(t *testing.T) {
	for _, end := range []string{"abort", "close"} {
		rec := stringsOf(100, func(i int) string { return fmt.Sprint(i % 10) })
		recs := dictionaryOf(t, rec, 100, arrow.PrimitiveTypes.Int8)
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		st := writertest.NewStore(-1)
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
	writertest.CheckCancel(t, format(), rec)
}

// childTarget names, in the environment of a child process of the test, the file that it is to write.
const childTarget = "ARROWIO_TEST_ORC_TARGET"

// child is what the process does that is killed: it writes a file in a few stripes.
func child(path string) error {
	st, err := local.NewFileStore(path, local.FileStoreOptions{Force: true})
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
	kills := 200 / sampled
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
	// How long a process takes changes with what else the machine does: the range of times follows what was hit.
	r := rand.New(rand.NewSource(1))
	var left, hidden, done, limit atomic.Int64
	limit.Store(int64(whole))
	var g errgroup.Group
	g.SetLimit(4)
	kill := func(i int, when float64) {
		l, h := try(i, time.Duration(when*float64(limit.Load())))
		if h {
			hidden.Add(1)
		}
		if l {
			left.Add(1)
			limit.Store(limit.Load() * 5 / 4)
		} else {
			done.Add(1)
			limit.Store(limit.Load() * 4 / 5)
		}
	}
	for i := range kills {
		when := r.Float64()
		g.Go(func() error {
			kill(i, when)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := kills; left.Load() == 0 && !t.Failed(); i++ { // all were quicker than the first: the range ends at 0
		kill(i, r.Float64())
	}
	t.Logf("%d processes came to their end, %d were killed before, %d while writing", done.Load(), left.Load(), hidden.Load())
}
