package sql

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// countName is the column of the number of rows that a statement has written, where one asks for it as for rows.
const countName = "Count"

// noColumns is the result of a statement that writes, as drivers tell it from one that reads.
var noColumns = arrow.NewSchema(nil, nil)

// written reports whether a statement writes. One of a build or a server that writes none does not.
func (d *Dialect) written(ctx context.Context, text string) (bool, error) {
	if !d.s.HasEngine() || len(text) > MaxTextBytes {
		return false, nil
	}
	return d.s.Writes(ctx, text)
}

// write runs a statement with rows of values, a stream of Arrow IPC; nil = it has none.
func (d *Dialect) write(ctx context.Context, text string, values []byte) (int64, error) {
	d.s.Said(ctx, text)
	params, err := rowsOf(ctx, values)
	if err != nil {
		return 0, err
	}
	if params != nil {
		defer params.Release()
	}
	return d.s.Write(ctx, text, params)
}

// update answers a DoPut of a statement that writes: of its text, or of one that was prepared, whose values follow, or were bound before.
func (d *Dialect) update(ctx context.Context, m proto.Message, next func() (*flight.FlightData, error), send func(*flight.PutResult) error) error {
	ctx, _ = WithSpent(ctx, spentOn(m))
	var text string
	var values []byte
	switch m := m.(type) {
	case *pb.CommandStatementUpdate:
		if err := d.s.InTransaction(ctx, string(m.GetTransactionId())); err != nil {
			return err
		}
		text = m.GetQuery()
	case *pb.CommandPreparedStatementUpdate:
		query := &pb.CommandPreparedStatementQuery{PreparedStatementHandle: m.GetPreparedStatementHandle()}
		var err error
		if text, values, _, err = d.textOf(ctx, query); err != nil {
			return err
		}
		sent, err := sentValues(ctx, next)
		if err != nil {
			return err
		}
		if sent != nil {
			values = sent
		}
	}
	switch writes, err := d.written(ctx, text); {
	case err != nil:
		return err
	case !writes && d.s.HasEngine():
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: an update is CREATE TABLE … AS SELECT or INSERT INTO, or changes a session; other statements are refused, or read rows and are asked as queries")
	case !writes:
		return refusedMessage(m)
	}
	rows, err := d.write(ctx, text, values)
	if err != nil {
		return err
	}
	return send(&flight.PutResult{AppMetadata: IngestionResult(rows)})
}

// sentValues reads the rows that follow; nil = none.
func sentValues(ctx context.Context, next func() (*flight.FlightData, error)) ([]byte, error) {
	some := false
	b, err := streamOf(func() (*flight.FlightData, error) {
		d, err := next()
		some = some || err == nil && len(d.GetDataHeader()) > 0
		return d, err
	})
	if err != nil || !some {
		return nil, err
	}
	rows, err := rowsOf(ctx, b) // a schema without columns comes where no values are bound
	if err != nil || rows == nil {
		return nil, err
	}
	rows.Release()
	return b, nil
}

// writtenInfo answers GetFlightInfo for a statement that writes: it is done now, and its ticket is the number of rows alone, so that
// who redeems it twice, or later, or not at all, changes nothing.
func (d *Dialect) writtenInfo(ctx context.Context, text string, values []byte, at *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	rows, err := d.write(ctx, text, values)
	if err != nil {
		return nil, err
	}
	b, err := (&ticket{One: &one{Name: countName, Value: rows}}).pack()
	if err != nil {
		return nil, err
	}
	return &flight.FlightInfo{
		Schema: schemaBytes(countSchema(countName)), FlightDescriptor: at, TotalRecords: 1, TotalBytes: -1, Ordered: true,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: b}}},
	}, nil
}
