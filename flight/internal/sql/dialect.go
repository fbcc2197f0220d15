package sql

import (
	"bytes"
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// What datasets are, to clients that speak Flight SQL: the tables of one schema of one catalog.
const (
	Catalog   = "arrowio"
	Schema    = "main"
	tableType = "TABLE"
	viewType  = "VIEW"
)

// TempCatalog is the catalog of the temporary tables of a session, as DuckDB calls it. Its schema is Schema, too.
const (
	TempCatalog = "temp"
	tempType    = "LOCAL TEMPORARY"
)

// maxMessageBytes is the longest command, ticket, handle or body.
const maxMessageBytes = 1 << 20

// prefix is what the messages of Flight SQL are named with.
const prefix = "arrow.flight.protocol.sql."

// Dialect answers the messages of Flight SQL, which are in descriptors and tickets: each a protobuf Any.
type Dialect struct {
	s     Server
	bound boundValues
}

// New returns the dialect of a server.
func New(s Server) *Dialect { return &Dialect{s: s} }

// Owns reports whether a command or a ticket is of Flight SQL. A JSON text, which might begin with a newline as an Any does,
// names no message.
func Owns(command []byte) bool {
	if len(command) == 0 || command[0] != anyTag || !bytes.Contains(command[:min(len(command), 128)], []byte(prefix)) {
		return false
	}
	var a anypb.Any
	return proto.Unmarshal(command, &a) == nil && strings.HasPrefix(string(a.MessageName()), prefix)
}

// anyTag is the field type_url of an Any.
const anyTag = 1<<3 | 2

// messageOf reads a command or a ticket.
func messageOf(b []byte) (proto.Message, error) {
	if len(b) > maxMessageBytes {
		return nil, errs.Errorf(errs.ErrOption, "Flight SQL: %d bytes; the most is %d", len(b), maxMessageBytes)
	}
	var a anypb.Any
	if err := proto.Unmarshal(b, &a); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "Flight SQL: the command or ticket is not one of its messages")
	}
	m, err := a.UnmarshalNew()
	if err != nil {
		return nil, rpcerr.Errorf(codes.Unimplemented, "Flight SQL: the message %s is unknown", a.MessageName())
	}
	return m, nil
}

// refusedMessage says why a message is not answered.
func refusedMessage(m proto.Message) error {
	name := m.ProtoReflect().Descriptor().Name()
	switch m.(type) {
	case *pb.CommandStatementUpdate, *pb.CommandPreparedStatementUpdate:
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: %s is not supported: SQL cannot change datasets; rows are put by CommandStatementIngest or DoPut", name)
	}
	return rpcerr.Errorf(codes.Unimplemented, "Flight SQL: %s is not supported", name)
}

// Info answers GetFlightInfo.
func (d *Dialect) Info(ctx context.Context, at *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	m, err := messageOf(at.GetCmd())
	if err != nil {
		return nil, err
	}
	ctx, _ = WithSpent(ctx, spentOn(m))
	if _, err := d.s.Session(ctx); err != nil {
		return nil, err
	}
	if q, ok := m.(*pb.CommandStatementQuery); ok {
		if err := d.s.InTransaction(ctx, string(q.GetTransactionId())); err != nil {
			return nil, err
		}
	}
	plans, err := d.planMessage(ctx, m)
	if err == nil && plans != nil {
		return flightInfos(ctx, plans, at)
	}
	if err != nil {
		text, values, literals, textErr := d.textOf(ctx, m)
		if textErr != nil || literals || !d.unanswered(text, err) {
			return nil, err
		}
		if writes, err := d.written(ctx, text); err != nil {
			return nil, err
		} else if writes {
			return d.writtenInfo(ctx, text, values, at)
		}
		a, schema, err := d.ask(ctx, text, values)
		if err != nil {
			return nil, err
		}
		return a.info(schema, at)
	}
	s := metadataSchema(m)
	if s == nil {
		return nil, refusedMessage(m)
	}
	// The command is the ticket: the catalog is read when the ticket is.
	return &flight.FlightInfo{
		Schema: schemaBytes(s), FlightDescriptor: at, TotalRecords: -1, TotalBytes: -1, Ordered: true,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: at.GetCmd()}}},
	}, nil
}

func schemaBytes(s *arrow.Schema) []byte {
	return flight.SerializeSchema(s, memory.NewGoAllocator())
}

