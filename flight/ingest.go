package flight

import (
	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
)

// ingest answers a CommandStatementIngest of Flight SQL as DoPut answers a PutCommand. Its options are format, compression and losses.
func (s *service) ingest(in *inbound, stream flight.FlightService_DoPutServer, i *sql.Ingestion) error {
	ctx := stream.Context()
	if err := (sqlServer{s}).InTransaction(ctx, i.Transaction); err != nil {
		return err
	}
	if i.Temporary {
		return s.ingestTemporary(in, stream, i)
	}
	if x, err := s.session(ctx, true); err != nil {
		return err
	} else if x != nil && x.transaction.Load() != nil {
		return errTransaction
	}
	c := &PutCommand{Dataset: i.Table, keepsKinds: true}
	for k, v := range i.Options {
		if err := c.sqlOption(k, v); err != nil {
			return err
		}
	}
	switch {
	case i.Appends() && i.Creates():
		c.Mode = PutCreateAppend
	case i.Appends():
		c.Mode = PutAppend
	case i.Replaces():
		c.Mode = PutReplace
		if !i.Creates() {
			if _, err := s.o.Catalog.sought(ctx, i.Table); err != nil {
				return err
			}
		}
	case i.Creates():
		c.Mode = PutCreate
	default:
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: rows for a table that may neither be there nor be made")
	}
	if err := c.check(); err != nil {
		return err
	}
	return s.putCommand(in, stream, c, func(r *PutReport) ([]byte, error) { return sql.IngestionResult(r.Rows), nil })
}
