package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// memory is a file of which Fetch counts what it is asked for.
func memory(b []byte, tail int, asked *atomic.Int64) File {
	return File{
		Name: "far://x", Size: int64(len(b)), Tail: b[len(b)-tail:],
		Fetch: func(_ context.Context, dst []byte, off int64) error {
			asked.Add(int64(len(dst)))
			copy(dst, b[off:])
			return nil
		},
	}
}

func testBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(b)
	return b
}

func TestSource(t *testing.T) {
	for _, size := range []int{1, 1000, firstWindow, 700_000, 3 << 20} {
		for _, tail := range []int{0, 1, 500, 64 << 10} {
			tail = min(tail, size)
			b := testBytes(size)
			var asked atomic.Int64
			s := NewSource(NewHost(2), memory(b, tail, &asked))
			r := rand.New(rand.NewPCG(uint64(size), uint64(tail)))
			for range 300 {
				off := r.IntN(size)
				n := 1 + r.IntN(min(size-off, 1+r.IntN(400_000)))
				got := make([]byte, n)
				if _, err := s.ReadAt(got, int64(off)); err != nil || !bytes.Equal(got, b[off:off+n]) {
					t.Fatalf("%d at %d of %d: %v", n, off, size, err)
				}
			}
			asked.Store(0)
			got := make([]byte, tail)
			if _, err := s.ReadAt(got, int64(size-tail)); err != nil || !bytes.Equal(got, b[size-tail:]) || asked.Load() > 0 {
				t.Errorf("the tail: %v, %d bytes were asked for", err, asked.Load())
			}
			if tail > 1 && tail < size { // only what the tail lacks
				fresh := NewSource(NewHost(2), memory(b, tail, &asked)) // without windows
				got, err := arrowio.ReadRanges(t.Context(), fresh, []arrowio.ByteRange{{Off: int64(size - tail - 1), Len: 3}})
				if err != nil || !bytes.Equal(got[0], b[size-tail-1:][:3]) || asked.Load() != 1 {
					t.Errorf("before the tail: %v, %d bytes were asked for", err, asked.Load())
				}
			}
			s.Shorten(int64(size / 2))
			if s.Size() != int64(size/2) {
				t.Errorf("size %d", s.Size())
			}
			if n, err := s.ReadAt(make([]byte, 10), s.Size()-min(s.Size(), 5)); err != io.EOF || int64(n) != min(s.Size(), 5) {
				t.Errorf("the end of a shortened source: %d, %v", n, err)
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// Windows take little memory, whatever is read.
func TestWindows(t *testing.T) {
	b := testBytes(40 << 20)
	var asked atomic.Int64
	s := NewSource(NewHost(0), memory(b, 0, &asked))
	for stream := range 8 {
		for off := range 100 {
			if _, err := s.ReadAt(make([]byte, 30_000), int64(stream*5<<20+off*30_000)); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := 0
	for _, w := range s.windows {
		held += len(w.b)
	}
	if len(s.windows) > maxWindows || held > maxWindows*lastWindow {
		t.Errorf("%d windows of %d bytes", len(s.windows), held)
	}
	if got := asked.Load(); got > 8*5<<20 {
		t.Errorf("%d bytes were asked for, to read %d", got, 8*3_000_000)
	}
}

// What a small read has fetched around it is not fetched again by spans.
func TestSpansFromWindows(t *testing.T) {
	b := testBytes(1 << 20)
	var asked atomic.Int64
	s := NewSource(NewHost(0), memory(b, 0, &asked))
	if _, err := s.ReadAt(make([]byte, 10), 1000); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off, n int
		more   int64
	}{{1000, firstWindow, 0}, {2000, 500, 0}, {999, 10, 10}, {1000 + firstWindow - 5, 10, 10}} {
		asked.Store(0)
		got := make([]byte, c.n)
		if err := s.ReadSpans(t.Context(), []arrowio.Span{{Off: int64(c.off), Dst: got}}); err != nil || !bytes.Equal(got, b[c.off:c.off+c.n]) || asked.Load() != c.more {
			t.Errorf("%+v: %v, %d bytes were asked for", c, err, asked.Load())
		}
	}
}

func TestSourceErrors(t *testing.T) {
	failed := errors.New("no")
	f := File{Name: "far://x", Size: 100 << 20, Fetch: func(_ context.Context, _ []byte, off int64) error {
		if off >= 50<<20 {
			panic("what the server said")
		}
		if off > 0 {
			return failed
		}
		return nil
	}}
	closed := 0
	f.Close = func() error { closed++; return failed }
	s := NewSource(NewHost(1), f)
	if _, err := s.ReadAt(make([]byte, 10), 1); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := arrowio.ReadRanges(t.Context(), s, []arrowio.ByteRange{{Off: 0, Len: 30 << 20}}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := arrowio.ReadRanges(t.Context(), s, []arrowio.ByteRange{{Off: 60 << 20, Len: 30 << 20}}); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
	if _, err := s.Identity(t.Context()); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := arrowio.ReadRanges(ctx, s, []arrowio.ByteRange{{Off: 0, Len: 1}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Close(); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := s.Close(); err != nil || closed != 1 {
		t.Error(err, closed)
	}
	if _, err := s.ReadAt(make([]byte, 10), 0); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

func TestRetry(t *testing.T) {
	p := Policy{Attempts: 3, Wait: time.Millisecond, MaxWait: 2 * time.Millisecond}.WithDefaults()
	failed := errors.New("no")
	calls := 0
	attempts, err := p.Retry(t.Context(), func() (int64, bool, error) { calls++; return 0, true, failed })
	if attempts != 3 || calls != 3 || !errors.Is(err, failed) {
		t.Errorf("always: %d, %d, %v", attempts, calls, err)
	}
	calls = 0
	if _, err := p.Retry(t.Context(), func() (int64, bool, error) { calls++; return 0, false, failed }); calls != 1 || !errors.Is(err, failed) {
		t.Errorf("once: %d, %v", calls, err)
	}
	calls = 0
	if _, err := p.Retry(t.Context(), func() (int64, bool, error) { // it gets on
		if calls++; calls == 20 {
			return 0, false, nil
		}
		return progressBytes, true, failed
	}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.Wait, p.MaxWait = time.Hour, time.Hour
	if _, err := p.Retry(ctx, func() (int64, bool, error) { cancel(); return 0, true, failed }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if attempts, err := p.Retry(ctx, nil); attempts != 0 || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFailure(t *testing.T) {
	cause := errors.New("cause")
	for want, f := range map[string]*Failure{
		"open far://x: at 5: given up after 3 attempts: cause": {Is: ErrUnavailable, Off: 5, Attempts: 3, Err: cause},
		"open far://x: permission denied: cause":               {Is: fs.ErrPermission, Off: -1, Attempts: 1, Err: cause},
		"open far://x: file does not exist":                    {Is: fs.ErrNotExist, Off: -1},
		"open far://x: cause":                                  {Off: -1, Err: cause},
	} {
		err := Wrap("open", "far://x", f)
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if f.Is != nil && !errors.Is(err, f.Is) || f.Err != nil && !errors.Is(err, cause) {
			t.Errorf("%v is not what it says", err)
		}
		var at interface{ Offset() int64 }
		if !errors.As(err, &at) || at.Offset() != f.Off {
			t.Error(err)
		}
	}
	if err := Wrap("read", "x", &Failure{Off: -1, Err: fmt.Errorf("get: %w", context.Canceled)}); strings.Contains(err.Error(), "x:") || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHost(t *testing.T) {
	h := NewHost(1)
	if err := h.Slot(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := h.Slot(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	h.Done()
	if err := h.Slot(t.Context()); err != nil {
		t.Error(err)
	}
	bound, end := h.bound(t.Context())
	defer end()
	h.Stop()
	h.Stop()
	<-bound.Done()
}

// A read without a context ends with that of Until, and those after stop do not.
func TestUntil(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := NewSource(NewHost(2), File{Name: "far://x", Size: 100, Fetch: func(ctx context.Context, _ []byte, _ int64) error {
		asked <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	stop := s.Until(ctx)
	go func() {
		<-asked
		cancel()
	}()
	if _, err := s.ReadAt(make([]byte, 10), 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if stop() {
		t.Error("the context has come first")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	var count atomic.Int64
	s = NewSource(NewHost(2), memory(testBytes(100), 0, &count))
	ctx, cancel = context.WithCancel(t.Context())
	if stop := s.Until(ctx); !stop() {
		t.Error("nothing has ended")
	}
	cancel()
	if _, err := s.ReadAt(make([]byte, 10), 0); err != nil {
		t.Error(err)
	}
}