// Schema answers GetSchema.
func (d *Dialect) Schema(ctx context.Context, at *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	m, err := messageOf(at.GetCmd())
	if err != nil {
		return nil, err
	}
	var s *arrow.Schema
	switch m := m.(type) {
	case *pb.CommandPreparedStatementQuery: // values need not be bound to know it
		st, err := parseStatement(m.GetPreparedStatementHandle())
		if err != nil {
			return nil, err
		}
		if s, _, err = d.describe(ctx, st.SQL, st.Engine); err != nil {
			return nil, err
		}
		if s == noColumns {
			s = countSchema(countName)
		}
	default:
		plans, err := d.planMessage(ctx, m)
		if err != nil {
			text, _, _, _ := d.textOf(ctx, m)
			if !d.unanswered(text, err) {
				return nil, err
			}
			if s, _, err = d.describe(ctx, text, true); err != nil {
				return nil, err
			}
			if s == noColumns {
				s = countSchema(countName)
			}
			return &flight.SchemaResult{Schema: schemaBytes(s)}, nil
		}
		if s = metadataSchema(m); plans != nil {
			s = plans[0].schema
		}
	}
	if s == nil {
		return nil, refusedMessage(m)
	}
	return &flight.SchemaResult{Schema: schemaBytes(s)}, nil
}

// planMessage returns the plans of a message that is a SELECT, one for each row of its parameters; nil = it is none.
func (d *Dialect) planMessage(ctx context.Context, m proto.Message) ([]*plan, error) {
	switch m := m.(type) {
	case *pb.CommandStatementQuery:
		if session, err := d.s.Session(ctx); err != nil {
			return nil, err
		} else if session != "" {
			return nil, errEngine
		}
		return d.plans(ctx, m.GetQuery(), nil)
	case *pb.CommandPreparedStatementQuery:
		st, err := parseStatement(m.GetPreparedStatementHandle())
		if err != nil {
			return nil, err
		}
		if st.Engine {
			return nil, errEngine
		}
		params := st.Params
		if params == nil {
			engine := false
			if params, engine = d.bound.params(d.boundKey(ctx, st.ID)); engine {
				return nil, errEngine
			}
		}
		return d.plans(ctx, st.SQL, params)
	}
	return nil, nil
}

// errEngine stands for a plan of a statement that is known to be the engine's.
var errEngine = rpcerr.Errorf(codes.Unimplemented, "the statement was prepared by a server that answers all SQL; this one does not")

// describe returns the schemas of the result of a statement and of its parameters, whose values are not known. engine: it is
// not ours to answer. The result of one that writes is noColumns.
func (d *Dialect) describe(ctx context.Context, text string, engine bool) (result, parameters *arrow.Schema, err error) {
	session, err := d.s.Session(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = errEngine
	var p *plan
	if !engine && session == "" {
		p, err = d.plan(ctx, text, nil, true)
	}
	switch {
	case d.unanswered(text, err):
		return d.asked(ctx, text)
	case err != nil:
		return nil, nil, err
	}
	parameters, err = p.parameters()
	return p.schema, parameters, err
}

// asked is describe of what the engine is asked for.
func (d *Dialect) asked(ctx context.Context, text string) (result, parameters *arrow.Schema, err error) {
	writes, err := d.written(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	if writes {
		parameters, err = d.s.WriteParameters(ctx, text)
		return noColumns, parameters, err
	}
	return d.s.Describe(ctx, text, nil)
}

// Get answers DoGet.
func (d *Dialect) Get(ctx context.Context, ticket []byte, stream grpc.ServerStream) error {
	m, err := messageOf(ticket)
	if err != nil {
		return err
	}
	if m, ok := m.(*pb.TicketStatementQuery); ok {
		t, err := parseTicket(m.GetStatementHandle())
		if err != nil {
			return err
		}
		return d.redeem(ctx, t, stream)
	}
	rec, err := d.metadata(ctx, m)
	if err != nil {
		return err
	}
	if rec == nil {
		return refusedMessage(m)
	}
	defer rec.Release()
	return d.s.Send(stream, rec)
}

// Pack makes a message the Any that Owns tells.
func Pack(m proto.Message) ([]byte, error) {
	a, err := anypb.New(m)
	if err == nil {
		var b []byte
		if b, err = (proto.MarshalOptions{Deterministic: true}).Marshal(a); err == nil {
			return b, nil
		}
	}
	return nil, errs.Errorf(errs.ErrInternal, "%w", err)
}

// QueryOf returns the id of the query that a ticket is of; "" = it has none.
func (d *Dialect) QueryOf(b []byte) (string, error) {
	m, err := messageOf(b)
	if err != nil {
		return "", err
	}
	st, ok := m.(*pb.TicketStatementQuery)
	if !ok {
		return "", nil
	}
	t, err := parseTicket(st.GetStatementHandle())
	if err != nil || t.Of == nil && t.Ask == nil {
		return "", err
	}
	if t.Ask != nil {
		return t.Ask.Query, nil
	}
	return d.s.QueryOf(t.Of)
}
