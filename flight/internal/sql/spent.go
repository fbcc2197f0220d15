package sql

import (
	"context"
	"time"

	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/protobuf/proto"
)

// spentKey is the key of a context's Spent.
type spentKey struct{}

// Spent is how long the engine has worked on a statement, in the calls before and in this one. Handles and tickets take it along, since the
// limit of time is that of all of them together.
type Spent struct{ ms int64 }

// maxSpent is the most that a handle or a ticket may say: longer than any limit of time.
const maxSpent = int64(24 * 365 * time.Hour / time.Millisecond)

// WithSpent returns a context for a call about a statement on which ms milliseconds were spent before.
func WithSpent(ctx context.Context, ms int64) (context.Context, *Spent) {
	s := &Spent{min(ms, maxSpent)}
	return context.WithValue(ctx, spentKey{}, s), s
}

// SpentOf returns that of a call's statement; nil = it is about none.
func SpentOf(ctx context.Context) *Spent {
	s, _ := ctx.Value(spentKey{}).(*Spent)
	return s
}

// Duration returns it; nil = 0.
func (s *Spent) Duration() time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(s.ms) * time.Millisecond
}

// Add adds to it, if it is there.
func (s *Spent) Add(d time.Duration) {
	if s != nil {
		s.ms = min(s.ms+d.Milliseconds(), maxSpent)
	}
}

func validSpent(ms int64) bool { return ms >= 0 && ms <= maxSpent }

// spentOn is what was spent when a statement was prepared; 0 = nothing, or it was not.
func spentOn(m proto.Message) int64 {
	var handle []byte
	switch m := m.(type) {
	case *pb.CommandPreparedStatementQuery:
		handle = m.GetPreparedStatementHandle()
	case *pb.CommandPreparedStatementUpdate:
		handle = m.GetPreparedStatementHandle()
	default:
		return 0
	}
	st, err := parseStatement(handle)
	if err != nil {
		return 0 // who reads the handle says so
	}
	return st.Spent
}
