package flight

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// closeCounter is a session that does nothing.
type closeCounter struct {
	SQLSession
	closed int
}

func (c *closeCounter) Close() { c.closed++ }

// A statement waits for another of its session, but not for ever, and not longer than its call; and a session in use is not idle.
func TestSessionTurn(t *testing.T) {
	s := &Server{o: Options{SQL: SQLOptions{SessionIdle: time.Hour}}}
	in := &closeCounter{}
	x := &sqlSession{SQLSession: in, turn: make(chan struct{}, 1), wait: 10 * time.Millisecond, idle: time.NewTimer(time.Hour)}
	done, err := s.take(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	var coded *rpcerr.Error
	if _, err := s.take(t.Context(), x); !errors.As(err, &coded) || coded.Code != codes.Aborted {
		t.Error(err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	x.wait = time.Hour
	if _, err := s.take(ctx, x); !errors.Is(err, gone) {
		t.Error(err)
	}
	s.endIdle(x)
	if in.closed != 0 {
		t.Error("a session in use was ended")
	}
	done()
	s.endIdle(x)
	if _, err := s.take(t.Context(), x); !errors.Is(err, errSessionGone) || in.closed != 1 {
		t.Error(err, in.closed)
	}
	s.endIdle(x)
	if in.closed != 1 {
		t.Error("closed twice")
	}
}
