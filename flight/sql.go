package flight

import (
	"bytes"
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// What datasets are, to clients that speak Flight SQL: the tables of one schema of one catalog.
const (
	SQLCatalog   = "arrowio"
	SQLSchema    = "main"
	sqlTableType = "TABLE"
)

// sqlPrefix is what the messages of Flight SQL are named with.
const sqlPrefix = "arrow.flight.protocol.sql."

// sql is the dialect of Flight SQL: a protobuf Any of one of its messages, in descriptors and tickets.
type sql struct{ *service }

// owns implements dialect. A JSON text, which might begin with a newline as an Any does, names no message.
func (sql) owns(command []byte) bool {
	if len(command) == 0 || command[0] != anyTag || !bytes.Contains(command[:min(len(command), 128)], []byte(sqlPrefix)) {
		return false
	}
	var a anypb.Any
	return proto.Unmarshal(command, &a) == nil && strings.HasPrefix(string(a.MessageName()), sqlPrefix)
}

// anyTag is the field type_url of an Any.
const anyTag = 1<<3 | 2

// message reads a command or a ticket.
func (sql) message(b []byte) (proto.Message, error) {
	if len(b) > maxTicketBytes {
		return nil, errs.Errorf(errs.ErrOption, "Flight SQL: %d bytes; the most is %d", len(b), maxTicketBytes)
	}
	var a anypb.Any
	if err := proto.Unmarshal(b, &a); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "Flight SQL: this is no message of it")
	}
	m, err := a.UnmarshalNew()
	if err != nil {
		return nil, rpcerr.Errorf(codes.Unimplemented, "Flight SQL: %s is not known here", a.MessageName())
	}
	return m, nil
}

// refusedMessage says why a message is not answered.
func refusedMessage(m proto.Message) error {
	name := m.ProtoReflect().Descriptor().Name()
	switch m.(type) {
	case *pb.CommandStatementUpdate, *pb.CommandPreparedStatementUpdate:
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: nothing can be changed by SQL here: %s is not answered", name)
	}
	return rpcerr.Errorf(codes.Unimplemented, "Flight SQL: %s is not answered here", name)
}

// info implements dialect.
func (q sql) info(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	m, err := q.message(d.GetCmd())
	if err != nil {
		return nil, err
	}
	p, err := q.planMessage(ctx, m)
	if err != nil {
		return nil, err
	}
	if p != nil {
		info, err := p.flightInfo(ctx, q.service, d)
		return info, p.public(err)
	}
	s := metadataSchema(m)
	if s == nil {
		return nil, refusedMessage(m)
	}
	// The command is the ticket: what there is, is looked up when it is redeemed.
	return &flight.FlightInfo{
		Schema: schemaBytes(s), FlightDescriptor: d, TotalRecords: -1, TotalBytes: -1, Ordered: true,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: d.GetCmd()}}},
	}, nil
}

// schema implements dialect.
func (q sql) schema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	m, err := q.message(d.GetCmd())
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
		p, err := q.plan(ctx, st.SQL, nil, true)
		if err != nil {
			return nil, err
		}
		s = p.schema
	default:
		p, err := q.planMessage(ctx, m)
		if err != nil {
			return nil, err
		}
		if s = metadataSchema(m); p != nil {
			s = p.schema
		}
	}
	if s == nil {
		return nil, refusedMessage(m)
	}
	return &flight.SchemaResult{Schema: schemaBytes(s)}, nil
}

// planMessage returns the plan of a message that is a SELECT; nil = it is none.
func (q sql) planMessage(ctx context.Context, m proto.Message) (*sqlPlan, error) {
	switch m := m.(type) {
	case *pb.CommandStatementQuery:
		if err := noTransaction(m.GetTransactionId()); err != nil {
			return nil, err
		}
		return q.plan(ctx, m.GetQuery(), nil, false)
	case *pb.CommandPreparedStatementQuery:
		st, err := parseStatement(m.GetPreparedStatementHandle())
		if err != nil {
			return nil, err
		}
		params := st.Params
		if params == nil {
			params = q.prepared.params(ctx, st.ID)
		}
		return q.plan(ctx, st.SQL, params, false)
	}
	return nil, nil
}

func noTransaction(id []byte) error {
	if len(id) > 0 {
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: there are no transactions here")
	}
	return nil
}

// get implements dialect.
func (q sql) get(ctx context.Context, t *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	m, err := q.message(t.GetTicket())
	if err != nil {
		return err
	}
	if m, ok := m.(*pb.TicketStatementQuery); ok {
		st, err := parseSQLTicket(m.GetStatementHandle())
		if err != nil {
			return err
		}
		return q.redeemSQL(ctx, st, stream)
	}
	rec, err := q.metadata(ctx, m)
	if err != nil {
		return err
	}
	if rec == nil {
		return refusedMessage(m)
	}
	defer rec.Release()
	return q.sendOne(rec, stream)
}

// sendOne answers with one record.
func (q sql) sendOne(rec arrow.Record, stream flight.FlightService_DoGetServer) error {
	out, err := newSender(stream, rec.Schema(), "", q.o.Allocator)
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Send(rec, nil)
}

// packSQL makes a message the Any that owns tells.
func packSQL(m proto.Message) ([]byte, error) {
	a, err := anypb.New(m)
	if err == nil {
		var b []byte
		if b, err = (proto.MarshalOptions{Deterministic: true}).Marshal(a); err == nil {
			return b, nil
		}
	}
	return nil, errs.Errorf(errs.ErrInternal, "%w", err)
}

// queryOf returns the query id of a ticket, of whatever language; "" = it has none.
func queryOf(ticket []byte) (string, error) {
	if !(sql{}).owns(ticket) {
		t, err := ParseTicket(ticket)
		if err != nil {
			return "", err
		}
		return t.Query, nil
	}
	m, err := sql{}.message(ticket)
	if err != nil {
		return "", err
	}
	st, ok := m.(*pb.TicketStatementQuery)
	if !ok {
		return "", nil
	}
	t, err := parseSQLTicket(st.GetStatementHandle())
	if err != nil || t.rows == nil {
		return "", err
	}
	return t.rows.Query, nil
}
