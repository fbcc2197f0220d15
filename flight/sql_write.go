package flight

import (
	"context"
	"errors"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// SQLWriter is a SQLEngine whose statements may write datasets: CREATE TABLE … AS SELECT and INSERT INTO … SELECT. It reads
// the rows; the server writes them, as those of a DoPut.
type SQLWriter interface {
	SQLEngine
	// Writes returns what a statement writes; nil = nothing, or what Run refuses. A statement that would change a dataset in another way is
	// an error that says what to use instead.
	Writes(text string) (*SQLWrite, error)
	// RunAll is Run of a SELECT that SQLWrite.OfAll returned: for all rows of params together.
	RunAll(ctx context.Context, text string, params arrow.Record, tables SQLTables) (SQLRows, error)
}

// SQLWrite is a statement that writes the rows of a SELECT into a dataset.
type SQLWrite struct {
	Dataset     []string          // its name, behind those that qualify it
	Mode        string            // PutCreate, PutReplace or PutAppend
	IfNotExists bool              // with PutCreate: if there is such a dataset, nothing is done
	Options     map[string]string // format and compression, as of a PutCommand
	Query       string            // the SELECT, with the parameters of the statement
	// Fitted returns the SELECT of the rows as they are written: query stands for Query, and result is its result. columns
	// are those of the dataset that is appended to, nil = it is made.
	Fitted func(query string, result *arrow.Schema, columns []arrow.Field) (string, error)
	// OfAll returns a SELECT, for RunAll, of what Query returns for each row of params; "" = there is none: Query is run for each.
	OfAll func(params arrow.Record) string
}

// Writes reports whether a statement writes a dataset, or changes the session.
func (q sqlServer) Writes(ctx context.Context, text string) (bool, error) {
	if changes, err := q.changes(ctx, text); changes || err != nil {
		return changes, err
	}
	w, err := q.writes(text)
	return w != nil, err
}

func (q sqlServer) writes(text string) (*SQLWrite, error) {
	e, ok := q.o.SQL.Engine.(SQLWriter)
	if !ok {
		return nil, nil
	}
	return e.Writes(text)
}

// WriteParameters returns the schema of the parameters of a statement that writes.
func (q sqlServer) WriteParameters(ctx context.Context, text string) (*arrow.Schema, error) {
	switch changes, err := q.changes(ctx, text); {
	case err != nil:
		return nil, err
	case changes:
		x, err := q.session(ctx, true)
		if err != nil || x == nil {
			return arrow.NewSchema(nil, nil), err
		}
		_, parameters, err := q.Describe(ctx, text, nil)
		return parameters, err
	}
	w, err := q.writes(text)
	if err != nil {
		return nil, err
	}
	_, parameters, err := q.Describe(ctx, w.Query, nil)
	return parameters, err
}

// Write runs a statement that writes, once or for each row of params, and returns how many rows were written. They are there
// together, or not at all.
func (q sqlServer) Write(ctx context.Context, text string, params arrow.Record) (int64, error) {
	switch changes, err := q.changes(ctx, text); {
	case err != nil:
		return 0, err
	case changes:
		return q.change(ctx, text, params)
	}
	w, err := q.writes(text)
	if err != nil {
		return 0, err
	}
	c, err := q.putOf(ctx, w)
	if err != nil {
		return 0, err
	}
	if w.IfNotExists {
		if err := q.authorize(ctx, PermitWrite, c.Dataset); err != nil {
			return 0, err
		}
		if _, err := q.o.Catalog.sought(ctx, c.Dataset); err == nil {
			return 0, nil
		}
	}
	lent, err := q.asPut(ctx)
	if err != nil {
		return 0, err
	}
	defer lent()
	x, end, err := q.within(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	if s, ok := x.(*sqlSession); ok && s.Begun() {
		return 0, errTransaction
	}
	ctx, done, err := q.engine(ctx, q.sqlQueries)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := reserve(ctx, false); err != nil {
		return 0, err
	}
	report, err := q.putRows(ctx, c, func(st arrowio.Store) (*PutReport, error) {
		r, err := q.writeQuery(ctx, x, c, w, params, st)
		return r, q.sqlError(ctx, c.unfit(err))
	})
	if err != nil {
		return 0, err
	}
	return report.Rows, nil
}

// putOf is the put that a statement is.
func (q sqlServer) putOf(ctx context.Context, w *SQLWrite) (*PutCommand, error) {
	name := w.Dataset[len(w.Dataset)-1]
	qualified := []string{SQLCatalog, SQLSchema}
	above := w.Dataset[:len(w.Dataset)-1]
	for i := range above {
		if len(above) > len(qualified) || !strings.EqualFold(above[i], qualified[len(qualified)-len(above)+i]) {
			return nil, rpcerr.Errorf(codes.NotFound, "SQL: tables are in %s.%s, not in %s", SQLCatalog, SQLSchema, strings.Join(above, "."))
		}
	}
	if _, meant := q.o.Catalog.unqualified(name); q.authorize(ctx, PermitWrite, meant) == nil {
		name = meant
	}
	c := &PutCommand{Dataset: name, Mode: w.Mode, keepsKinds: true}
	for k, v := range w.Options {
		if err := c.sqlOption(k, v); err != nil {
			return nil, err
		}
	}
	return c, c.check()
}

// asPut has the limits of a DoPut count for a call, until the function that it returns is called.
func (s *service) asPut(ctx context.Context) (func(), error) {
	c := CallFrom(ctx)
	if c == nil || s.o.Limiter == nil || carriesRows[c.Method] {
		return func() {}, nil
	}
	lease, err := s.o.Limiter.Begin(ctx, &Call{ID: c.ID, Method: "DoPut", Peer: c.Peer, Client: c.Client, Started: c.Started, conn: c.conn})
	if err != nil {
		return nil, exhausted(err)
	}
	had := c.lease
	c.lease = lease
	return func() { c.lease = had; lease.End() }, nil
}

// writeQuery writes the rows of a statement. It ends the store in any case.
func (q sqlServer) writeQuery(ctx context.Context, x sqlAnswerer, c *PutCommand, w *SQLWrite, params arrow.Record, st arrowio.Store) (*PutReport, error) {
	rows, err := q.fitted(ctx, x, c, w, params)
	if err != nil {
		return nil, errors.Join(err, st.Abort())
	}
	defer rows.Release()
	return q.writeRows(c, st, rows.Schema(), q.clientScan(ctx), func(format arrowio.OutputFormat, o convert.Options) (*convert.Report, error) {
		return convert.Write(ctx, rows, format, st, o)
	})
}

// fitted begins to read the rows that a statement writes, as columns of the dataset.
func (q sqlServer) fitted(ctx context.Context, x sqlAnswerer, c *PutCommand, w *SQLWrite, params arrow.Record) (*queryRows, error) {
	var first arrow.Record
	if params != nil {
		first = params.NewSlice(0, 1)
		defer first.Release()
	}
	result, parameters, err := x.Describe(ctx, w.Query, first)
	if err != nil {
		c.hidden = false // it is the SELECT that is wrong
		return nil, err
	}
	if n := parameters.NumFields(); n > 0 && params == nil {
		return nil, rpcerr.Errorf(codes.InvalidArgument, "SQL: no value is bound to parameters (the statement has %d): prepare the statement and bind a value to each, at the server that is asked", n)
	}
	query := w.Query
	run := func(text string, row int64) (SQLRows, error) {
		if params == nil {
			return x.Run(ctx, text, nil)
		}
		one := params.NewSlice(row, row+1)
		defer one.Release()
		return x.Run(ctx, text, one)
	}
	times := int64(1)
	if params != nil {
		times = params.NumRows()
	}
	e, alone := q.o.SQL.Engine.(SQLWriter)
	if _, ok := x.(*sqlSession); ok {
		alone = false
	}
	if all := w.ofAll(params); all != "" && alone {
		query, times = all, 1
		run = func(text string, _ int64) (SQLRows, error) { return e.RunAll(ctx, text, params, sqlTables{q}) }
	}
	var columns []arrow.Field
	if c.columns != nil {
		columns = c.columns.Fields()
	}
	text, err := w.Fitted(query, result, columns)
	if err != nil {
		return nil, err
	}
	return newQueryRows(c.columns, q.allocator(), times, func(row int64) (SQLRows, error) { return run(text, row) })
}

// unfit is an error of rows of a SELECT that is right by itself: what does not fit the dataset is not told to a client that may
// not read it.
func (c *PutCommand) unfit(err error) error {
	if c.hidden && (errors.Is(err, errs.ErrSchema) || errors.Is(err, errs.ErrOption) || errors.Is(err, errs.ErrUnsupported)) {
		return errAppendUnfit(c.Dataset)
	}
	return err
}

func (w *SQLWrite) ofAll(params arrow.Record) string {
	if params == nil || params.NumRows() < 2 || w.OfAll == nil {
		return ""
	}
	return w.OfAll(params)
}

// sqlOption sets an option of a statement or a message of Flight SQL that puts rows.
func (c *PutCommand) sqlOption(name, value string) error {
	switch name {
	case "format":
		c.Format = strings.ToLower(value)
	case "compression":
		c.Compression = strings.ToLower(value)
	case "losses":
		if c.Losses = strings.ToLower(value); c.Losses != lossesRefused && c.Losses != lossesReported {
			return errs.Errorf(errs.ErrOption, "Flight SQL: losses %q is not one of %s, %s", value, lossesReported, lossesRefused)
		}
	default:
		return errs.Errorf(errs.ErrOption, "Flight SQL: there is no option %q: options are format, compression and losses", name)
	}
	return nil
}
