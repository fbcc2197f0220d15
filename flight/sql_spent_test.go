package flight

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"
)

// slowEngine takes a while to describe a statement, and tells how much time each call leaves it.
type slowEngine struct {
	takes time.Duration
	left  chan time.Duration
}

func (e slowEngine) tell(ctx context.Context) {
	end, _ := ctx.Deadline()
	e.left <- time.Until(end)
}

func (e slowEngine) Describe(ctx context.Context, _ string, _ arrow.Record, _ SQLTables) (result, parameters *arrow.Schema, err error) {
	e.tell(ctx)
	time.Sleep(e.takes)
	return arrow.NewSchema(nil, nil), arrow.NewSchema(nil, nil), nil
}

func (e slowEngine) Run(ctx context.Context, _ string, _ arrow.Record, _ SQLTables) (SQLRows, error) {
	e.tell(ctx)
	return nil, errors.New("no rows")
}

// The limit of time is that of all calls about a statement together.
func TestSQLTimeoutCountsAll(t *testing.T) {
	t.Parallel()
	const takes, most = 30 * time.Millisecond, time.Hour
	e := slowEngine{takes, make(chan time.Duration, 9)}
	r, _ := startSQL(t, Options{SQL: SQLOptions{Engine: e, Timeout: most}})
	c := r.sqlClient(t)
	st, err := c.Prepare(t.Context(), "FAR FROM IT")
	if err != nil {
		t.Fatal(err)
	}
	info, err := st.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rd, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
	if err == nil {
		rd.Release()
		t.Error("rows")
	}
	for i, what := range []string{"prepare", "plan", "run"} {
		if left := <-e.left; left > most-time.Duration(i)*takes {
			t.Errorf("%s: %v is left of %v", what, left, most)
		}
	}
}

// A statement that has taken all its time while it was planned is not run.
func TestSQLTimeoutSpent(t *testing.T) {
	t.Parallel()
	e := slowEngine{1100 * time.Millisecond, make(chan time.Duration, 9)}
	r, _ := startSQL(t, Options{SQL: SQLOptions{Engine: e, Timeout: time.Second}})
	c := r.sqlClient(t)
	info, err := c.Execute(t.Context(), "FAR FROM IT")
	if err != nil {
		t.Fatal(err)
	}
	rd, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
	if err == nil {
		rd.Release()
	}
	if codeOf(err) != codes.DeadlineExceeded || len(e.left) != 1 {
		t.Errorf("%v, asked %d times", err, len(e.left))
	}
}
