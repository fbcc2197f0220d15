package flight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/transport"
	"github.com/arrowio/arrowio/internal/tracing"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// SQLOptions says who answers the statements of Flight SQL that are more than the rows and columns of one dataset.
type SQLOptions struct {
	Engine        SQLEngine     // nil = nobody: they are refused
	Queries       int           // statements at once; more wait; default 4
	ClientQueries int           // those of one client; default half of Queries, and one at least
	Timeout       time.Duration // of a statement, to be prepared, planned and sent; default 10 minutes, -1 = no limit
	// Sessions is how many there may be at once, where the Engine has them; default 16, -1 = none. ClientSessions is how many of one
	// client; default half of Sessions, and one at least. One that is not used for SessionIdle is ended; default 10 minutes.
	Sessions, ClientSessions int
	SessionIdle              time.Duration
	// Views are names with a SELECT behind each, for the Engine. A client may read one if it may read its name and all that it reads. In
	// SQL a view hides a dataset of its name, and no dataset can be put under it.
	Views map[string]string
}

// SQLEngine answers statements. Its methods may be called concurrently. It opens datasets by SQLTables alone, with the context that
// it was called with: that checks what the client may read. Errors of SQLTables are returned as they are. An error about a view of
// SQLOptions.Views has a method SQLView, which returns its name, so that only those who may read everything are told why.
type SQLEngine interface {
	// Describe returns the schema of a statement's result and that of its parameters, without running it. params has a row of
	// values, or is nil where they are not known yet.
	Describe(ctx context.Context, text string, params arrow.Record, tables SQLTables) (result, parameters *arrow.Schema, err error)
	// Run begins a statement. params has a row of values; nil = the statement has no parameters. The rows must be closed.
	Run(ctx context.Context, text string, params arrow.Record, tables SQLTables) (SQLRows, error)
}

// SQLRows is the result of a statement, for one goroutine.
type SQLRows interface {
	Schema() *arrow.Schema
	// Read returns the next batch, which the caller releases, or io.EOF.
	Read() (arrow.Record, error)
	Close() error
}

// SQLTables are the datasets that a client may read.
type SQLTables interface {
	Names(ctx context.Context) []string
	// Views returns the views that the client may read by their names, and the SELECTs behind them.
	Views(ctx context.Context) map[string]string
	// Open opens a dataset, whose name may be qualified by SQLCatalog and SQLSchema.
	Open(ctx context.Context, name string) (SQLTable, error)
}

// SQLTable is a dataset as it was when it was opened.
type SQLTable interface {
	Schema() *arrow.Schema
	Rows() int64 // negative = not known
	// Scan reads the named columns of the rows for which filter holds; nil = all rows. An empty list is no column, but the rows
	// still count. The caller releases the reader.
	Scan(ctx context.Context, columns []string, filter expr.Expr, mem memory.Allocator) (array.RecordReader, error)
}

func (o *SQLOptions) setDefaults() {
	if o.Queries <= 0 {
		o.Queries = 4
	}
	if o.ClientQueries <= 0 {
		o.ClientQueries = max(1, o.Queries/2)
	}
	if o.Sessions == 0 {
		o.Sessions = 16
	}
	if o.ClientSessions <= 0 {
		o.ClientSessions = max(1, o.Sessions/2)
	}
	if o.SessionIdle <= 0 {
		o.SessionIdle = 10 * time.Minute
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
}

// sqlTables are the datasets of a server as a SQLEngine sees them.
type sqlTables struct{ sqlServer }

func (t sqlTables) Open(ctx context.Context, name string) (SQLTable, error) {
	written, meant := t.o.Catalog.unqualified(name)
	if t.authorize(ctx, PermitRead, meant) != nil {
		meant = written // an error tells nothing of what there is but may not be read
	}
	e, err := t.look(ctx, PermitRead, meant, nil) // only to be described, perhaps: see sqlTable.Scan
	if err != nil {
		return nil, err
	}
	return &sqlTable{t.service, e}, nil
}

func (t sqlTables) Views(ctx context.Context) map[string]string {
	out := map[string]string{}
	for name, text := range t.o.SQL.Views {
		if t.authorize(ctx, PermitRead, name) == nil {
			out[name] = text
		}
	}
	return out
}

// Views lists the views that the client may read, and can, sorted.
func (q sqlServer) Views(ctx context.Context) []string {
	names := slices.Sorted(maps.Keys(sqlTables{q}.Views(ctx)))
	if len(names) == 0 || !q.HasEngine() || !q.narrowed(ctx) {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := q.DescribeView(ctx, `SELECT * FROM "`+name+`"`) // no name has quotes
		return err != nil
	})
}

// sqlTable is a dataset as a SQLEngine sees it.
type sqlTable struct {
	s *service
	e *Entry
}

func (t *sqlTable) Schema() *arrow.Schema { return t.e.Schema }

func (t *sqlTable) Rows() int64 { return t.e.Rows }

// sqlScanShare is how many scans of a statement share the memory of its call.
const sqlScanShare = 4

func (t *sqlTable) Scan(ctx context.Context, columns []string, filter expr.Expr, mem memory.Allocator) (array.RecordReader, error) {
	CallFrom(ctx).about(t.e.Name)
	return t.s.read(ctx, t.e, Command{Dataset: t.e.Name, Columns: columns}, filter, func(o *arrowio.ScanOptions) {
		o.Allocator = mem
		o.MemoryBudget /= sqlScanShare
	})
}

