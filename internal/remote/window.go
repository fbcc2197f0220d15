package remote

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio"
)

// Small reads come from readers of text, which read on and on, and from those that look at headers here and there. A
// window is what was fetched for one of them; one that is read past its end is followed by one twice as large.
const (
	smallRead   = 256 << 10 // larger reads are requests of their own
	firstWindow = 64 << 10
	lastWindow  = 2 << 20
	maxWindows  = 4
)

// window is a stretch of the file that is in memory. It does not change.
type window struct {
	off int64
	b   []byte
}

func (w *window) end() int64 { return w.off + int64(len(w.b)) }

// readSmall fills dst from windows and the tail.
func (s *Source) readSmall(dst []byte, off int64) error {
	dst = dst[:s.fromTail(dst, off)]
	for len(dst) > 0 {
		w, err := s.windowAt(off, len(dst))
		if err != nil {
			return err
		}
		n := copy(dst, w.b[off-w.off:])
		dst, off = dst[n:], off+int64(n)
	}
	return nil
}

// fromWindow copies the bytes at off from a window that has all of them, if there is one.
func (s *Source) fromWindow(dst []byte, off int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.windows {
		if off >= w.off && off+int64(len(dst)) <= w.end() {
			copy(dst, w.b[off-w.off:])
			return true
		}
	}
	return false
}

// windowAt returns a window with the byte at off, or fetches one for n bytes there.
func (s *Source) windowAt(off int64, n int) (*window, error) {
	s.mu.Lock()
	size := firstWindow
	for i, w := range s.windows {
		if off >= w.off && off < w.end() {
			s.windows = slices.Insert(slices.Delete(s.windows, i, i+1), 0, w)
			s.mu.Unlock()
			return w, nil
		}
		if off == w.end() { // it is read on
			size = max(size, min(2*len(w.b), lastWindow))
		}
	}
	s.mu.Unlock()
	// Two goroutines that miss the same bytes fetch them twice: that is rare, and cheaper than all of them waiting.
	size = max(size, n)
	w := &window{off: off, b: make([]byte, min(int64(size), s.size-off))}
	if err := s.ReadSpans(s.ctx, []arrowio.Span{{Off: off, Dst: w.b}}); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windows = slices.DeleteFunc(s.windows, func(v *window) bool { return v.end() == off }) // it was read to its end
	s.windows = slices.Insert(s.windows, 0, w)
	s.windows = s.windows[:min(len(s.windows), maxWindows)]
	if s.closed.Load() {
		s.windows = nil
	}
	return w, nil
}
