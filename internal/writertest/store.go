package writertest

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// ErrFault is the error of the call that a Store lets fail.
var ErrFault = errors.New("the disk is on fire")

// Store is an local.MemStore whose calls are counted; the one numbered Fail, from 0 on, does not succeed, and after Room
// bytes none does, as on a full disk. A call is anything that a writer asks of the store, a sink or a scratch file. The
// counts are for when the writer has ended.
type Store struct {
	Mem  *local.MemStore
	Fail int   // negative = none
	Room int64 // in sinks; negative = any number

	mu                    sync.Mutex
	Calls                 int
	Sinks, Closed, Aborts int
	Scratches, Open       int   // scratch files in all, and not closed
	Spilled               int64 // bytes in them
}

// NewStore returns a store that lets one call fail, or, if that is negative, none.
func NewStore(fail int) *Store {
	return &Store{Mem: local.NewMemStore(), Fail: fail, Room: -1}
}

func (s *Store) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Calls++
	if s.Calls-1 == s.Fail {
		return ErrFault
	}
	return nil
}

func (s *Store) count(n *int, by int) {
	s.mu.Lock()
	*n += by
	s.mu.Unlock()
}

// Create implements arrowio.Store.
func (s *Store) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	k, err := s.Mem.Create(ctx, name)
	s.count(&s.Sinks, 1)
	return &sink{s, k}, err
}

// Scratch implements arrowio.Store.
func (s *Store) Scratch() (arrowio.ScratchFile, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	f, err := s.Mem.Scratch()
	s.count(&s.Scratches, 1)
	s.count(&s.Open, 1)
	return &scratch{ScratchFile: f, st: s}, err
}

// Commit implements arrowio.Store.
func (s *Store) Commit() error {
	if err := s.call(); err != nil {
		return err
	}
	return s.Mem.Commit()
}

// Abort implements arrowio.Store.
func (s *Store) Abort() error {
	s.count(&s.Aborts, 1)
	return s.Mem.Abort()
}

// Aborted returns how often the writer gave up, for callers who only know from elsewhere that it has ended.
func (s *Store) Aborted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Aborts
}

type sink struct {
	st *Store
	arrowio.Sink
}

func (k *sink) Write(b []byte) (int, error) {
	if err := k.st.call(); err != nil {
		return 0, err
	}
	k.st.mu.Lock()
	defer k.st.mu.Unlock()
	if room := k.st.Room; room >= 0 {
		if room < int64(len(b)) { // what fits is written
			k.st.Room = 0
			n, _ := k.Sink.Write(b[:room])
			return n, syscall.ENOSPC
		}
		k.st.Room -= int64(len(b))
	}
	return k.Sink.Write(b)
}

func (k *sink) Close() error {
	k.st.count(&k.st.Closed, 1)
	if err := k.st.call(); err != nil {
		return err
	}
	return k.Sink.Close()
}

type scratch struct {
	arrowio.ScratchFile
	st   *Store
	done bool
}

func (f *scratch) Write(b []byte) (int, error) {
	if err := f.st.call(); err != nil {
		return 0, err
	}
	f.st.mu.Lock()
	f.st.Spilled += int64(len(b))
	f.st.mu.Unlock()
	return f.ScratchFile.Write(b)
}

func (f *scratch) ReadAt(b []byte, off int64) (int, error) {
	if err := f.st.call(); err != nil {
		return 0, err
	}
	return f.ScratchFile.ReadAt(b, off)
}

func (f *scratch) Close() error {
	if !f.done {
		f.done = true
		f.st.count(&f.st.Open, -1)
		if err := f.ScratchFile.Close(); err != nil {
			return err
		}
	}
	return f.st.call()
}

// Write writes rec to the store in batches of up to rows rows.
func (s *Store) Write(f arrowio.OutputFormat, rec arrow.Record, rows int64, o arrowio.WriteOptions) error {
	w, err := s.Writer(f, rec.Schema(), o)
	if err != nil {
		return err
	}
	for from := int64(0); from < rec.NumRows(); from += rows {
		part := rec.NewSlice(from, min(from+rows, rec.NumRows()))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// Writer returns a writer to the store.
func (s *Store) Writer(f arrowio.OutputFormat, schema *arrow.Schema, o arrowio.WriteOptions) (arrowio.Writer, error) {
	p, err := f.Plan(schema, o)
	if err != nil {
		return nil, err
	}
	return arrowio.NewWriter(context.Background(), f, s, p)
}

// CheckGone checks that a writer that failed or gave up holds nothing and left nothing.
func (s *Store) CheckGone(t testing.TB, what string) {
	t.Helper()
	if s.Open != 0 || s.Sinks != s.Closed || s.Aborts == 0 || s.Mem.Objects() != nil {
		t.Errorf("%s: %d scratch files open, %d of %d sinks closed, %d aborts, objects: %v", what, s.Open, s.Closed, s.Sinks, s.Aborts, s.Mem.Objects() != nil)
	}
}

// CheckFaults lets each call that writing rec makes fail, one after another: the error comes out, and nothing is left
// behind. It returns what was counted when none failed.
func CheckFaults(t *testing.T, f arrowio.OutputFormat, rec arrow.Record, rows int64, o arrowio.WriteOptions) *Store {
	t.Helper()
	count := NewStore(-1)
	if err := count.Write(f, rec, rows, o); err != nil {
		t.Fatal(err)
	}
	for fail := range count.Calls {
		st := NewStore(fail)
		err := st.Write(f, rec, rows, o)
		if st.Calls <= fail && err == nil {
			continue // columns side by side spill in any order, which changes the number of calls a little
		}
		if !errors.Is(err, ErrFault) {
			t.Errorf("call %d of %d: error %v", fail, st.Calls, err)
		}
		st.CheckGone(t, "after an error")
	}
	return count
}

// CheckAbort gives up after 0 to 3 batches. Then the writer takes nothing more. each, if it is not nil, sees the store
// before that.
func CheckAbort(t *testing.T, f arrowio.OutputFormat, rec arrow.Record, o arrowio.WriteOptions, each func(batches int, s *Store)) {
	t.Helper()
	for batches := range 4 {
		st := NewStore(-1)
		w, err := st.Writer(f, rec.Schema(), o)
		if err != nil {
			t.Fatal(err)
		}
		for range batches {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if each != nil {
			each(batches, st)
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
		st.CheckGone(t, "after Abort")
	}
}

// CheckCancel cancels the context: that ends the writer at the next batch.
func CheckCancel(t *testing.T, f arrowio.OutputFormat, rec arrow.Record) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st := NewStore(-1)
	w, err := arrowio.NewWriter(ctx, f, st, p)
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
	st.CheckGone(t, "after cancelling")
}