// engine begins to use the engine for a call: done ends that. A statement that runs waits for its turn. The time that earlier calls
// have spent on the statement counts.
func (q sqlServer) engine(ctx context.Context, turns *pool) (_ context.Context, done func(), err error) {
	client := ""
	if c := CallFrom(ctx); c != nil {
		client = clientKey(c)
	}
	stop := context.CancelFunc(func() {})
	spent, began := sql.SpentOf(ctx), time.Now()
	if d := q.o.SQL.Timeout; d > 0 {
		late := rpcerr.Errorf(codes.DeadlineExceeded, "SQL: the statement took longer than it may: %s", d)
		if d -= spent.Duration(); d <= 0 {
			return nil, nil, late
		}
		ctx, stop = context.WithTimeoutCause(ctx, d, late)
	}
	who := holder{client: client}
	if _, err := turns.take(ctx, who, 1, 1); err != nil {
		stop()
		return nil, nil, err
	}
	return ctx, func() { turns.give(who, 1); stop(); spent.Add(time.Since(began)) }, nil
}

// Writable reports whether clients may put datasets.
func (q sqlServer) Writable() bool { return len(q.o.Writable) > 0 }

// HasEngine reports whether there is a SQLEngine.
func (q sqlServer) HasEngine() bool { return q.o.SQL.Engine != nil }

// Describe asks the session of the call, or else the engine.
func (q sqlServer) Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error) {
	x, end, err := q.within(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	return q.describe(ctx, x, text, params)
}

// DescribeView asks the engine, outside of any session.
func (q sqlServer) DescribeView(ctx context.Context, text string) (*arrow.Schema, error) {
	result, _, err := q.describe(ctx, engineAnswerer{q}, text, nil)
	return result, err
}

func (q sqlServer) describe(ctx context.Context, x sqlAnswerer, text string, params arrow.Record) (result, parameters *arrow.Schema, err error) {
	ctx, done, err := q.engine(ctx, q.sqlPlans)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	result, parameters, err = x.Describe(ctx, text, params)
	return result, parameters, q.sqlError(ctx, err)
}

// Run has the engine run a statement for each row of params, or once, and sends what comes of it.
func (q sqlServer) Run(ctx context.Context, text string, params arrow.Record, at sql.Asked, stream grpc.ServerStream) (err error) {
	if c := CallFrom(ctx); c != nil {
		c.query.Store(&at.Query)
	}
	ctx, span := tracing.Start(ctx, "sql")
	defer func() { tracing.End(span, err) }()
	x, end, err := q.redeemed(ctx, at.Session)
	if err != nil {
		return err
	}
	defer end()
	ctx, done, err := q.engine(ctx, q.sqlQueries)
	if err != nil {
		return err
	}
	defer done()
	if err := reserve(ctx, false); err != nil {
		return err
	}
	s := &sqlResult{s: q, x: x, ctx: ctx, stream: stream}
	defer s.close()
	if params == nil {
		return q.sqlError(ctx, s.run(text, nil))
	}
	for i := range params.NumRows() {
		one := params.NewSlice(i, i+1)
		err := s.run(text, one)
		one.Release()
		if err != nil {
			return q.sqlError(ctx, err)
		}
	}
	return nil
}

// sqlResult sends the rows of statements as one stream.
type sqlResult struct {
	s      sqlServer
	x      sqlAnswerer
	ctx    context.Context
	stream grpc.ServerStream
	schema *arrow.Schema
	out    *transport.Sender
}

func (r *sqlResult) close() {
	if r.out != nil {
		r.out.Close()
	}
}

func (r *sqlResult) run(text string, params arrow.Record) (err error) {
	rows, err := r.x.Run(r.ctx, text, params)
	if err != nil {
		return err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	mem := r.s.allocator()
	switch {
	case r.out == nil:
		r.schema = rows.Schema()
		if r.out, err = newSender(r.stream, r.schema, outipc.Compression{}, mem); err != nil {
			return err
		}
		if err := r.out.Begin(); err != nil {
			return err
		}
	case !r.schema.Equal(rows.Schema()):
		return errs.Errorf(errs.ErrOption, "SQL: with other values of its parameters the result has other types: %s, then %s", r.schema, rows.Schema())
	}
	cut := &transport.Batches{Rows: defaultBatchRows, Bytes: DefaultBatchBytes, Mem: mem, Send: func(rec arrow.Record, _ transport.BatchMeta) error { return r.out.Send(rec, nil) }}
	defer cut.Release()
	for {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return cut.Flush()
		}
		if err != nil {
			return err
		}
		err = cut.Add(rec, transport.BatchMeta{})
		rec.Release()
		if err != nil {
			return err
		}
	}
}

// sqlError is an error of the engine as clients get it: why its context ended, where that is why. Only clients that may read everything
// are told what is wrong with a view: it may be that they may not read what it reads. To others the view is not there.
func (q sqlServer) sqlError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *rpcerr.Error
	if cause := context.Cause(ctx); cause != nil && !errors.As(err, &known) {
		return cause
	}
	if errors.Is(err, errs.ErrLimit) && strings.Contains(err.Error(), "Out of Memory Error") {
		err = fmt.Errorf("%w: a statement may have %w and %w, and a session %w", err, errs.Opt("sql-memory", ""), errs.Opt("sql-temp-max", ""), errs.Opt("sql-session-memory", ""))
	}
	var view interface {
		error
		SQLView() string
	}
	if errors.As(err, &view) && q.narrowed(ctx) {
		id := ""
		if c := CallFrom(ctx); c != nil {
			id = c.ID
		}
		q.logger.WarnContext(ctx, "a view could not be made for a client", "view", view.SQLView(), "request_id", id, "error", err.Error())
		return rpcerr.Errorf(codes.NotFound, "there is no dataset %q", view.SQLView())
	}
	return renamedError(err, func(text string) string { return absolute().ReplaceAllString(text, "${1}(a path)") })
}
