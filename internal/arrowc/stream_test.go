//go:build cgo

package arrowc

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/cdata"
)

const (
	mostReady = 4 // of stream.c
	mostLate  = 4 // of arrowc.c
)

// paced counts how often Next is called, and waits in it once it was called as often as free.
type paced struct {
	array.RecordReader
	calls atomic.Int64
	free  int64
	gate  chan struct{} // closed = all may pass
}

func (p *paced) Next() bool {
	if p.calls.Add(1) > p.free {
		<-p.gate
	}
	return p.RecordReader.Next()
}

// pacedStream returns a stream of n batches in memory of C, of which free are made at once.
func pacedStream(t *testing.T, n, free int) (*paced, *Reader) {
	t.Helper()
	rec := sample(t, cleanMemory())
	defer rec.Release()
	recs := make([]arrow.Record, n)
	for i := range recs {
		recs[i] = rec
	}
	r, err := array.NewRecordReader(rec.Schema(), recs)
	if err != nil {
		t.Fatal(err)
	}
	p := &paced{RecordReader: r, free: int64(free), gate: make(chan struct{})}
	out := new(cdata.CArrowArrayStream)
	if err := (&Stream{Reader: p}).Export(unsafe.Pointer(out)); err != nil {
		t.Fatal(err)
	}
	in, err := Import(unsafe.Pointer(out))
	if err != nil {
		t.Fatal(err)
	}
	return p, in
}

// settle waits until Next was called as often as least, and a little for what should not come: most.
func (p *paced) settle(t *testing.T, least, most int64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); p.calls.Load() < least; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("Next was called %d times, want %d", p.calls.Load(), least)
		}
	}
	time.Sleep(10 * time.Millisecond)
	if n := p.calls.Load(); n > most {
		t.Errorf("Next was called %d times, want %d at most", n, most)
	}
}

func read(t *testing.T, in *Reader, n int) (recs []arrow.Record) {
	t.Helper()
	for range n {
		rec, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// A stream is read a few batches ahead of its consumer, not before it asks for the first one, and goes on when half of
// them are gone.
func TestStreamAhead(t *testing.T) {
	before := Allocated()
	p, in := pacedStream(t, 20, 100)
	p.settle(t, 0, 0)
	recs := read(t, in, 1)
	p.settle(t, mostReady, mostReady+1) // the first may have been taken before it was full
	recs = append(recs, read(t, in, mostReady/2)...)
	p.settle(t, mostReady+mostReady/2, mostReady+mostReady/2+1)
	recs = append(recs, read(t, in, 20-len(recs))...)
	if _, err := in.Read(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for _, rec := range recs {
		if rec.NumRows() != 9 {
			t.Errorf("%d rows", rec.NumRows())
		}
		rec.Release()
	}
	in.Close()
	if n := Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

// A stream may be released while batches are ready and the goroutine waits for room, and before it was started.
func TestStreamLeft(t *testing.T) {
	before := Allocated()
	p, in := pacedStream(t, 20, 100)
	first := read(t, in, 1)[0]
	p.settle(t, mostReady, mostReady+1)
	in.Close()
	if first.NumRows() != 9 {
		t.Errorf("%d rows", first.NumRows())
	}
	first.Release()
	_, in = pacedStream(t, 2, 100)
	in.Close()
	if n := Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

// Batches that are released while a goroutine reads are given back by it, unless they are too many.
func TestStreamGivesBack(t *testing.T) {
	before := Allocated()
	const n = mostLate + 2
	recs := func() (all []arrow.Record) { // each in memory of its own
		for range n {
			out := new(cdata.CArrowArrayStream)
			rec := sample(t, cleanMemory())
			r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
			if err != nil {
				t.Fatal(err)
			}
			rec.Release()
			if err := (&Stream{Reader: r}).Export(unsafe.Pointer(out)); err != nil {
				t.Fatal(err)
			}
			in, err := Import(unsafe.Pointer(out))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, read(t, in, 1)...)
			in.Close()
		}
		return all
	}()
	each := (Allocated() - before) / n
	p, in := pacedStream(t, 1, 1)
	read(t, in, 1)[0].Release()
	p.settle(t, 2, 2) // it waits in Next
	held := Allocated()
	for _, rec := range recs {
		rec.Release()
	}
	if got, want := held-Allocated(), 2*each; got < want {
		t.Errorf("%d bytes were given back, want at least those of two batches, %d", got, want)
	}
	close(p.gate)
	if _, err := in.Read(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if n := Allocated() - before; n > each {
		t.Errorf("%d bytes left, want those of the stream's own batch at most, %d", n, each)
	}
	in.Close()
	if n := Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

// cutOff ends with an error.
type cutOff struct {
	array.RecordReader
	err error
}

func (c cutOff) Err() error { return c.err }

// The end of a stream, and the error that it ends with, come to all threads that wait for a batch, and again to those that ask again.
func TestStreamShared(t *testing.T) {
	for _, want := range []error{io.EOF, errors.New("the disk is gone")} {
		before := Allocated()
		rec := sample(t, cleanMemory())
		r, err := array.NewRecordReader(rec.Schema(), nil)
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
		p := &paced{RecordReader: r, gate: make(chan struct{})}
		if want != io.EOF {
			p.RecordReader = cutOff{r, want}
		}
		out := new(cdata.CArrowArrayStream)
		if err := (&Stream{Reader: p}).Export(unsafe.Pointer(out)); err != nil {
			t.Fatal(err)
		}
		in, err := Import(unsafe.Pointer(out))
		if err != nil {
			t.Fatal(err)
		}
		const threads = 4
		ends := make(chan error, 2*threads)
		for range threads {
			go func() {
				for range 2 {
					_, err := in.Read() // of no batch, so that several may call
					ends <- err
				}
			}()
		}
		p.settle(t, 1, 1) // they wait
		close(p.gate)
		late := time.After(time.Minute)
		for n := range 2 * threads {
			select {
			case err := <-ends:
				if !errors.Is(err, want) {
					t.Errorf("a reader ended with %v, want %v", err, want)
				}
			case <-late:
				t.Fatalf("%d reads of %d ended", n, 2*threads)
			}
		}
		in.Close()
		if n := Allocated(); n != before {
			t.Errorf("%d bytes left", n-before)
		}
	}
}
