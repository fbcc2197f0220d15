package remote

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"golang.org/x/sync/errgroup"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/tracing"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	pieceBytes = 8 << 20 // of one request: large enough that its start costs little, small enough that several share the work
	atOnce     = 8       // requests of one call
)

// File is what a store knows of a file that it has opened.
type File struct {
	Name string // as people know it: a URL
	Size int64
	Tail []byte // the last bytes of the file, as many as opening gave; they stay as they are
	// Fetch fills dst with the bytes at off, all of which the file has, or returns an error that names the file. Several
	// goroutines call it at once.
	Fetch func(ctx context.Context, dst []byte, off int64) error
	// Identity returns what arrowio.Identifier promises; nil = the source does not tell.
	Identity func(ctx context.Context) (string, error)
	Close    func() error // nil = there is nothing to close
}

// Source reads a file of a store.
type Source struct {
	f      File
	host   *Host
	size   int64
	ctx    context.Context // of ReadAt, which has none of its own; ends with Close
	cancel context.CancelFunc
	closed atomic.Bool

	mu      sync.Mutex
	windows []*window // the latest first
}

var (
	_ arrowio.SpanSource = (*Source)(nil)
	_ arrowio.Identifier = (*Source)(nil)
)

// NewSource returns a source of f, whose requests count among those of h.
func NewSource(h *Host, f File) *Source {
	s := &Source{f: f, host: h, size: f.Size}
	s.ctx, s.cancel = h.bound(context.Background())
	return s
}

// Name returns the URL.
func (s *Source) Name() string { return s.f.Name }

// Size returns the size at opening.
func (s *Source) Size() int64 { return s.size }

// Shorten makes the source end at n, if it is longer. It must not be in use yet.
func (s *Source) Shorten(n int64) { s.size = min(s.size, max(n, 0)) }

// Until makes reads without a context of their own, under way and to come, end when ctx does. That ends with stop, which reports
// false where ctx came first: the source can then only be closed.
func (s *Source) Until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, s.cancel)
}

// Again returns what opens the same file without a request, and how many bytes that holds; nil = it cannot be. What it opens is closed as other
// sources are, and is of the file as it was when s was opened.
func (s *Source) Again() (open func() arrowio.OpenSource, n int) {
	if s.f.Close != nil || len(s.f.Tail) == 0 {
		return nil, 0
	}
	f, size, host := s.f, s.size, s.host // not s, which holds more
	f.Tail = bytes.Clone(f.Tail)
	return func() arrowio.OpenSource {
		again := NewSource(host, f)
		again.size = size
		return again
	}, len(f.Tail)
}

// Identity implements arrowio.Identifier.
func (s *Source) Identity(ctx context.Context) (string, error) {
	if s.f.Identity == nil {
		return "", errs.Errorf(errs.ErrUnsupported, "the store does not tell when a file changes")
	}
	return s.f.Identity(ctx)
}

// Close ends what is being read and frees what is kept. It may be called twice.
func (s *Source) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.cancel()
	s.mu.Lock()
	s.windows = nil
	s.mu.Unlock()
	if s.f.Close == nil {
		return nil
	}
	return s.f.Close()
}

// ReadAt implements io.ReaderAt. Small reads are served from windows of what was fetched around earlier ones.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: s.f.Name, Err: fs.ErrInvalid}
	}
	if off >= s.size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), s.size-off)]
	if err := s.read(want, off); err != nil {
		return 0, err
	}
	if len(want) < len(p) {
		return len(want), io.EOF
	}
	return len(want), nil
}

func (s *Source) read(dst []byte, off int64) error {
	if s.closed.Load() {
		return &fs.PathError{Op: "read", Path: s.f.Name, Err: fs.ErrClosed}
	}
	if len(dst) < smallRead {
		return s.readSmall(dst, off)
	}
	return s.ReadSpans(s.ctx, []arrowio.Span{{Off: off, Dst: dst}})
}

// ReadsSpans tells readers of formats that several ranges take no longer than one.
func (s *Source) ReadsSpans() bool { return true }

// ReadSpans implements arrowio.SpanSource. Spans may be of any size.
func (s *Source) ReadSpans(ctx context.Context, spans []arrowio.Span) error {
	var pieces []arrowio.Span
	for _, p := range spans {
		p.Dst = p.Dst[:s.fromTail(p.Dst, p.Off)]
		if s.fromWindow(p.Dst, p.Off) {
			continue
		}
		for len(p.Dst) > 0 {
			n := min(len(p.Dst), pieceBytes)
			pieces = append(pieces, arrowio.Span{Off: p.Off, Dst: p.Dst[:n]})
			p.Off, p.Dst = p.Off+int64(n), p.Dst[n:]
		}
	}
	if len(pieces) == 0 {
		return ctx.Err()
	}
	ctx, end := s.host.bound(ctx)
	defer end()
	if len(pieces) == 1 {
		return s.fetch(ctx, pieces[0])
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, p := range pieces {
		g.Go(func() error { return s.fetch(ctx, p) })
	}
	return g.Wait()
}

// fetch makes one request, when there is room for it.
func (s *Source) fetch(ctx context.Context, p arrowio.Span) error {
	if !tracing.Recording(ctx) {
		return s.request(ctx, p)
	}
	ctx, span := tracing.Start(ctx, "store read")
	err := s.request(ctx, p)
	tracing.End(span, err, attribute.String("arrowio.file", s.f.Name), attribute.Int64("arrowio.offset", p.Off), attribute.Int("arrowio.bytes", len(p.Dst)))
	return err
}

func (s *Source) request(ctx context.Context, p arrowio.Span) error {
	if err := s.host.Slot(ctx); err != nil {
		return err
	}
	defer s.host.Done()
	return workers.Catch(func() error { // libraries parse what a server answered
		return s.f.Fetch(ctx, p.Dst, p.Off)
	})
}

// fromTail copies what opening gave of the bytes at off, and returns how many before that are still to be read.
func (s *Source) fromTail(dst []byte, off int64) int {
	tailAt := s.f.Size - int64(len(s.f.Tail))
	end := off + int64(len(dst))
	if end <= tailAt {
		return len(dst)
	}
	left := max(0, tailAt-off)
	copy(dst[left:], s.f.Tail[off+left-tailAt:])
	return int(left)
}
