package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// Transactions reports whether the client of a call can begin a transaction: it needs a session, and so has to keep cookies.
func (q sqlServer) Transactions(ctx context.Context) bool {
	return q.sessionEngine() != nil && sessionCookie(ctx) != ""
}

// BeginTransaction begins a transaction of the call's session, and returns its id. It is the one that BEGIN begins.
func (q sqlServer) BeginTransaction(ctx context.Context) (string, error) {
	x, err := q.needSession(ctx, false)
	if err != nil {
		return "", err
	}
	done, err := q.take(ctx, x)
	if err != nil {
		return "", err
	}
	defer done()
	if _, err := q.changeIn(ctx, x, "BEGIN", nil); err != nil {
		return "", err
	}
	id := randomID()
	x.transaction.Store(&id)
	return id, nil
}

// EndTransaction commits a transaction, or takes back what it has done.
func (q sqlServer) EndTransaction(ctx context.Context, id string, commit bool) error {
	x, err := q.session(ctx, false)
	if err != nil {
		return err
	}
	if x == nil {
		return errNoTransaction
	}
	done, err := q.take(ctx, x)
	if err != nil {
		return err
	}
	defer done()
	if err := x.inTransaction(id); err != nil {
		return err
	}
	text := "ROLLBACK"
	if commit {
		text = "COMMIT"
	}
	_, err = q.changeIn(ctx, x, text, nil)
	return err
}

// InTransaction returns an error unless the call's session is in the transaction of an id; "" = the call names none. All statements of a
// session are of its transaction, whether they name it or not.
func (q sqlServer) InTransaction(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	x, err := q.session(ctx, false)
	if err != nil {
		return err
	}
	if x == nil {
		return errNoTransaction
	}
	return x.inTransaction(id)
}

var (
	errNoTransaction = rpcerr.Errorf(codes.InvalidArgument, "SQL: the transaction is none of this session, or has ended")
	errTransaction   = rpcerr.Errorf(codes.FailedPrecondition,
		"SQL: a dataset cannot be written in a transaction, which could not take it back: COMMIT or ROLLBACK first, or have the client commit by itself (autocommit)")
)

// inTransaction is InTransaction of a session.
func (x *sqlSession) inTransaction(id string) error {
	if begun := x.transaction.Load(); begun == nil || id == "" || *begun != id {
		return errNoTransaction
	}
	return nil
}

// changeIn does a statement that changes a session, whose turn the caller has.
func (q sqlServer) changeIn(ctx context.Context, x *sqlSession, text string, params arrow.Record) (int64, error) {
	ctx, done, err := q.engine(ctx, q.sqlQueries)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := reserve(ctx, false); err != nil {
		return 0, err
	}
	rows, err := x.Change(ctx, text, params)
	x.noteTransaction()
	return rows, q.sqlError(ctx, err)
}

// noteTransaction keeps what calls that have not the turn may ask: whether a transaction has begun.
func (x *sqlSession) noteTransaction() {
	switch begun := x.Begun(); {
	case !begun:
		x.transaction.Store(nil)
	case x.transaction.Load() == nil: // by SQL: it has no id
		x.transaction.Store(new(string))
	}
}
