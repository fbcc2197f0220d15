package cfile_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

var errFault = errors.New("the disk is on fire")

// faultStore is a MemStore whose calls are counted; the one numbered fail does not succeed, and after room bytes none
// does, as on a full disk. A call is anything that a writer asks of the store or of a sink.
type faultStore struct {
	mem *local.MemStore

	mu                    sync.Mutex
	calls, fail           int
	room                  int64 // negative = any number
	sinks, closed, aborts int
}

func newFaultStore(fail int) *faultStore {
	return &faultStore{mem: local.NewMemStore(), fail: fail, room: -1}
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
	k.st.mu.Lock()
	defer k.st.mu.Unlock()
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
	k.st.mu.Lock()
	k.st.closed++
	k.st.mu.Unlock()
	if err := k.st.call(); err != nil {
		return err
	}
	return k.Sink.Close()
}

// write writes rec in batches.
func (s *faultStore) write(f arrowio.OutputFormat, rec arrow.Record, o arrowio.WriteOptions) error {
	p, err := f.Plan(rec.Schema(), o)
	if err != nil {
		return err
	}
	w, err := arrowio.NewWriter(context.Background(), f, s, p)
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

// someColumns is lineitem without most columns.
func someColumns(rec arrow.Record) arrow.Record {
	var fields []arrow.Field
	var cols []arrow.Array
	for _, i := range []int{0, 3, 5, 15} {
		fields, cols = append(fields, rec.Schema().Field(i)), append(cols, rec.Column(i))
	}
	return array.NewRecord(schemaOf(fields...), cols, rec.NumRows())
}

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	mem := checked(t)
	rec := someColumns(lineItems(1_500))
	for _, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
		for _, parallelism := range []int{1, 3} {
			o := arrowio.WriteOptions{MaxFileBytes: 10_000, Parallelism: parallelism, Compression: "lz4", Allocator: mem, Options: map[string]string{f.Name + "-block-size": "2048"}}
			if f.Name == "kudu" {
				o.Options["kudu-key"] = "orderkey,linenumber"
			}
			count := newFaultStore(-1)
			if err := count.write(f, rec, o); err != nil {
				t.Fatal(err)
			}
			if count.sinks < 8 {
				t.Fatalf("%d files: too few to fail", count.sinks)
			}
			for fail := range count.calls {
				st := newFaultStore(fail)
				if err := st.write(f, rec, o); !errors.Is(err, errFault) {
					t.Errorf("call %d of %d: error %v", fail, st.calls, err)
				}
				st.checkGone(t, "after an error")
			}
			// The disk is full after any number of bytes.
			whole := int64(0)
			for _, b := range count.mem.Objects() {
				whole += int64(len(b))
			}
			for room := int64(0); room < whole; room += 1 + room/7 {
				st := newFaultStore(-1)
				st.room = room
				if err := st.write(f, rec, o); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("room for %d of %d bytes: error %v", room, whole, err)
				}
				st.checkGone(t, "on a full disk")
			}
		}
	}
}

// TestAbort gives up at every stage, or is cancelled.
func TestAbort(t *testing.T) {
	rec := someColumns(lineItems(1_000))
	for batches := range 4 {
		for _, how := range []string{"abort", "cancel", "bad row"} {
			ctx, cancel := context.WithCancel(context.Background())
			st := newFaultStore(-1)
			f := writer.KuduFormat()
			p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{MaxFileBytes: 10_000, Options: map[string]string{"kudu-key": "orderkey,linenumber"}})
			if err != nil {
				t.Fatal(err)
			}
			w, err := arrowio.NewWriter(ctx, f, st, p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range batches {
				part := rec.NewSlice(int64(i)*250, int64(i+1)*250)
				if err := w.Write(part); err != nil {
					t.Fatal(err)
				}
				part.Release()
			}
			switch how {
			case "abort":
				for range 2 {
					if err := w.Abort(); err != nil {
						t.Error(err)
					}
				}
			case "cancel":
				cancel()
				if err := w.Write(rec); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			case "bad row":
				part := rec.NewSlice(0, 1)
				if err := errors.Join(w.Write(part), w.Write(part)); !errors.Is(err, errs.ErrSchema) {
					t.Error(err)
				}
			}
			if err := w.Close(); err == nil {
				t.Error("Close after the end succeeds")
			}
			st.checkGone(t, "after "+how)
			cancel()
		}
	}
	if _, err := writer.Format().Create(context.Background(), newFaultStore(-1), &arrowio.WritePlan{}); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
}
