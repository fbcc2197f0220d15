package sql

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// Server is what SQL is answered from. Contexts are those of the client's calls.
type Server interface {
	// Said notes the statement that a call is about.
	Said(ctx context.Context, text string)
	// Names lists the datasets that the client may read, sorted.
	Names(ctx context.Context) []string
	// Views lists the views that the client may read, sorted. The engine answers what names them.
	Views(ctx context.Context) []string
	// Listed returns the schema of a dataset, for a list of several; nil = it is gone.
	Listed(ctx context.Context, name string) (*arrow.Schema, error)
	// Open opens a dataset for the client.
	Open(ctx context.Context, name string) (Dataset, error)
	// Read calls use with the rows of a ticket that Selection.Info has returned. They are sent to stream.
	Read(ctx context.Context, ticket []byte, stream grpc.ServerStream, use func(Rows) error) error
	// Send sends one record. The caller keeps it.
	Send(stream grpc.ServerStream, rec arrow.Record) error
	// QueryOf returns the id of the query that a ticket of the server is of; "" = it has none.
	QueryOf(ticket []byte) (string, error)
	// CancelInfo ends the calls of the client that read what info is of.
	CancelInfo(ctx context.Context, info *flight.FlightInfo) (cancelled bool, err error)
	// Writable reports whether clients may put datasets.
	Writable() bool
	// HasEngine reports whether statements that no dataset's command can say are answered, by Describe and Run. Describe returns
	// the schemas of a statement's result and of its parameters; params has a row of values, nil = not known. Run sends the rows, of
	// a statement that is run for each row of params, or once. CancelInfo ends it by the id of its query.
	HasEngine() bool
	Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error)
	Run(ctx context.Context, text string, params arrow.Record, at Asked, stream grpc.ServerStream) error
	// DescribeView is Describe outside of the call's session, which may be in use.
	DescribeView(ctx context.Context, text string) (*arrow.Schema, error)
	// Session tells which session the call is of; "" = none. There all statements are the engine's.
	Session(ctx context.Context) (string, error)
	// Writes reports whether a statement writes a dataset or changes a session, which Write does: once, or for each row of params. It
	// returns how many rows were written. WriteParameters returns the schema of the parameters of such a statement.
	Writes(ctx context.Context, text string) (bool, error)
	Write(ctx context.Context, text string, params arrow.Record) (rows int64, err error)
	WriteParameters(ctx context.Context, text string) (*arrow.Schema, error)
	// Transactions reports whether the client can begin one. A transaction has an id; InTransaction returns an error unless it is that of the
	// call's session, or "".
	Transactions(ctx context.Context) bool
	BeginTransaction(ctx context.Context) (id string, err error)
	EndTransaction(ctx context.Context, id string, commit bool) error
	InTransaction(ctx context.Context, id string) error
	// Temporary lists the temporary tables and views of the call's session, sorted by name.
	Temporary(ctx context.Context) ([]Temporary, error)
	// Client returns the name of the client; "" = it has none.
	Client(ctx context.Context) string
	// Allocator returns that of records.
	Allocator() memory.Allocator
}

// Asked says which statement Run is of.
type Asked struct {
	Query   string // its id
	Session string // of when it was planned
}

// Temporary is a temporary table or view of a session.
type Temporary struct {
	Name   string
	View   bool
	Schema *arrow.Schema // nil = it cannot be selected from now
}

// Dataset is an open dataset.
type Dataset interface {
	Schema() *arrow.Schema
	// Numbered reports whether Query.Rows can be asked for: the client may read all rows.
	Numbered() bool
	Select(q Query) (Selection, error)
}

// Query says what is read of a dataset, as a command of the server does.
type Query struct {
	Columns []string // nil = all
	Where   string   // "" = all rows
	Rows    string   // "A:B", counted before Where; "" = all
}

// Selection is a query that fits its dataset.
type Selection interface {
	// Schema is that of the records.
	Schema() *arrow.Schema
	// Info returns the endpoints and their tickets, and how much there is. whole: there is one endpoint.
	Info(ctx context.Context, whole bool) (*flight.FlightInfo, error)
}

// Rows are the rows of a ticket, not read yet.
type Rows interface {
	// Schema is that of the records.
	Schema() *arrow.Schema
	// Stream reads the rows and sends records of a schema. add takes each record, which it does not keep, sends what becomes of it,
	// and reports whether more are wanted; end, which may be nil, sends what is left at the end.
	Stream(schema *arrow.Schema, add func(rec arrow.Record, m transport.BatchMeta, send Sending) (more bool, err error), end func(send Sending) error) error
	// None sends the schema, and no record.
	None(schema *arrow.Schema) error
}

// Sending sends a record, which its caller keeps.
type Sending = func(rec arrow.Record, m transport.BatchMeta) error
