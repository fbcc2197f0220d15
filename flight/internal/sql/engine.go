package sql

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/readers/ipc"
)

// asked is a statement that the server's engine answers. It is all that a server needs for it, in a ticket.
type asked struct {
	SQL    string `json:"sql"`
	Values string `json:"values,omitempty"` // rows of its parameters, a stream of Arrow IPC in base64; absent = it has none
	Query  string `json:"query"`            // id, for CancelFlightInfo
	// Session is the session in which the statement was planned, and is run.
	Session string `json:"session,omitempty"`
	// Spent is how many milliseconds it took to prepare and to plan it.
	Spent int64 `json:"spent,omitempty"`
}

// unanswered is what a plan says of a statement that the engine is to be asked for.
func (d *Dialect) unanswered(text string, err error) bool {
	return err != nil && d.s.HasEngine() && len(text) <= MaxTextBytes
}

// ask returns the statement and the schema of its result, without running it.
func (d *Dialect) ask(ctx context.Context, text string, values []byte) (*asked, *arrow.Schema, error) {
	params, err := rowsOf(ctx, values)
	if err != nil {
		return nil, nil, err
	}
	var first arrow.Record
	if params != nil {
		defer params.Release()
		first = params.NewSlice(0, 1)
		defer first.Release()
	}
	result, parameters, err := d.s.Describe(ctx, text, first)
	if err != nil {
		return nil, nil, err
	}
	if n := parameters.NumFields(); n > 0 && params == nil {
		return nil, nil, rpcerr.Errorf(codes.InvalidArgument, "SQL: no value is bound to parameters (the statement has %d): prepare the statement and bind a value to each, at the server that is asked", n)
	}
	session, err := d.s.Session(ctx)
	a := &asked{SQL: text, Values: base64.StdEncoding.EncodeToString(values), Query: newID(), Session: session}
	if s := SpentOf(ctx); s != nil {
		a.Spent = s.ms
	}
	return a, result, err
}

// info is the FlightInfo of a statement for the engine: one endpoint, whose ticket has the statement in it.
func (a *asked) info(schema *arrow.Schema, at *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	b, err := (&ticket{Ask: a}).pack()
	if err != nil {
		return nil, err
	}
	if len(b) > maxMessageBytes {
		return nil, errs.Errorf(errs.ErrLimit, "SQL: its ticket has %d bytes; the most is %d", len(b), maxMessageBytes)
	}
	return &flight.FlightInfo{
		Schema: schemaBytes(schema), FlightDescriptor: at, TotalRecords: -1, TotalBytes: -1, Ordered: true,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: b}}},
	}, nil
}

// run answers DoGet.
func (a *asked) run(ctx context.Context, d *Dialect, stream grpc.ServerStream) error {
	if !d.s.HasEngine() {
		return rpcerr.Errorf(codes.Unimplemented, "the ticket is of a server that answers all SQL; this one does not")
	}
	d.s.Said(ctx, a.SQL)
	values, err := fromBase64(a.Values)
	if err != nil {
		return err
	}
	params, err := rowsOf(ctx, values)
	if err != nil {
		return err
	}
	if params != nil {
		defer params.Release()
	}
	ctx, _ = WithSpent(ctx, a.Spent)
	return d.s.Run(ctx, a.SQL, params, Asked{a.Query, a.Session}, stream)
}

// textOf returns the statement of a message, and the values for the engine that are bound to it. literals: what is bound is none of
// these, and whatever the plan says of it stands.
func (d *Dialect) textOf(ctx context.Context, m proto.Message) (text string, values []byte, literals bool, err error) {
	switch m := m.(type) {
	case *pb.CommandStatementQuery:
		return m.GetQuery(), nil, false, nil
	case *pb.CommandPreparedStatementQuery:
		st, err := parseStatement(m.GetPreparedStatementHandle())
		if err != nil {
			return "", nil, false, err
		}
		if values, err = fromBase64(st.Values); err != nil {
			return "", nil, false, err
		}
		if values != nil || st.Params != nil {
			return st.SQL, values, st.Params != nil, nil
		}
		kept, engine := d.bound.params(d.boundKey(ctx, st.ID))
		if engine {
			return st.SQL, []byte(kept[0]), false, nil
		}
		return st.SQL, nil, len(kept) > 0, nil
	}
	return "", nil, false, nil
}

// fromBase64 reads values of a ticket or a handle; nil = there are none.
func fromBase64(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) > maxBindBytes {
		return nil, errs.Errorf(errs.ErrOption, "a statement handle that was not made here")
	}
	return b, nil
}

// maxBoundRows is how many rows of values a statement may be run for.
const maxBoundRows = 1 << 16

// rowsOf reads rows of values, a stream of Arrow IPC; nil = there are none. The caller releases them.
func rowsOf(ctx context.Context, b []byte) (arrow.Record, error) {
	if b == nil {
		return nil, nil
	}
	f, err := ipc.StreamFormat().Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		return nil, rpcerr.Stream(err)
	}
	defer f.Close()
	scan, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Parallelism: 1, MemoryBudget: 16 * maxBindBytes})
	if err != nil {
		return nil, rpcerr.Stream(err)
	}
	defer scan.Release()
	var all []arrow.Record
	defer func() {
		for _, r := range all {
			r.Release()
		}
	}()
	rows := int64(0)
	for scan.Next() {
		rec := scan.Record()
		if rows += rec.NumRows(); rows > maxBoundRows {
			return nil, errs.Errorf(errs.ErrLimit, "parameters: %d rows; the most is %d", rows, maxBoundRows)
		}
		rec.Retain()
		all = append(all, rec)
	}
	switch err := scan.Err(); {
	case err != nil:
		return nil, rpcerr.Stream(err)
	case rows == 0 && f.Schema().NumFields() == 0:
		return nil, nil
	case rows == 0:
		return nil, rpcerr.Errorf(codes.InvalidArgument, "parameters: no row of values")
	}
	out, err := arrowbuf.Concat(all, nil)
	if errors.Is(err, arrowbuf.ErrOverflow) {
		return nil, errs.Errorf(errs.ErrLimit, "parameters: %w", err)
	}
	return out, err
}
