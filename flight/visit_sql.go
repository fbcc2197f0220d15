package flight

import (
	"context"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// SQLScan says what a statement has a dataset read for.
type SQLScan struct {
	Dataset string
	Columns []string // nil = none: its rows are counted
	Filter  string   // that the scan applies; "" = none
}

// SQLScanned is implemented by SQLRows that know what is read for them. Scans returns what was begun until now.
type SQLScanned interface{ Scans() []SQLScan }

// HasSQL reports whether the server has a SQLEngine, which Query asks.
func (v *Visit) HasSQL() bool { return v.s.o.SQL.Engine != nil }

// Query has the server's SQLEngine run a statement that reads rows, outside of any session, and calls use with them. The visitor gets
// what it may read. Errors may be shown to the visitor unless they are errs.ErrInternal.
func (v *Visit) Query(ctx context.Context, text string, use func(SQLRows) error) (err error) {
	if !v.HasSQL() {
		return rpcerr.Errorf(codes.Unimplemented, "SQL: this server answers none on its page")
	}
	q := sqlServer{&service{Server: v.s}}
	q.Said(ctx, text)
	ctx, done, err := q.engine(ctx, q.sqlQueries)
	if err != nil {
		return err
	}
	defer done()
	if err := reserve(ctx, false); err != nil {
		return err
	}
	rows, err := v.s.o.SQL.Engine.Run(ctx, text, nil, sqlTables{q})
	if err != nil {
		return q.sqlError(ctx, err)
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = q.sqlError(ctx, e)
		}
	}()
	return q.sqlError(ctx, use(rows))
}
