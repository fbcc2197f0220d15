package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/transport"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// Names for clients that use Flight SQL. They see the datasets as the tables of one schema in one catalog.
const (
	SQLCatalog = sql.Catalog
	SQLSchema  = sql.Schema
)

// sqlServer is the server as package sql sees it.
type sqlServer struct{ *service }

func (q sqlServer) Said(ctx context.Context, text string) { CallFrom(ctx).say(text) }

func (q sqlServer) Names(ctx context.Context) []string {
	var out []string
	for _, name := range q.o.Catalog.Names() {
		if _, hidden := q.o.SQL.Views[name]; !hidden && q.authorize(ctx, PermitRead, name) == nil {
			out = append(out, name)
		}
	}
	return out
}

func (q sqlServer) Listed(ctx context.Context, name string) (*arrow.Schema, error) {
	e, err := q.listed(ctx, name)
	if err != nil || e == nil {
		return nil, err
	}
	return e.Schema, nil
}

func (q sqlServer) Open(ctx context.Context, name string) (sql.Dataset, error) {
	if _, ok := q.o.SQL.Views[name]; ok { // which the engine reads
		return nil, rpcerr.Errorf(codes.NotFound, "there is no dataset %q", name)
	}
	e, err := q.open(ctx, PermitRead, name, nil)
	if err != nil {
		return nil, err
	}
	return sqlDataset{q.service, e}, nil
}

func (q sqlServer) Read(ctx context.Context, ticket []byte, stream grpc.ServerStream, use func(sql.Rows) error) error {
	t, err := ParseTicket(ticket)
	if err != nil {
		return err
	}
	return q.withTicketRows(ctx, t, func(p *ticketRows) error { return use(&sqlRows{q.service, ctx, p, stream}) })
}

func (q sqlServer) Send(stream grpc.ServerStream, rec arrow.Record) error {
	out, err := newSender(stream, rec.Schema(), outipc.Compression{}, q.o.Allocator)
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Send(rec, nil)
}

func (q sqlServer) QueryOf(ticket []byte) (string, error) {
	t, err := ParseTicket(ticket)
	if err != nil {
		return "", err
	}
	return t.Query, nil
}

func (q sqlServer) CancelInfo(ctx context.Context, info *flight.FlightInfo) (bool, error) {
	return q.cancelInfo(ctx, info)
}

func (q sqlServer) Client(ctx context.Context) string {
	if c := CallFrom(ctx); c != nil {
		return c.Client.Name
	}
	return ""
}

func (q sqlServer) Allocator() memory.Allocator { return q.allocator() }

// sqlDataset is an Entry as package sql sees it.
type sqlDataset struct {
	s *service
	e *Entry
}

func (d sqlDataset) Schema() *arrow.Schema { return d.e.Schema }

func (d sqlDataset) Numbered() bool { return d.e.Numbered() }

func (d sqlDataset) Select(q sql.Query) (sql.Selection, error) {
	b, err := (&Command{Dataset: d.e.Name, Columns: q.Columns, Where: q.Where, Rows: q.Rows}).bind(d.e)
	if err != nil {
		return nil, d.e.Public(err)
	}
	return sqlSelection{d.s, b}, nil
}

// sqlSelection is a bound command as package sql sees it.
type sqlSelection struct {
	s *service
	b *bound
}

func (x sqlSelection) Schema() *arrow.Schema { return x.b.schema }

func (x sqlSelection) Info(ctx context.Context, whole bool) (*flight.FlightInfo, error) {
	parts, err := x.parts(ctx, whole)
	if err != nil {
		return nil, x.b.entry.Public(err)
	}
	return x.s.infoOf(x.b, parts)
}

// parts divides the rows into endpoints, or makes one of all. If that one has more files than a ticket may name, it names none
// of them, and stands for what there is when it is read.
func (x sqlSelection) parts(ctx context.Context, whole bool) ([]dataset.Part, error) {
	if !whole {
		return x.b.endpoints(ctx, x.s.o.EndpointBytes)
	}
	one, err := x.b.together(ctx, true)
	if len(one.Files) > maxParts {
		one.Files = nil
	}
	return []dataset.Part{one}, err
}

// sqlRows are the rows of a ticket as package sql sees them.
type sqlRows struct {
	s      *service
	ctx    context.Context
	p      *ticketRows
	stream grpc.ServerStream
}

func (r *sqlRows) Schema() *arrow.Schema { return r.p.b.schema }

func (r *sqlRows) Stream(schema *arrow.Schema, add func(arrow.Record, transport.BatchMeta, sql.Sending) (bool, error), end func(sql.Sending) error) error {
	return r.s.streamRows(r.ctx, r.p, r.stream, rowsToSend{schema: schema, add: add, end: end})
}

func (r *sqlRows) None(schema *arrow.Schema) error {
	out, err := newSender(r.stream, schema, r.p.b.bodies(), r.s.allocator())
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Begin()
}
