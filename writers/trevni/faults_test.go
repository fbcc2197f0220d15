package trevni_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

var errFault = errors.New("the disk is on fire")

// faultStore is a MemStore whose calls are counted; the one numbered fail does not succeed. A call is anything that a
// writer asks of the store, a sink or a scratch file.
type faultStore struct {
	mem *arrowio.MemStore

	mu                    sync.Mutex
	calls, fail           int
	scratches, open       int
	spilled               int64
	sinks, closed, aborts int
}

func newFaultStore(fail int) *faultStore {
	return &faultStore{mem: arrowio.NewMemStore(), fail: fail}
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

func (s *faultStore) Scratch() (arrowio.ScratchFile, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	f, err := s.mem.Scratch()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scratches++
	s.open++
	return &faultScratch{ScratchFile: f, st: s}, err
}

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
	return k.Sink.Write(b)
}

func (k *faultSink) Close() error {
	k.st.closed++
	if err := k.st.call(); err != nil {
		return err
	}
	return k.Sink.Close()
}

type faultScratch struct {
	arrowio.ScratchFile
	st   *faultStore
	done bool
}

func (f *faultScratch) Write(b []byte) (int, error) {
	if err := f.st.call(); err != nil {
		return 0, err
	}
	f.st.mu.Lock()
	f.st.spilled += int64(len(b))
	f.st.mu.Unlock()
	return f.ScratchFile.Write(b)
}

func (f *faultScratch) ReadAt(b []byte, off int64) (int, error) {
	if err := f.st.call(); err != nil {
		return 0, err
	}
	return f.ScratchFile.ReadAt(b, off)
}

func (f *faultScratch) Close() error {
	if !f.done {
		f.done = true
		f.st.mu.Lock()
		f.st.open--
		f.st.mu.Unlock()
		if err := f.ScratchFile.Close(); err != nil {
			return err
		}
	}
	return f.st.call()
}

// write writes rec in batches.
func (s *faultStore) write(rec arrow.Record, o arrowio.WriteOptions) error {
	w, err := s.writer(rec.Schema(), o)
	if err != nil {
		return err
	}
	for from := int64(0); from < rec.NumRows(); from += 1_000 {
		part := rec.NewSlice(from, min(from+1_000, rec.NumRows()))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return w.Close()
}

func (s *faultStore) writer(schema *arrow.Schema, o arrowio.WriteOptions) (arrowio.Writer, error) {
	p, err := writer.Plan(schema, o)
	if err != nil {
		return nil, err
	}
	return arrowio.NewWriter(context.Background(), writer.Format(), s, p)
}

// checkGone checks that a writer that failed or gave up holds nothing and left nothing.
func (s *faultStore) checkGone(t *testing.T, what string) {
	t.Helper()
	if s.open != 0 || s.sinks != s.closed || s.aborts == 0 || s.mem.Objects() != nil {
		t.Errorf("%s: %d scratch files open, %d of %d sinks closed, %d aborts, objects %v", what, s.open, s.closed, s.sinks, s.aborts, s.mem.Objects() != nil)
	}
}

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	for _, parallelism := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		o := arrowio.WriteOptions{RowGroupBytes: 80 << 10, Memory: 20 << 10, Parallelism: parallelism, Compression: "snappy", Allocator: mem}
		count := newFaultStore(-1)
		if err := count.write(rec, o); err != nil {
			t.Fatal(err)
		}
		if count.scratches == 0 || count.sinks < 2 {
			t.Fatalf("%d scratch files, %d files: too few to fail", count.scratches, count.sinks)
		}
		for fail := range count.calls {
			st := newFaultStore(fail)
			err := st.write(rec, o)
			if st.calls <= fail && err == nil {
				continue // columns side by side spill in any order, which changes the number of calls a little
			}
			if !errors.Is(err, errFault) {
				t.Errorf("call %d of %d: error %v", fail, st.calls, err)
			}
			st.checkGone(t, "after an error")
		}
		mem.AssertSize(t, 0)
	}
}

// TestAbort gives up at every stage.
func TestAbort(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for batches := range 4 {
		st := newFaultStore(-1)
		w, err := st.writer(rec.Schema(), arrowio.WriteOptions{RowGroupBytes: 100 << 10, Memory: 1, Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		for range batches {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if batches > 0 && st.scratches == 0 {
			t.Error("nothing was spilled")
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

// TestCancel: a cancelled context ends the writer at the next batch.
func TestCancel(t *testing.T) {
	rec := events(100)
	defer rec.Release()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := writer.Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st := newFaultStore(-1)
	w, err := arrowio.NewWriter(ctx, writer.Format(), st, p)
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
