package page

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/flight/auth"
)

const (
	bodyPiece = 64 << 10
	bodyStall = 30 * time.Second // in which a client takes a piece, see Page.stall
)

// body is what an answer has behind its header. The first piece waits until it is full, or all is there: until then the answer may
// still become another.
type body struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration // in which the client takes a piece
	header  http.Header
	sent    func(bytes int)
	wait    []byte
	began   bool
}

// newBody takes the time limits of the server off an answer: each piece gets its own.
func newBody(w http.ResponseWriter, stall time.Duration) *body {
	b := &body{w: w, control: http.NewResponseController(w), stall: stall}
	_ = b.control.SetReadDeadline(time.Time{})  // not every answer has one
	_ = b.control.SetWriteDeadline(time.Time{}) // as above
	return b
}

// begin sends the header.
func (b *body) begin() {
	maps.Copy(b.w.Header(), b.header)
	b.began = true
	b.w.WriteHeader(http.StatusOK)
}

func (b *body) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		k := min(len(p), bodyPiece-len(b.wait))
		b.wait = append(b.wait, p[:k]...)
		n, p = n+k, p[k:]
		if len(b.wait) == bodyPiece {
			if err := b.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// flush sends what waits.
func (b *body) flush() error {
	if !b.began {
		b.begin()
	}
	_ = b.control.SetWriteDeadline(time.Now().Add(b.stall)) // not every answer has one
	n, err := b.w.Write(b.wait)
	b.sent(n)
	b.wait = b.wait[:0]
	if err != nil {
		return status.Error(codes.Canceled, "the client has gone, or took nothing for "+b.stall.String())
	}
	return nil
}

// finish sends the rest: the body is whole.
func (b *body) finish() error {
	if !b.began {
		b.header.Set("Content-Length", strconv.Itoa(len(b.wait)))
	}
	return b.flush()
}

// bodyStore is the store of a writer whose one object is a body.
type bodyStore struct {
	body    *body
	created bool
}

// Create implements arrowio.Store.
func (s *bodyStore) Create(context.Context, string) (arrowio.Sink, error) {
	if s.created {
		return nil, errs.Errorf(errs.ErrInternal, "a second file in a download")
	}
	s.created = true
	return bodySink{s.body}, nil
}

// Scratch implements arrowio.Store.
func (s *bodyStore) Scratch() (arrowio.ScratchFile, error) {
	return nil, errs.Errorf(errs.ErrLimit, "a download has no files for what does not fit into memory")
}

// Commit implements arrowio.Store.
func (s *bodyStore) Commit() error { return s.body.finish() }

// Abort implements arrowio.Store.
func (s *bodyStore) Abort() error { return nil }

// bodySink is a body that its writer has ended, but that is not whole before the store says so.
type bodySink struct{ *body }

func (bodySink) Close() error { return nil }

const (
	maxSends       = 8 // downloads at once
	maxClientSends = 4 // those of one client
)

// senders counts downloads.
type senders struct {
	mu  sync.Mutex
	all int
	by  map[string]int
}

// enter lets a client begin a download, until leave is called.
func (s *senders) enter(c *flight.Call) (leave func(), err error) {
	who := "name " + c.Client.Name
	if c.Client.Name == "" {
		who = auth.Host(c.Peer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxSends || s.by[who] >= maxClientSends {
		return nil, status.Error(codes.ResourceExhausted, fmt.Sprintf("There may be %d downloads at once, and %d of one client: try again when one has ended.", maxSends, maxClientSends))
	}
	if s.by == nil {
		s.by = map[string]int{}
	}
	s.all++
	s.by[who]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.by[who]--; s.by[who] == 0 {
			delete(s.by, who)
		}
	}, nil
}
